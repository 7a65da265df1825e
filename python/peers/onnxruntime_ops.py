"""onnxruntime's RotaryEmbedding (of ONNX and of com.microsoft) and GroupQueryAttention over a grid, beside ropewalk."""

import itertools

import numpy as np
import onnx
import onnxruntime
import ropewalk

from result import Suite

ROWS = 300
ROTATED = 4 * 2.0**-23  # of numbers up to 5: two products and a sum, which onnxruntime may fuse
ATTENDED = 5e-6  # scores up to some tens, with their roundings in the exponent
ATTENDED_HALF = 2e-3  # a step of numbers up to 4
HALF = 2.0**-10  # a step of float16
SCALINGS = {
    "default": None,
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 64},
}


def _session(op, domain, inputs, outputs, attributes):
    helper = onnx.helper
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in inputs.items() if array is not None}
    values = [helper.make_tensor_value_info(name, kind, [None] * inputs[name].ndim) for name, kind in types.items()]
    results = [helper.make_tensor_value_info(name, next(iter(types.values())), None) for name in outputs]
    names = [name if array is not None else "" for name, array in inputs.items()]
    graph = helper.make_graph([helper.make_node(op, names, outputs, domain=domain, **attributes)], "g", values, results)
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _run(op, domain, inputs, outputs, attributes):
    session = _session(op, domain, inputs, outputs, attributes)
    return session.run(outputs, {name: array for name, array in inputs.items() if array is not None})


def _tables(head_dim, rotary_dim, scaling, dtype):
    rope = ropewalk.Rope(head_dim, pairing="half_split", rotary_dim=rotary_dim, scaling=SCALINGS[scaling])
    return rope.cos_sin(range(ROWS), dtype=dtype)


def _random(seed, *shape, dtype="float32"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _rotary_cases(domain):
    grid = itertools.product((16, 64, 80, 128), (1.0, 0.5), (False, True), (4, 3), ((1, 1), (2, 7), (3, 33)), SCALINGS, ("ids", "rows"))
    for head_dim, part, interleaved, axes, (batch, tokens), scaling, where in grid:
        if domain == "com.microsoft" and where == "rows":
            where = "first"  # which has a first position in the place of a row for each token
        yield head_dim, int(head_dim * part), interleaved, axes, batch, tokens, scaling, where


def _rotary(domain, suites):
    heads = 4
    for head_dim, rotary_dim, interleaved, axes, batch, tokens, scaling, where in _rotary_cases(domain):
        case = f"head_dim {head_dim}, rotary_dim {rotary_dim}, interleaved {interleaved:d}, {axes} axes, {batch} x {tokens}, {scaling}, {where}"
        for dtype, suite in suites.items():
            cos, sin = _tables(head_dim, rotary_dim, scaling, dtype)
            shape = (batch, heads, tokens, head_dim) if axes == 4 else (batch, tokens, heads * head_dim)
            x = _random(len(suite.passed), *shape, dtype=dtype)
            ids = np.random.default_rng(1).integers(0, ROWS, (batch, tokens))
            if where == "first":
                given, ids = np.array([37]), np.broadcast_to(np.arange(37, 37 + tokens), (batch, tokens)).copy()
            else:
                given = ids
            attributes = dict(interleaved=int(interleaved))
            if axes == 3 or (domain == "com.microsoft" and rotary_dim < head_dim):
                attributes["num_heads"] = heads
            if rotary_dim < head_dim:
                attributes["rotary_embedding_dim"] = rotary_dim
            if domain == "com.microsoft":
                inputs = dict(x=x, ids=given, cos=cos, sin=sin)
            else:
                inputs = dict(x=x, cos=cos, sin=sin, ids=ids) if where == "ids" else dict(x=x, cos=cos[ids], sin=sin[ids])
            (theirs,) = _run("RotaryEmbedding", domain, inputs, ["y"], attributes)
            ours = ropewalk.rotary_embedding(
                x, *((cos[ids], sin[ids]) if where == "rows" else (cos, sin, ids)),
                interleaved=interleaved, rotary_embedding_dim=rotary_dim, num_heads=heads if axes == 3 else 0,
            )
            step = HALF if dtype == "float16" else 0
            suite.check(case, ours, theirs, rtol=step, atol=step or 5 * ROTATED)


def rotary(domain):
    name = f"onnxruntime's RotaryEmbedding of {domain or 'ONNX'}"
    suites = {"float32": Suite(f"{name}, float32", f"{5 * ROTATED:.2g}: roundings of numbers up to 5"),
              "float16": Suite(f"{name}, float16", "1 step of the type")}
    _rotary(domain, suites)
    return list(suites.values())


def _attention_cases():
    """(heads, kv heads, head_dim, tokens, past, what else)."""
    extras = ({}, {"rotary_interleaved": 1}, {"softcap": 5.0}, {"local_window_size": 4}, {"scale": 0.3}, {"sinks": 1})
    lengths = ((1, 0), (6, 0), (33, 0), (1, 10), (1, 200))
    for (heads, kv_heads), head_dim, (tokens, past), extra in itertools.product(((4, 4), (4, 2), (8, 1)), (16, 64, 128), lengths, extras):
        yield heads, kv_heads, head_dim, tokens, past, extra


def _by_heads(x, heads):
    return np.ascontiguousarray(x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2))


def _group_query(suite, keys_suite, dtype, what):
    heads, kv_heads, head_dim, tokens, past, extra = what
    shown = "".join(f", {name} {value:g}" for name, value in extra.items())
    case = f"{heads} and {kv_heads} heads, head_dim {head_dim}, {tokens} tokens after {past}{shown}"
    batch = 2
    cos, sin = _tables(head_dim, head_dim, "yarn", dtype)
    q = _random(1, batch, tokens, heads * head_dim, dtype=dtype)
    k, v = (_random(seed, batch, tokens, kv_heads * head_dim, dtype=dtype) for seed in (2, 3))
    old_k, old_v = (_random(seed, batch, kv_heads, past, head_dim, dtype=dtype) for seed in (4, 5))
    sinks = _random(6, heads, dtype=dtype) if "sinks" in extra else None
    attributes = {name: value for name, value in extra.items() if name != "sinks"}
    inputs = dict(q=q, k=k, v=v, old_k=old_k, old_v=old_v, lengths=np.full(batch, past + tokens - 1, np.int32),
                  total=np.array([past + tokens], np.int32), cos=cos, sin=sin)
    if sinks is not None:
        inputs |= dict(ids=None, bias=None, sinks=sinks)
    attributes |= dict(num_heads=heads, kv_num_heads=kv_heads, do_rotary=1)
    theirs, keys, _ = _run("GroupQueryAttention", "com.microsoft", inputs, ["y", "all_k", "all_v"], attributes)

    ids = np.broadcast_to(np.arange(past, past + tokens), (batch, tokens)).copy()
    turned = [ropewalk.rotary_embedding(_by_heads(x, count), cos, sin, ids, interleaved=bool(extra.get("rotary_interleaved")))
              for x, count in ((q, heads), (k, kv_heads))]
    all_k, all_v = np.concatenate((old_k, turned[1]), 2), np.concatenate((old_v, _by_heads(v, kv_heads)), 2)
    # local_window_size counts the query's own key.
    window = {"window_left": extra["local_window_size"] - 1} if "local_window_size" in extra else {}
    ours = ropewalk.attention(turned[0], all_k, all_v, layout="bhsd", causal=True, scale=extra.get("scale"),
                              softcap=extra.get("softcap"), sinks=None if sinks is None else sinks.astype(np.float32), **window)
    half = dtype == "float16"
    keys_suite.check(case, all_k, keys, atol=0 if half else 6 * ROTATED, rtol=HALF if half else 0)
    suite.check(case, ours.swapaxes(1, 2).reshape(theirs.shape), theirs, atol=ATTENDED_HALF if half else ATTENDED)


def group_query():
    name = "onnxruntime's GroupQueryAttention, do_rotary"
    found = []
    for dtype, attended, turned in (
        ("float32", f"{ATTENDED:g}", f"{6 * ROTATED:.2g}: roundings of numbers up to 6"),
        ("float16", f"{ATTENDED_HALF:g}: a step of numbers up to 4", "1 step of the type"),
    ):
        suite, keys = Suite(f"{name}, {dtype}, output", attended), Suite(f"{name}, {dtype}, turned keys", turned)
        for case in _attention_cases():
            _group_query(suite, keys, dtype, case)
        suite.exclude("quantized caches", "ropewalk.attention takes float32, bfloat16 and float16")
        found += [suite, keys]
    return found


def run():
    return [*rotary(""), *rotary("com.microsoft"), *group_query()]
