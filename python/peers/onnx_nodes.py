"""ONNX's backend node tests of RotaryEmbedding and Attention, as the onnx package generates them, beside ropewalk."""

import functools
import warnings

import numpy as np
import onnx
import ropewalk

from result import Suite

RTOL, ATOL = 1e-3, 1e-7  # of onnx.backend.test's own runner
# ONNX's expected outputs in half precision are rounded after each step, ours once.
HALF = {"float16": 3 * 2.0**-11, "bfloat16": 3 * 2.0**-8}


@functools.cache
def _collected():
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for case in collect_testcases(None) if case.model is not None]


def _cases(op):
    """(name, attributes, inputs by name, outputs by name) of each node test of an operator; _expanded is the same test of its
    function body."""
    for case in _collected():
        node = case.model.graph.node[0]
        if node.op_type != op or case.name.endswith("_expanded"):
            continue
        inputs, outputs = case.data_sets[0]
        yield (
            case.name,
            {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute},
            dict(zip([name for name in node.input if name], map(np.asarray, inputs))),
            dict(zip([name for name in node.output if name], map(np.asarray, outputs))),
        )


def _check(suite, name, ours, theirs):
    step = HALF.get(theirs.dtype.name)
    suite.check(name, ours, theirs, rtol=step or RTOL, atol=step or ATOL)


def rotary_embedding():
    suite = Suite("ONNX node tests, RotaryEmbedding", f"{RTOL:g} relative + {ATOL:g}, ONNX's own")
    for name, attributes, inputs, outputs in _cases("RotaryEmbedding"):
        ours = ropewalk.rotary_embedding(
            inputs["input"],
            inputs["cos_cache"],
            inputs["sin_cache"],
            inputs.get("position_ids"),
            interleaved=bool(attributes.pop("interleaved", 0)),
            **attributes,
        )
        _check(suite, name, ours, outputs["output"])
    return suite


# Of qk_matmul_output_mode: what has been done to the scores.
QK_ONLY, QK_SOFTCAP, QK_MASKED, QK_SOFTMAX = range(4)


def _heads_first(x, heads):
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def _mask(mask, keys):
    """attn_mask with a column for each key: those beyond it are padding."""
    missing = keys - mask.shape[-1]
    hidden = False if mask.dtype == bool else -np.inf
    return np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=hidden) if missing > 0 else mask


def _keywords(attributes, mask, first):
    """What ropewalk.attention takes for the attributes of the node; query i is token first + i."""
    return dict(
        layout="bhsd",
        causal=bool(attributes.get("is_causal", 0)),
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap") or None,
        window_left=next((x for x in [attributes.get("left_window_size", -1)] if x >= 0), None),
        window_right=next((x for x in [attributes.get("right_window_size", -1)] if x >= 0), None),
        attn_mask=mask,
        query_tokens=first,
    )


def _scores(q, k, lse, mode, keywords):
    """qk_matmul_output of a mode."""
    if mode == QK_ONLY:
        return ropewalk.attention_scores(q, k, layout="bhsd", scale=keywords["scale"])
    if mode == QK_SOFTCAP:
        return ropewalk.attention_scores(q, k, layout="bhsd", scale=keywords["scale"], softcap=keywords["softcap"])
    scores = ropewalk.attention_scores(q, k, **keywords)
    if mode == QK_MASKED:
        return scores
    return np.exp(scores - np.where(np.isinf(lse), 0, lse)[..., None])


def _attention_case(suite, name, attributes, inputs, outputs):
    q = _heads_first(inputs["Q"], attributes.get("q_num_heads"))
    k, v = (_heads_first(inputs[x], attributes.get("kv_num_heads")) for x in "KV")
    past = inputs["past_key"].shape[2] if "past_key" in inputs else 0
    if past:  # the cache is the caller's
        k, v = (np.concatenate((inputs[old], new), 2) for old, new in (("past_key", k), ("past_value", v)))
    lengths = inputs.get("nonpad_kv_seqlen")
    mask = _mask(inputs["attn_mask"], k.shape[2]) if "attn_mask" in inputs else None
    rows, scores = [], []
    for i in range(len(q)):  # each sequence has queries of its own tokens
        length = k.shape[2] if lengths is None else int(lengths[i])
        first = past if lengths is None else length - q.shape[2]
        one = slice(i, i + 1)
        keywords = _keywords(attributes, mask[one] if mask is not None and mask.ndim == 4 and len(mask) > 1 else mask, first)
        if lengths is not None:
            keywords["key_lengths"] = [length]
        row, lse = ropewalk.attention(q[one], k[one], v[one], return_lse=True, **keywords)
        rows.append(row)
        if "qk_matmul_output" in outputs:
            scores.append(_scores(q[one], k[one], lse, attributes.get("qk_matmul_output_mode", QK_ONLY), keywords))
    ours = np.concatenate(rows)
    if inputs["Q"].ndim == 3:
        ours = ours.swapaxes(1, 2).reshape(outputs["Y"].shape)
    if scores and not _near(np.concatenate(scores), outputs["qk_matmul_output"]):
        suite.fail(name, "qk_matmul_output differs")
        return
    _check(suite, name, ours, outputs["Y"])


def _near(ours, theirs):
    step = HALF.get(theirs.dtype.name)
    theirs = theirs.astype(np.float64)
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=step or RTOL, atol=step or ATOL)


def attention():
    single = Suite("ONNX node tests, Attention, float32", f"{RTOL:g} relative + {ATOL:g}, ONNX's own")
    half = Suite("ONNX node tests, Attention, float16 and bfloat16", "3 roundings of the type: ONNX rounds after each step")
    for name, attributes, inputs, outputs in _cases("Attention"):
        suite = half if inputs["Q"].dtype.name in HALF else single
        try:
            _attention_case(suite, name, attributes, inputs, outputs)
        except ropewalk.Error as error:
            suite.fail(name, str(error))
    return [single, half]


def run():
    return [rotary_embedding(), *attention()]
