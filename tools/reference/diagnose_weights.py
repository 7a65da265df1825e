#!/usr/bin/env python3
"""Writes testdata/diagnose_weights: one layer of a LLaMA (4 heads and 2 key heads of 8 channels, 32 columns) as Hugging Face's classes keep
it, in two shards, and what conversions made of it. tools/reference/diagnose_weights.py FOLDER; made with numpy, safetensors 0.8.0 and gguf 0.19.0.

hf        the rows as they are, f16, sharded with an index
meta      by convert_llama_weights_to_hf.py backwards (its permute undone), Meta's names
wrong     meta whose k was moved by the heads of q (ggml-org/llama.cpp#3364)
heads     query heads in another order
copies    key heads each twice, in turn (0 1 0 1); groups: side by side (0 0 1 1)
cut       as if a fused tensor of groups, each its query heads and then its key head, were all of q and then all of k
f16.gguf  convert_hf_to_gguf.py's permute, f16; wrong.gguf without it; q8_0.gguf quantized
"""

import json
import pathlib
import sys

import gguf
import numpy as np
from safetensors.numpy import save_file

HEADS, KEY_HEADS, DIM, COLUMNS = 4, 2, 8, 32


def permute(w, heads):  # convert_hf_to_gguf.py, LlamaModel.permute; convert_llama_weights_to_hf.py's undone
    return w.reshape(heads, 2, w.shape[0] // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def config(folder, **changes):
    keys = {"model_type": "llama", "hidden_size": COLUMNS, "head_dim": DIM, "num_attention_heads": HEADS,
            "num_key_value_heads": KEY_HEADS, "num_hidden_layers": 1, "max_position_embeddings": 128, "rope_theta": 10000.0}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(keys | changes) + "\n")


def write_gguf(path, q, k, quantized=False):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(COLUMNS)
    writer.add_block_count(1)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_key_length(DIM)
    writer.add_rope_dimension_count(DIM)
    writer.add_rope_freq_base(10000.0)
    for name, w in (("q", q), ("k", k)):
        if quantized:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(f"blk.0.attn_{name}.weight", gguf.quantize(w.astype(np.float32), kind), raw_dtype=kind)
        else:
            writer.add_tensor(f"blk.0.attn_{name}.weight", w)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(folder):
    folder = pathlib.Path(folder)
    rng = np.random.default_rng(7)
    # Numbers that f16 keeps.
    q = rng.standard_normal((HEADS * DIM, COLUMNS)).astype(np.float16)
    k = rng.standard_normal((KEY_HEADS * DIM, COLUMNS)).astype(np.float16)
    hf, layer = folder / "hf", "model.layers.0.self_attn."
    config(hf)
    parts = {"q_proj.weight": q, "k_proj.weight": k}
    weight_map = {}
    for number, (name, w) in enumerate(parts.items(), 1):
        file = f"model-0000{number}-of-00002.safetensors"
        save_file({layer + name: w}, hf / file)
        weight_map[layer + name] = file
    (hf / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}) + "\n")

    def other(name, q, k, **changes):
        config(folder / name, **changes)
        save_file({layer + "q_proj.weight": q, layer + "k_proj.weight": k}, folder / name / "model.safetensors")

    for name, moved_k in (("meta", permute(k, KEY_HEADS)), ("wrong", permute(k, HEADS))):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "params.json").write_text(json.dumps(
            {"dim": HEADS * DIM, "n_heads": HEADS, "n_kv_heads": KEY_HEADS, "n_layers": 1, "vocab_size": 8, "norm_eps": 1e-5}) + "\n")
        save_file({"layers.0.attention.wq.weight": permute(q, HEADS), "layers.0.attention.wk.weight": moved_k},
                  folder / name / "consolidated.safetensors")
    by_heads = q.reshape(HEADS, DIM, COLUMNS)
    other("heads", by_heads[[1, 0, 3, 2]].reshape(q.shape), k)
    keys = k.reshape(KEY_HEADS, DIM, COLUMNS)
    other("copies", q, keys[[0, 1, 0, 1]].reshape(q.shape), num_key_value_heads=HEADS)
    other("groups", q, keys[[0, 0, 1, 1]].reshape(q.shape), num_key_value_heads=HEADS)
    groups = [np.concatenate([by_heads[2 * g], by_heads[2 * g + 1], keys[g]]) for g in range(KEY_HEADS)]
    fused = np.concatenate(groups)
    other("cut", fused[:len(q)], fused[len(q):])
    write_gguf(folder / "f16.gguf", permute(q, HEADS), permute(k, KEY_HEADS))
    write_gguf(folder / "wrong.gguf", q, k)
    write_gguf(folder / "q8_0.gguf", permute(q, HEADS), permute(k, KEY_HEADS), quantized=True)


if __name__ == "__main__":
    main(sys.argv[1])
