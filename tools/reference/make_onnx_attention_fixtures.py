"""onnx_attention.safetensors: the float32 backend node tests of ONNX's Attention operator, as the onnx package generates them.

Each is q [B, H, Sq, D], k [B, Hkv, Sk, D], v [B, Hkv, Sk, Dv], the past before them, and out, heads first; the mask of its case
spread to [B or 1, H or 1, Sq, Sk], with keys beyond it hidden. Query i is token first_query + i: the length of the past. Left out are
lengths of the cache (nonpad_kv_seqlen), which give each sequence an offset of its own, softmax_precision, and cases that another
has without the scores as a second output (qk_matmul).
"""

import warnings

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

import common

NAMES = {"scale": "scale", "softcap": "softcap", "is_causal": "causal", "left_window_size": "window_left",
         "right_window_size": "window_right"}  # fmt: skip


def heads_first(x, heads):
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def spread(mask, queries, keys):
    mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    hidden = False if mask.dtype == bool else np.float32(-np.inf)
    mask = np.pad(mask, [(0, 0)] * 3 + [(0, keys - mask.shape[3])], constant_values=hidden)
    return np.broadcast_to(mask, (*mask.shape[:2], queries, keys))


def read(node, inputs, outputs):
    """Arrays and options of a case; None for one that is left out."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    given = dict(zip(filter(None, node.input), inputs))
    if "nonpad_kv_seqlen" in given or "softmax_precision" in attributes or given["Q"].dtype != np.float32:
        return None
    q = heads_first(given["Q"], attributes.get("q_num_heads"))
    k, v = (heads_first(given[name], attributes.get("kv_num_heads")) for name in "KV")
    past = given["past_key"].shape[2] if "past_key" in given else 0
    if past:
        k, v = np.concatenate([given["past_key"], k], 2), np.concatenate([given["past_value"], v], 2)
    arrays = {"q": q, "k": k, "v": v, "out": heads_first(outputs[0], attributes.get("q_num_heads"))}
    if "attn_mask" in given:
        arrays["mask"] = spread(given["attn_mask"], q.shape[2], k.shape[2])
    options = {ours: attributes[theirs] for theirs, ours in NAMES.items() if theirs in attributes}
    return arrays, {**options, "first_query": past}


def main():
    arrays, cases = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other operators' cases
        collected = collect_testcases("Attention")
    for case in collected:
        node = case.model.graph.node[0]
        if len(case.model.graph.node) > 1 or node.op_type != "Attention" or "qk_matmul" in case.name:
            continue
        found = read(node, *case.data_sets[0])
        if found is None:
            continue
        name = case.name.removeprefix("test_attention_")
        cases[name] = found[1]
        arrays |= {f"{name}.{key}": np.array(value) for key, value in found[0].items()}
    common.save("onnx_attention", arrays, {"cases": cases, "onnx": onnx.__version__})


main()
