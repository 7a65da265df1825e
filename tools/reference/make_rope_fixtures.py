"""Rotary fixtures: LLaMA and GLM classes of transformers, and the published formulas in float64."""

import numpy as np
import torch
from transformers import GlmConfig, LlamaConfig
from transformers.models.glm import modeling_glm
from transformers.models.llama import modeling_llama

import common

# Row 0 counts up from 0, row 1 jumps about (and back).
POSITIONS = np.array(
    [list(range(16)), [1000, 1001, 7, 2047, 2048, 4095, 3, 16384, 255, 256, 257, 32767, 65535, 100000, 131071, 0]]
)


def llama_embedding(head_dim, theta):
    """LlamaRotaryEmbedding for one head size and base."""
    config = LlamaConfig(
        head_dim=head_dim,
        hidden_size=4 * head_dim,
        num_attention_heads=4,
        rope_parameters={"rope_type": "default", "rope_theta": theta},
    )
    return modeling_llama.LlamaRotaryEmbedding(config)


def llama(name, head_dim, theta, heads, kv_heads, dtype, seed):
    """q, k [B, H, S, D] through LlamaRotaryEmbedding and apply_rotary_pos_emb, all in `dtype`."""
    dtype_name = str(dtype).removeprefix("torch.")
    ids = torch.from_numpy(POSITIONS)
    batch, seq = POSITIONS.shape
    q = torch.from_numpy(common.normal(seed, batch, heads, seq, head_dim)).to(dtype)
    k = torch.from_numpy(common.normal(seed + 1, batch, kv_heads, seq, head_dim)).to(dtype)
    embedding = llama_embedding(head_dim, theta)
    cos, sin = embedding(q, ids)
    q_out, k_out = modeling_llama.apply_rotary_pos_emb(q, k, cos, sin)

    inv_freq = embedding.inv_freq.numpy()
    pairs = common.half_split(0, head_dim)
    angle = common.angles(POSITIONS, inv_freq)
    q_float, angle_bhsp = q.float().numpy(), angle[:, None]
    exact = common.rotate(q_float, angle_bhsp, pairs)
    unit = float(torch.finfo(dtype).eps) / 2
    table_error = max(
        common.max_error(cos.float()[..., : head_dim // 2], np.cos(angle)),
        common.max_error(sin.float()[..., : head_dim // 2], np.sin(angle)),
    )
    common.save(
        name,
        {
            "q": q,
            "k": k,
            "position_ids": ids,
            "inv_freq": inv_freq,
            "cos": cos[..., : head_dim // 2],
            "sin": sin[..., : head_dim // 2],
            "q_out": q_out,
            "k_out": k_out,
        },
        {
            "source": "transformers LlamaRotaryEmbedding, apply_rotary_pos_emb; cos, sin: first half of the lanes",
            "head_dim": head_dim,
            "rotary_dim": head_dim,
            "rope_theta": theta,
            "heads": heads,
            "kv_heads": kv_heads,
            "pairing": "half_split",
            "tensor_layout": "bhsd",
            "dtype": dtype_name,
            "seed": seed,
            "reference_error": {
                "cos, sin": table_error,
                "q_out / |pair|": common.rotation_error(q_out.float().numpy(), exact, q_float, pairs),
                f"q_out / |pair| less the angle's share, in half {dtype_name} epsilons": common.rotation_error(
                    q_out.float().numpy(), exact, q_float, pairs, angle_bhsp, unit
                ),
            },
        },
    )


def inv_freq():
    """Frequencies of LlamaRotaryEmbedding to compare bit for bit; named theta<base>_dim<dim>."""
    arrays, ulps = {}, 0
    for theta in (10000.0, 500000.0, 1000000.0, 5000000.0):
        for dim in (64, 128, 256):
            vector = llama_embedding(dim, theta).inv_freq.numpy()
            arrays[f"theta{theta:.0f}_dim{dim}"] = vector
            rounded_steps = common.inv_freq_float32(theta, dim)
            ulps = max(ulps, int(np.abs(vector.view(np.int32) - rounded_steps.view(np.int32)).max()))
    common.save(
        "inv_freq",
        arrays,
        {
            "source": "transformers LlamaRotaryEmbedding.inv_freq",
            "reference_error": {"ULP from 1/base^(2i/d) with each step correctly rounded": ulps},
        },
    )


def glm(name, theta, seed):
    """GLM classes (interleaved on the first half of the head) beside ChatGLM2's published formula."""
    head_dim, heads, kv_heads = 128, 2, 1
    positions = POSITIONS[:, ::2].copy()
    batch, seq = positions.shape
    q = common.normal(seed, batch, heads, seq, head_dim)
    k = common.normal(seed + 1, batch, kv_heads, seq, head_dim)
    config = GlmConfig(
        head_dim=head_dim,
        hidden_size=heads * head_dim,
        num_attention_heads=heads,
        rope_parameters={"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": 0.5},
    )
    embedding = modeling_glm.GlmRotaryEmbedding(config)
    q_in, k_in = torch.from_numpy(q), torch.from_numpy(k)
    cos, sin = embedding(q_in, torch.from_numpy(positions))
    q_out, k_out = modeling_glm.apply_rotary_pos_emb(q_in, k_in, cos, sin)

    # ChatGLM2, ChatGLM3, GLM-4: theta_i = 1 / base^(2i/d), d = 64; pairs (2i, 2i + 1) of the first 64 channels.
    dim = head_dim // 2
    pairs = common.interleaved(0, dim)
    ideal = 1 / theta ** (np.arange(0, dim, 2) / dim)
    stored = common.inv_freq_float32(theta, dim)
    angle = common.angles(positions, stored)[:, None]
    q_exact, k_exact = common.rotate(q, angle, pairs), common.rotate(k, angle, pairs)
    q_ideal = common.rotate(q, common.angles(positions, ideal)[:, None], pairs)
    common.save(
        name,
        {
            "q": q,
            "k": k,
            "position_ids": positions,
            "inv_freq": embedding.inv_freq.numpy(),
            "q_out": q_out,
            "k_out": k_out,
            "q_exact": q_exact.astype(np.float32),
            "k_exact": k_exact.astype(np.float32),
            "q_ideal": q_ideal.astype(np.float32),
        },
        {
            "source": "q_out, k_out: transformers GlmRotaryEmbedding, apply_rotary_pos_emb; q_exact, k_exact: "
            "ChatGLM2's formula in float64 from float32 theta; q_ideal: from float64 theta",
            "head_dim": head_dim,
            "rotary_dim": dim,
            "rope_theta": theta,
            "heads": heads,
            "kv_heads": kv_heads,
            "pairing": "interleaved",
            "tensor_layout": "bhsd",
            "seed": seed,
            "reference_error": {
                "q_out / |pair|": common.rotation_error(q_out.numpy(), q_exact, q, pairs),
                "q_out / |pair| less the angle's share, in half float32 epsilons": common.rotation_error(
                    q_out.numpy(), q_exact, q, pairs, angle
                ),
                "q_ideal - q_exact / |pair|": common.rotation_error(q_ideal, q_exact, q, pairs),
            },
        },
    )


def chatglm_6b(seed):
    """ChatGLM-6B: lanes 0..63 turn with position_id, 64..127 with block_position_id; float16 inv_freq."""
    head_dim, heads = 128, 2
    # Nine tokens of text, gMASK, bos, then generated tokens; and a prompt of 2000 tokens seen at its end.
    planes = np.array(
        [
            [list(range(10)) + [9] * 6, list(range(1990, 2000)) + [1999] * 6],
            [[0] * 10 + list(range(1, 7)), [0] * 10 + list(range(1, 7))],
        ]
    )
    _, batch, seq = planes.shape
    q = common.normal(seed, batch, seq, heads, head_dim)
    k = common.normal(seed + 1, batch, seq, heads, head_dim)
    inv_freq = common.inv_freq_float32(10000.0, 64, np.float16)
    windows = [common.half_split(0, 64), common.half_split(64, 64)]
    outputs, exact = [q, k], q
    for ids, pairs in zip(planes, windows):
        angle = common.angles(ids, inv_freq)[:, :, None]
        outputs = [common.rotate(x, angle, pairs) for x in outputs]
        exact = common.mpmath_rotation(exact, ids, inv_freq, pairs)
    q_out, k_out = (x.astype(np.float32) for x in outputs)
    common.save(
        "rope_chatglm_6b",
        {"q": q, "k": k, "position_ids": planes, "inv_freq": inv_freq, "q_out": q_out, "k_out": k_out},
        {
            "source": "ChatGLM-6B's published formula in float64: float16 inv_freq, exact angle; rounded to float32",
            "head_dim": head_dim,
            "rotary_dim": 64,
            "rope_theta": 10000.0,
            "heads": heads,
            "kv_heads": heads,
            "pairing": "half_split",
            "tensor_layout": "bshd",
            "seed": seed,
            "reference_error": {
                "q_out / |pair|": max(common.rotation_error(q_out, exact, q, pairs) for pairs in windows)
            },
        },
    )


def baichuan_7b(seed):
    """Baichuan-7B: LLaMA's formula, base 10000, head_dim 128, in float64 from float32 inv_freq."""
    head_dim, heads = 128, 2
    positions = POSITIONS[:, ::2].copy()
    batch, seq = positions.shape
    q = common.normal(seed, batch, seq, heads, head_dim)
    k = common.normal(seed + 1, batch, seq, heads, head_dim)
    inv_freq = common.inv_freq_float32(10000.0, head_dim)
    angle = common.angles(positions, inv_freq)[:, :, None]
    pairs = common.half_split(0, head_dim)
    q_out, k_out = (common.rotate(x, angle, pairs).astype(np.float32) for x in (q, k))
    exact = common.mpmath_rotation(q, positions, inv_freq, pairs)
    common.save(
        "rope_baichuan_7b",
        {
            "q": q,
            "k": k,
            "position_ids": positions,
            "q_out": q_out,
            "k_out": k_out,
        },
        {
            "source": "Baichuan-7B's published formula in float64 from float32 inv_freq; rounded to float32",
            "head_dim": head_dim,
            "rotary_dim": head_dim,
            "rope_theta": 10000.0,
            "heads": heads,
            "kv_heads": heads,
            "pairing": "half_split",
            "tensor_layout": "bshd",
            "seed": seed,
            "reference_error": {"q_out / |pair|": common.rotation_error(q_out, exact, q, pairs)},
        },
    )


if __name__ == "__main__":
    llama("rope_llama_d64", 64, 10000.0, 4, 2, torch.float32, seed=101)
    llama("rope_llama_d128", 128, 500000.0, 4, 1, torch.float32, seed=103)
    llama("rope_llama_d64_bf16", 64, 500000.0, 4, 2, torch.bfloat16, seed=105)
    llama("rope_llama_d64_f16", 64, 10000.0, 4, 2, torch.float16, seed=107)
    inv_freq()
    glm("rope_glm_theta10000", 10000.0, seed=111)
    glm("rope_glm_theta5000000", 5000000.0, seed=113)
    chatglm_6b(seed=121)
    baichuan_7b(seed=131)
