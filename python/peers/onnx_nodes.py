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


def _key_mask(mask, shape):
    """What attn_mask says as a mask of keys, [batch, keys], or None where it says more than which keys are hidden."""
    batch, heads, queries, keys = shape
    if mask.dtype != bool:
        if not ((mask == 0) | (mask == -np.inf)).all():
            return None
        mask = mask == 0
    if mask.shape[-1] < keys:  # the keys beyond the mask are padding
        mask = np.concatenate((mask, np.zeros((*mask.shape[:-1], keys - mask.shape[-1]), bool)), -1)
    mask = np.broadcast_to(mask, shape)
    return mask[:, 0, 0] if (mask == mask[:, :1, :1]).all() else None


def _why_excluded(inputs, outputs, shape):
    if "qk_matmul_output" in outputs:
        return "asks for the scores too (qk_matmul_output), which ropewalk.attention never holds"
    if "attn_mask" in inputs and _key_mask(inputs["attn_mask"], shape) is None:
        return "attn_mask has a number or a bit for each query and key; ropewalk.attention takes a mask of keys (key_mask)"
    return None


def _heads_first(x, heads):
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def _until(x, end, axis):
    """The first `end` keys of an axis; where there are fewer, zeros after them, which the mask hides."""
    missing = end - x.shape[axis]
    if missing <= 0:
        return np.ascontiguousarray(np.take(x, range(end), axis))
    return np.pad(x, [(0, missing if i == axis else 0) for i in range(x.ndim)])


def _attend(q, k, v, mask, attributes, offset, length):
    """One sequence: the first `length` keys are there, query i is token offset + i."""
    causal = bool(attributes.get("is_causal", 0))
    windows = {
        ours: attributes[theirs]
        for ours, theirs in (("window_left", "left_window_size"), ("window_right", "right_window_size"))
        if attributes.get(theirs, -1) >= 0
    }
    k, v, mask = k[:, :, :length], v[:, :, :length], None if mask is None else mask[:, :length]
    if causal or windows:  # ropewalk's queries are the last of the keys; ONNX's may end before or after them
        end = offset + q.shape[2]
        if offset < 0 or (windows and not causal and end < length):
            raise NotImplementedError
        mask = np.ones(k.shape[:3:2], bool) if mask is None else mask
        k, v, mask = (_until(x, end, axis) for x, axis in ((k, 2), (v, 2), (mask, 1)))
    return ropewalk.attention(
        q,
        k,
        v,
        layout="bhsd",
        causal=causal,
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap") or None,
        key_mask=mask,
        **windows,
    )


def _attention_case(suite, name, attributes, inputs, outputs):
    q = _heads_first(inputs["Q"], attributes.get("q_num_heads"))
    k, v = (_heads_first(inputs[x], attributes.get("kv_num_heads")) for x in "KV")
    past = inputs["past_key"].shape[2] if "past_key" in inputs else 0
    if past:  # the cache is the caller's
        k, v = (np.concatenate((inputs[old], new), 2) for old, new in (("past_key", k), ("past_value", v)))
    shape = (*q.shape[:3], k.shape[2])
    why = _why_excluded(inputs, outputs, shape)
    if why:
        suite.exclude(name, why)
        return
    mask = _key_mask(inputs["attn_mask"], shape) if "attn_mask" in inputs else None
    lengths = inputs.get("nonpad_kv_seqlen")
    rows = []
    for i in range(len(q)):
        length = shape[3] if lengths is None else int(lengths[i])
        offset = past if lengths is None else length - shape[2]
        one = slice(i, i + 1)
        try:
            rows.append(_attend(q[one], k[one], v[one], None if mask is None else mask[one], attributes, offset, length))
        except NotImplementedError:
            suite.exclude(name, "its first queries come before the first key; ropewalk.attention's queries are the last of the keys")
            return
    ours = np.concatenate(rows)
    if inputs["Q"].ndim == 3:
        ours = ours.swapaxes(1, 2).reshape(outputs["Y"].shape)
    _check(suite, name, ours, outputs["Y"])


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
