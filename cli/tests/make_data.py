"""Writes the binary inputs of the command's tests into cli/tests/data. Run once, by hand; the tests need no Python.

    pip install numpy==2.4.6 safetensors==0.8.0
    python cli/tests/make_data.py

Each folder holds one tiny model: config.json, layer.safetensors under the names of the model's own code, the hidden
states x.npy, and y.npy, what the attention layer makes of them (in float64, rounded to float32).
"""

import json
import pathlib

import numpy as np
from safetensors.numpy import load_file, save_file

HERE = pathlib.Path(__file__).parent
DATA = HERE / "data"
REFERENCE = HERE.parents[1] / "testdata" / "reference"


def save(name, config, tensors, arrays):
    folder = DATA / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    save_file({key: np.ascontiguousarray(value) for key, value in tensors.items()}, folder / "layer.safetensors")
    for key, value in arrays.items():
        np.save(folder / f"{key}.npy", value)


def llama():
    """The layer that transformers ran for testdata/reference, under the names of a checkpoint."""
    fixture = load_file(REFERENCE / "llama_attention.safetensors")
    prefix = "model.layers.1.self_attn."
    tensors = {f"{prefix}{letter}_proj.weight": fixture[f"w{letter}"] for letter in "qkvo"}
    config = {
        "model_type": "llama",
        "hidden_size": 64,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "num_hidden_layers": 2,
        "max_position_embeddings": 2048,
        "rope_theta": 10000.0,
    }
    save("llama", config, tensors, {"x": fixture["x"], "positions": fixture["position_ids"], "y": fixture["y_exact"]})


def rotated(x, positions, inv_freq, first, second):
    """x [S, H, D] with the channels first[i], second[i] turned by positions x inv_freq[i]."""
    angle = positions[:, None, None] * inv_freq
    out = x.copy()
    out[..., first] = x[..., first] * np.cos(angle) - x[..., second] * np.sin(angle)
    out[..., second] = x[..., second] * np.cos(angle) + x[..., first] * np.sin(angle)
    return out


def attention(q, k, v, causal):
    """softmax(q k^T / sqrt(d)) v of [S, H, D], float64, grouped-query."""
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x, groups, axis=1) for x in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("hqk,khd->qhd", weights, v).reshape(q.shape[0], -1)


def normal(random, *shape):
    return random.standard_normal(shape).astype(np.float32)


def chatglm3():
    """Two heads of 8 channels, one key head, one fused projection with a bias: q of all heads, then k, then v."""
    random = np.random.default_rng(3)
    hidden, heads, dim, seq = 16, 2, 8, 3
    weight, bias = normal(random, (heads + 2) * dim, hidden) / 4, normal(random, (heads + 2) * dim) / 4
    dense, x = normal(random, hidden, heads * dim) / 4, normal(random, seq, hidden)
    qkv = x.astype(np.float64) @ weight.T + bias
    q, k, v = (part.reshape(seq, -1, dim) for part in np.split(qkv, [heads * dim, (heads + 1) * dim], axis=1))
    inv_freq = (10000.0 ** (-np.arange(0, 4, 2) / 4)).astype(np.float32).astype(np.float64)
    turn = [rotated(part, np.arange(seq), inv_freq, [0, 2], [1, 3]) for part in (q, k)]
    y = attention(*turn, v, causal=True) @ dense.T.astype(np.float64)
    config = {
        "model_type": "chatglm",
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "multi_query_attention": True,
        "multi_query_group_num": 1,
        "kv_channels": dim,
        "num_layers": 1,
        "seq_length": 8192,
        "original_rope": True,
    }
    prefix = "transformer.encoder.layers.0.self_attention."
    tensors = {
        f"{prefix}query_key_value.weight": weight,
        f"{prefix}query_key_value.bias": bias,
        f"{prefix}dense.weight": dense,
    }
    save("chatglm3", config, tensors, {"x": x, "y": y.astype(np.float32)})


def chatglm_6b():
    """Two heads of 8 channels, q, k and v of each head one after the other; positions from gMASK and bos."""
    random = np.random.default_rng(6)
    hidden, heads, dim, seq = 16, 2, 8, 6
    weight, bias = normal(random, 3 * heads * dim, hidden) / 4, normal(random, 3 * heads * dim) / 4
    dense, dense_bias = normal(random, hidden, heads * dim) / 4, normal(random, hidden) / 4
    x = normal(random, seq, hidden)
    q, k, v = np.split((x.astype(np.float64) @ weight.T + bias).reshape(seq, heads, 3 * dim), 3, axis=2)
    tokens = np.array([5, 6, 130001, 130004, 7, 8])
    position, block = np.array([0, 1, 2, 2, 2, 2]), np.array([0, 0, 0, 1, 2, 3])
    inv_freq = (10000.0 ** (-np.arange(0, 4, 2) / 4)).astype(np.float16).astype(np.float64)

    def turned(part):
        by_position = rotated(part, position, inv_freq, [0, 1], [2, 3])
        return rotated(by_position, block, inv_freq, [4, 5], [6, 7])

    y = attention(turned(q), turned(k), v, causal=False) @ dense.T.astype(np.float64) + dense_bias
    config = {
        "model_type": "chatglm",
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_layers": 1,
        "max_sequence_length": 2048,
        "position_encoding_2d": True,
        "bos_token_id": 130004,
        "vocab_size": 130528,
    }
    prefix = "transformer.layers.0.attention."
    tensors = {
        f"{prefix}query_key_value.weight": weight,
        f"{prefix}query_key_value.bias": bias,
        f"{prefix}dense.weight": dense,
        f"{prefix}dense.bias": dense_bias,
    }
    save("chatglm-6b", config, tensors, {"x": x, "tokens": tokens, "y": y.astype(np.float32)})


def roberta():
    """A learned table of 6 rows, whose first two are those of padding: row r is r, r + 0.1, r + 0.2, r + 0.3."""
    table = np.arange(6, dtype=np.float32)[:, None] + np.arange(4, dtype=np.float32) / 10
    config = {
        "model_type": "roberta",
        "hidden_size": 4,
        "num_attention_heads": 2,
        "num_hidden_layers": 1,
        "max_position_embeddings": 6,
        "pad_token_id": 1,
    }
    save("roberta", config, {"roberta.embeddings.position_embeddings.weight": table}, {})


if __name__ == "__main__":
    llama()
    chatglm3()
    chatglm_6b()
    roberta()
