"""Attention fixtures: whole LlamaAttention layers of transformers, ALiBi slopes of BLOOM, ALiBi attention."""

import numpy as np
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama import modeling_llama

import common

HIDDEN, HEADS, KV_HEADS, BATCH, SEQ = 64, 8, 2, 2, 7
PROJECTIONS = {"wq": "q_proj", "wk": "k_proj", "wv": "v_proj", "wo": "o_proj"}
ALIBI_HEADS = (1, 2, 3, 6, 8, 12, 20, 40, 64, 71, 112)


def softmax(scores):
    """Over the last axis, float64."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def seen_keys(key_mask):
    """[B, 1, S, S]: causal, and no hidden key."""
    seq = key_mask.shape[-1]
    return np.tril(np.ones((seq, seq), bool)) & key_mask[:, None, None, :]


def attend_exact(q, k, v, seen, bias=0.0):
    """softmax(q k^T / sqrt(d) + bias) v in float64; q [B, H, S, D], k and v [B, Hkv, S, D]."""
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x, groups, axis=1) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.dtype.type(q.shape[-1])) + bias
    scores = np.where(seen, scores, -np.inf)
    scores = np.where(seen.any(-1, keepdims=True), scores, 0.0)  # a row that sees nothing: any finite number
    return softmax(scores) @ v


def layer_exact(x, weights, positions, inv_freq, seen, head_dim):
    """The layer in float64, from the float32 weights and inv_freq."""
    def project(kind):
        return x @ weights[f"w{kind}"].astype(np.float64).T + weights.get(f"b{kind}", 0.0)

    def heads_first(kind):
        return project(kind).reshape(BATCH, SEQ, -1, head_dim).transpose(0, 2, 1, 3)

    x = x.astype(np.float64)
    q, k, v = (heads_first(kind) for kind in "qkv")
    angle = common.angles(positions, inv_freq)[:, None]
    pairs = common.half_split(0, head_dim)
    out = attend_exact(common.rotate(q, angle, pairs), common.rotate(k, angle, pairs), v, seen)
    x = out.transpose(0, 2, 1, 3).reshape(BATCH, SEQ, -1)
    return project_out(x, weights)


def project_out(x, weights):
    """The last projection, float64."""
    return x @ weights["wo"].astype(np.float64).T + weights.get("bo", 0.0)


def llama(name, head_dim, bias, left_padding, seed):
    """x, weights and y of one eager LlamaAttention, grouped-query and causal."""
    config = LlamaConfig(
        hidden_size=HIDDEN,
        num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS,
        head_dim=head_dim,
        attention_bias=bias,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    )
    config._attn_implementation = "eager"
    layer = modeling_llama.LlamaAttention(config, layer_idx=0).eval()
    weights = {}
    for index, (key, attribute) in enumerate(PROJECTIONS.items()):
        linear = getattr(layer, attribute)
        rows, columns = linear.weight.shape
        weights[key] = common.normal(seed + index, rows, columns) / np.float32(np.sqrt(columns))
        linear.weight.data = torch.from_numpy(weights[key])
        if bias:
            weights["b" + key[1]] = common.normal(seed + 10 + index, rows)
            linear.bias.data = torch.from_numpy(weights["b" + key[1]])

    x = common.normal(seed + 20, BATCH, SEQ, HIDDEN)
    key_mask = np.ones((BATCH, SEQ), bool)
    key_mask[0, :left_padding] = False
    positions = np.maximum(np.cumsum(key_mask, axis=1) - 1, 0)
    if not left_padding:
        positions[1] += 100
    seen = seen_keys(key_mask)
    mask = torch.where(torch.from_numpy(seen), 0.0, torch.finfo(torch.float32).min)
    rotary = modeling_llama.LlamaRotaryEmbedding(config)
    with torch.no_grad():
        x_in = torch.from_numpy(x)
        y = layer(x_in, rotary(x_in, torch.from_numpy(positions)), mask)[0].numpy()
    exact = layer_exact(x, weights, positions, rotary.inv_freq.numpy(), seen, head_dim)
    common.save(
        name,
        {
            "x": x,
            **weights,
            "position_ids": positions,
            "key_mask": key_mask,
            "y": y,
            "y_exact": exact.astype(np.float32),
        },
        {
            "source": "y: transformers LlamaAttention, eager, float32; y_exact: the same in float64. "
            "Rows whose own key is hidden (padding) mean nothing",
            "hidden_size": HIDDEN,
            "heads": HEADS,
            "kv_heads": KV_HEADS,
            "head_dim": head_dim,
            "rope_theta": 10000.0,
            "attention_bias": bias,
            "left_padding": left_padding,
            "seed": seed,
            "reference_error": {
                "y": common.max_error(y[key_mask], exact[key_mask]),
                "largest |y|, times 2^24": common.max_error(0.0, exact[key_mask]),
            },
        },
    )


def bloom_slopes(heads):
    """The bias of key 1 in BLOOM's tensor is the slope itself."""
    return build_alibi_tensor(torch.ones(1, 2), heads, torch.float32).reshape(heads, 2)[:, 1].numpy()


def exact_slopes(heads):
    """2^(-8h/n) for the first n = 2^floor(log2 H) heads, then 2^(-8(2j-1)/(2n)), in float64."""
    n = 1 << (heads.bit_length() - 1)
    first = [2.0 ** (-8 * h / n) for h in range(1, n + 1)]
    return np.array(first + [2.0 ** (-8 * (2 * j - 1) / (2 * n)) for j in range(1, heads - n + 1)])


def alibi(seed):
    """Slopes for many head counts, and a causal attention with slope * (j - i) in float64."""
    arrays, slope_error = {}, 0.0
    for heads in ALIBI_HEADS:
        slopes = bloom_slopes(heads)
        exact = exact_slopes(heads)
        slope_error = max(slope_error, float((np.abs(slopes - exact) / exact).max() / common.HALF_ULP))
        arrays[f"slopes_{heads}"] = slopes
        arrays[f"slopes_exact_{heads}"] = exact.astype(np.float32)

    heads, head_dim = 12, 8
    q, k, v = (common.normal(seed + i, BATCH, SEQ, heads, head_dim) for i in range(3))
    distance = np.arange(SEQ)[None, :] - np.arange(SEQ)[:, None]
    bias = exact_slopes(heads)[:, None, None] * distance
    seen = seen_keys(np.ones((BATCH, SEQ), bool))

    def attend_in(dtype):
        heads_first = (x.transpose(0, 2, 1, 3).astype(dtype) for x in (q, k, v))
        return attend_exact(*heads_first, seen, bias).transpose(0, 2, 1, 3)

    out = attend_in(np.float64).astype(np.float32)
    arrays |= {"q": q, "k": k, "v": v, "out": out}
    common.save(
        "alibi",
        arrays,
        {
            "source": "slopes_<heads>: transformers BLOOM build_alibi_tensor; slopes_exact_<heads>, out: the "
            "definition in float64, rounded to float32; q, k, v, out [B, S, H, D], causal, bias slope * (j - i)",
            "heads": heads,
            "head_dim": head_dim,
            "seed": seed,
            "reference_error": {
                "slopes, relative": common.rounded(slope_error),
                "out": common.max_error(out, attend_in(np.longdouble)),
            },
        },
    )


if __name__ == "__main__":
    llama("llama_attention", head_dim=8, bias=False, left_padding=0, seed=201)
    llama("llama_attention_d16_bias", head_dim=16, bias=True, left_padding=0, seed=301)
    llama("llama_attention_left_padded", head_dim=8, bias=False, left_padding=3, seed=401)
    alibi(seed=501)
