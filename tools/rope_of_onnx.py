"""Rotations by onnxruntime's RotaryEmbedding (ONNX, opset 23), for tools/diagnose_implementations.py: onnx and onnxruntime are needed."""

import functools

import numpy as np

_TYPES = {"f32": np.float32, "f16": np.float16}
DTYPES = tuple(_TYPES)

# file, head_dim, channels that turn, base, interleaved
MODELS = {
    "llama-3-8b": (128, 128, 5e5, 0), "qwen2-7b": (128, 128, 1e6, 0), "gpt-neox-20b": (96, 24, 1e4, 0), "phi-2": (80, 32, 1e4, 0),
    "stablelm-2-1.6b": (64, 16, 1e4, 0), "tinyllama-1.1b": (64, 64, 1e4, 0), "gemma-2b": (256, 256, 1e4, 0),
    "command-r7b": (128, 128, 5e4, 1), "chatglm2-6b": (128, 64, 1e4, 1), "gpt-j-6b": (256, 64, 1e4, 1),
}

# what is done wrong: a change of (head, dims, base, interleaved), of ids, of the tables
WRONG = (
    ("interleaved of the other kind", lambda m: True, dict(flip=True), ("pairing",)),
    ("cache of base 20000", lambda m: True, dict(base=2e4), ("base",)),
    ("cache in f16", lambda m: True, dict(table=np.float16), ("angle_precision",)),
    ("position_ids from 1", lambda m: True, dict(shift=1), ("positions",)),
    ("position_ids end at the cache's row 40", lambda m: True, dict(end=40), ("positions",)),
    ("rotary_embedding_dim missing", lambda m: m[1] < m[0], dict(whole=True), ("window",)),
    ("sin and cos in each other's place", lambda m: True, dict(exchanged=True), ("exchange",)),
    ("the node twice", lambda m: True, dict(times=2), ("repetition",)),
)


@functools.lru_cache(maxsize=None)
def _session(dtype, interleaved, dims):
    import onnxruntime
    from onnx import TensorProto, helper

    kind = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}[dtype]
    node = helper.make_node("RotaryEmbedding", ["x", "cos", "sin", "ids"], ["y"], interleaved=interleaved, rotary_embedding_dim=dims)
    values = [helper.make_tensor_value_info(name, kind, shape) for name, shape in (("x", [1, "h", "s", "d"]), ("cos", ["n", "p"]), ("sin", ["n", "p"]))]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "s"])
    graph = helper.make_graph([node], "g", values + [ids], [helper.make_tensor_value_info("y", kind, [1, "h", "s", "d"])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _turn(x, ids, head, dims, base, interleaved, dtype, change):
    numpy = _TYPES[dtype]
    w = (1.0 / change.get("base", base) ** (np.arange(0, dims, 2) / dims)).astype(np.float32)
    angle = np.arange(int(ids.max()) + 3, dtype=np.float32)[:, None] * w  # as an exporter computes it
    cos, sin = (f(angle).astype(change.get("table", numpy)).astype(numpy) for f in (np.cos, np.sin))
    if change.get("exchanged"):
        cos, sin = sin, cos
    used = np.minimum(ids + change.get("shift", 0), change.get("end", 1 << 30))
    session = _session(dtype, interleaved ^ bool(change.get("flip")), 0 if dims == head else dims)
    for _ in range(change.get("times", 1)):
        x = session.run(None, {"x": x, "cos": cos, "sin": sin, "ids": used[None]})[0]
    return x


def dump(_, rng, dtype, first, count, wrong=None, of=None):
    name = of or list(MODELS)[rng.integers(len(MODELS))]
    head, dims, base, interleaved = MODELS[name]
    change = wrong or {}
    x = rng.standard_normal((1, int(rng.choice([2, 4, 8])), count, head)).astype(_TYPES[dtype])
    ids = np.arange(first, first + count)
    y = _turn(x, ids, head, head if change.get("whole") else dims, base, interleaved, dtype, change)
    return dict(model=name, before=x, after=y, position_ids=ids, layout="bhsd")


def faults():
    for name, m in MODELS.items():
        for what, fits, change, expected in WRONG:
            if fits(m):
                yield what, name, change, expected
