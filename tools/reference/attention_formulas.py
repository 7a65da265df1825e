"""Attention layers of models that transformers has not, by their published formulas in float64, rounded once to float32.

Sources: modeling_qwen.py of Qwen/Qwen-7B, modeling_baichuan.py of baichuan-inc/Baichuan-7B and Baichuan-13B-Chat,
modeling_chatglm.py of THUDM/chatglm-6b, chatglm2-6b and glm-4-9b-chat, modeling_internlm.py and modeling_internlm2.py of
internlm, written from knowledge of them, not copied. float32 frequencies (float16 for ChatGLM-6B), exact angles.
"""

import math

import numpy as np
import torch
from attention_layers import BATCH, LEFT_PADDING, SEED, SEQ

import common

MASK = np.ones((BATCH, SEQ), np.int64)
MASK[1, :LEFT_PADDING] = 0
POSITIONS = np.maximum(np.cumsum(MASK, axis=1) - 1, 0)
SLOTS = np.tile(np.arange(SEQ), (BATCH, 1))  # what counts where the code does not look at position_ids
VISIBLE = np.tril(np.ones((SEQ, SEQ), bool)) & (MASK[:, None, :] > 0)  # [batch, query, key]


class Layer:
    """Random weights of one layer, in bf16, its input, and what all formulas below share."""

    def __init__(self, name, prefix, width, heads, head_dim, kv_heads=None):
        self.seed = [SEED, *name.encode()]
        self.prefix, self.width, self.heads, self.head_dim = prefix, width, heads, head_dim
        self.kv_heads = kv_heads or heads
        self.tensors = {}
        self.x = common.normal([*self.seed, 0], BATCH, SEQ, width)

    def linear(self, x, part, rows, bias):
        """x through the random linear layer `part`."""
        columns = x.shape[-1]
        weight = common.normal([*self.seed, 1, *part.encode()], rows, columns) / np.float32(columns**0.5)
        y = x.astype(np.float64) @ self.keep(f"{part}.weight", weight).T
        if bias:
            y += self.keep(f"{part}.bias", common.normal([*self.seed, 2, *part.encode()], rows))
        return y

    def keep(self, name, value):
        """Stores a tensor as bf16; gives what it holds."""
        self.tensors[f"{self.prefix}.{name}"] = torch.from_numpy(value).to(torch.bfloat16)
        return self.tensors[f"{self.prefix}.{name}"].double().numpy()

    def split(self, flat):
        """[B, S, heads * head_dim] to [B, S, heads, head_dim]."""
        return flat.reshape(BATCH, SEQ, -1, self.head_dim)

    def softmax(self, q, k, v, visible=VISIBLE, bias=0.0):
        """[B, S, heads * head_dim]: softmax(q k / sqrt(head_dim) + bias) v; each key head serves heads / kv_heads queries."""
        k, v = (np.repeat(part, self.heads // self.kv_heads, axis=2) for part in (k, v))
        scores = np.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim**0.5 + bias
        scores = np.where(visible[:, None], scores, -np.inf)
        top = scores.max(axis=-1, keepdims=True)
        share = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
        total = share.sum(axis=-1, keepdims=True)
        out = np.einsum("bhqk,bkhd->bqhd", share / np.where(total > 0, total, 1.0), v)
        return out.reshape(BATCH, SEQ, -1)

    def rope(self, x, positions, pairs, inv_freq):
        return common.rotate(x, common.angles(positions, inv_freq)[:, :, None], pairs)


def save(name, layer, y, number, said, positions=POSITIONS, **more):
    """Writes attention/<name>.safetensors; `said` goes into its case. Gives the rounding of y, relative to the largest."""
    y32 = y.astype(np.float32)
    seen = MASK > 0
    error = np.abs(y32 - y)[seen].max() / np.abs(y[seen]).max()
    arrays = {"fixture.position_ids": positions.astype(np.int64), "fixture.attention_mask": MASK.astype(np.uint8),
              f"fixture.x.{number}": layer.x, f"fixture.y.{number}": y32, **more}
    kind = said.pop("kind")
    common.save(f"attention/{name}", {**layer.tensors, **arrays}, {
        **said, "seed": SEED, "layers": [{"layer": number, "kind": kind, "module": layer.prefix, "probe": {}}],
        "source": said["source"] + ", in float64. Rows whose own key is hidden (padding) mean nothing",
        "reference_error": {"y, relative to its largest": common.rounded(error)},
    })
    return error


def qwen(name, **keys):
    """Qwen 1: c_attn gives q, k, v one after another; log n scaling and the base's own scaling count slots."""
    config = {"architectures": ["QWenLMHeadModel"], "hidden_size": 32, "kv_channels": 8, "layer_norm_epsilon": 1e-06,
              "max_position_embeddings": 128, "model_type": "qwen", "no_bias": True, "num_attention_heads": 4,
              "num_hidden_layers": 2, "rotary_emb_base": 10000, "rotary_pct": 1.0, "seq_length": 8,
              "use_dynamic_ntk": False, "use_logn_attn": False, **keys}
    layer = Layer(name, "transformer.h.1.attn", 32, 4, 8)
    q, k, v = (layer.split(part) for part in np.split(layer.linear(layer.x, "c_attn", 96, True), 3, axis=-1))
    base, trained = 10000.0, config["seq_length"]
    if config["use_dynamic_ntk"]:  # 12 slots: alpha = 2^ceil(log2(12 / 8) + 1) - 1 = 3; the 9 visible of row 1 give 3 too
        base *= (2 ** math.ceil(math.log2(SEQ / trained) + 1) - 1) ** (8 / 6)
    inv_freq = common.inv_freq_float32(base, 8)
    q, k = (layer.rope(part, SLOTS, common.half_split(0, 8), inv_freq) for part in (q, k))
    if config["use_logn_attn"]:
        factor = [math.log(slot + 1, trained) if slot + 1 > trained else 1.0 for slot in range(SEQ)]
        q = q * np.array(factor)[:, None, None]
    y = layer.linear(layer.softmax(q, k, v), "c_proj", 32, not config["no_bias"])
    said = {"source": "modeling_qwen.py", "kind": "full; positions are slots", "model_type": "qwen", "config": config}
    return save(name, layer, y, 1, said, positions=SLOTS)


def baichuan(name, heads):
    """Baichuan: W_pack gives q, k, v one after another; 7B rotates, 13B adds slope * key slot."""
    alibi, head_dim = name.endswith("13b"), 8
    width = heads * head_dim
    layer = Layer(name, "model.layers.1.self_attn", width, heads, head_dim)
    q, k, v = (layer.split(part) for part in np.split(layer.linear(layer.x, "W_pack", 3 * width, False), 3, axis=-1))
    if alibi:
        slopes = [2.0 ** (-2 * (head + 1)) for head in range(4)] + [2.0**-1]  # of 4 heads, then the odd ones of 8
        out = layer.softmax(q, k, v, bias=np.array(slopes[:heads])[:, None, None] * np.arange(SEQ))
    else:
        inv_freq = common.inv_freq_float32(10000.0, head_dim)
        q, k = (layer.rope(part, POSITIONS, common.half_split(0, head_dim), inv_freq) for part in (q, k))
        out = layer.softmax(q, k, v)
    y = layer.linear(out, "o_proj", width, False)
    said = {"source": "modeling_baichuan.py", "kind": "full", "model_type": "baichuan", "config": None,
            "encoding": "alibi" if alibi else "rope", "hidden_size": width, "num_attention_heads": heads}
    return save(name, layer, y, 1, said, positions=SLOTS if alibi else POSITIONS)


def chatglm_6b(name):
    """ChatGLM-6B: q, k, v beside each other in each head, positions of two kinds, the tokens before bos seen by all."""
    config = {"architectures": ["ChatGLMModel"], "bos_token_id": 4, "gmask_token_id": 5, "hidden_size": 32,
              "inner_hidden_size": 64, "layernorm_epsilon": 1e-05, "mask_token_id": 6, "max_sequence_length": 128,
              "model_type": "chatglm", "num_attention_heads": 2, "num_layers": 2, "position_encoding_2d": True}
    layer = Layer(name, "transformer.layers.1.attention", 32, 2, 16)
    mixed = layer.linear(layer.x, "query_key_value", 96, True).reshape(BATCH, SEQ, 2, 48)
    q, k, v = np.split(mixed, 3, axis=-1)
    bos = np.array([8, LEFT_PADDING + 6])  # slot of bos; the one before it is [gMASK]
    generated = np.maximum(SLOTS - bos[:, None] + 1, 0)
    text = np.where(generated > 0, np.take_along_axis(POSITIONS, bos[:, None] - 1, axis=1), POSITIONS)
    inv_freq = common.inv_freq_float32(10000.0, 8, np.float16)
    for ids, offset in ((text, 0), (generated, 8)):
        q, k = (layer.rope(part, ids, common.half_split(offset, 8), inv_freq) for part in (q, k))
    visible = (VISIBLE | (np.arange(SEQ) < bos[:, None])[:, None, :]) & (MASK[:, None, :] > 0)
    y = layer.linear(layer.softmax(q, k, v, visible), "dense", 32, True)
    layer.tensors[f"{layer.prefix}.rotary_emb.inv_freq"] = torch.from_numpy(inv_freq)  # the files have it
    said = {"source": "modeling_chatglm.py of ChatGLM-6B", "kind": "prefix: keys before bos are seen by all",
            "model_type": "chatglm", "config": config, "position_ids": "[plane, batch, slot]: position, block position"}
    return save(name, layer, y, 1, said, positions=np.stack([text, generated]),
                **{"fixture.prefix": bos, "fixture.visible": visible.astype(np.uint8)})


def chatglm2(name, **keys):
    """ChatGLM2 and its successors: grouped queries, interleaved pairs on the first half of each head."""
    config = {"add_bias_linear": False, "add_qkv_bias": True, "apply_query_key_layer_scaling": True,
              "architectures": ["ChatGLMModel"], "hidden_size": 24, "kv_channels": 12, "layernorm_epsilon": 1e-05,
              "model_type": "chatglm", "multi_query_attention": True, "multi_query_group_num": 2, "num_attention_heads": 4,
              "num_layers": 2, "original_rope": True, "rmsnorm": True, "seq_length": 128, **keys}
    groups, dim = config["multi_query_group_num"] if config["multi_query_attention"] else 4, 6
    layer = Layer(name, "transformer.encoder.layers.1.self_attention", 24, 4, 12, groups)
    bias = config["add_bias_linear"] or config["add_qkv_bias"]
    mixed = layer.linear(layer.x, "query_key_value", 48 + 24 * groups, bias)
    if config["multi_query_attention"]:
        q, k, v = (layer.split(part) for part in np.split(mixed, [48, 48 + 12 * groups], axis=-1))
    else:
        q, k, v = np.split(mixed.reshape(BATCH, SEQ, 4, 36), 3, axis=-1)
    inv_freq = common.inv_freq_float32(10000.0 * config.get("rope_ratio", 1), dim)
    q, k = (layer.rope(part, POSITIONS, common.interleaved(0, dim), inv_freq) for part in (q, k))
    y = layer.linear(layer.softmax(q, k, v), "dense", 24, config["add_bias_linear"])
    said = {"source": "modeling_chatglm.py of ChatGLM2", "kind": "full", "model_type": "chatglm", "config": config}
    return save(name, layer, y, 1, said)


def internlm(name, **keys):
    """InternLM (biases everywhere) and InternLM2 (wqkv: for each key head its queries, the key, the value)."""
    second = name.startswith("internlm2")
    config = {"architectures": ["InternLM2ForCausalLM" if second else "InternLMForCausalLM"], "bias": not second,
              "hidden_size": 32, "max_position_embeddings": 128, "model_type": "internlm2" if second else "internlm",
              "num_attention_heads": 4, "num_hidden_layers": 2, "rms_norm_eps": 1e-06, **keys}
    layer = Layer(name, f"model.layers.1.{'attention' if second else 'self_attn'}", 32, 4, 8, 2 if second else 4)
    if second:
        config.update({"num_key_value_heads": 2, "rope_theta": 1000000})
        mixed = layer.linear(layer.x, "wqkv", 64, config["bias"]).reshape(BATCH, SEQ, 2, 4, 8)
        q, k, v = mixed[:, :, :, :2].reshape(BATCH, SEQ, 4, 8), mixed[:, :, :, 2], mixed[:, :, :, 3]
    else:
        q, k, v = (layer.split(layer.linear(layer.x, f"{part}_proj", 32, config["bias"])) for part in "qkv")
    inv_freq = common.inv_freq_float32(config.get("rope_theta", 10000.0), 8)
    q, k = (layer.rope(part, POSITIONS, common.half_split(0, 8), inv_freq) for part in (q, k))
    y = layer.linear(layer.softmax(q, k, v), "wo" if second else "o_proj", 32, config["bias"])
    said = {"source": f"modeling_{config['model_type']}.py", "kind": "full", "model_type": config["model_type"], "config": config}
    return save(name, layer, y, 1, said)


FORMULAS = {
    "qwen": lambda name: qwen(name, use_logn_attn=True), "qwen-plain": qwen,
    "qwen-ntk": lambda name: qwen(name, use_dynamic_ntk=True, use_logn_attn=True, no_bias=False),
    "baichuan-7b": lambda name: baichuan(name, 4), "baichuan-13b": lambda name: baichuan(name, 5),
    "chatglm-6b": chatglm_6b, "chatglm2-6b": chatglm2,
    "chatglm2-ratio": lambda name: chatglm2(name, rope_ratio=50, multi_query_group_num=1, add_bias_linear=True),
    "chatglm2-heads": lambda name: chatglm2(name, multi_query_attention=False),
    "internlm": internlm, "internlm2": internlm,
}
