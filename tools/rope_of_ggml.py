"""Rotations by ggml itself (llama.cpp's CPU backend), through ctypes: for tools/diagnose_implementations.py.

The folder of libggml-base.so and libggml-cpu.so is GGML_LIBRARIES. Each model is turned with the arguments that llama.cpp gives ggml_rope_ext
for it; `read` is the file that says so, a GGUF where llama.cpp's rows are not those of config.json.
"""

import ctypes
import math
import os
import pathlib

import numpy as np

NORMAL, NEOX, MROPE, IMROPE = 0, 2, 8, 40
_TYPES = {"f32": (0, np.float32), "f16": (1, np.float16)}
_I32 = 26
DTYPES = tuple(_TYPES)


def llama3_factors(factor, base, dim, original=8192):
    """rope_freqs.weight of a GGUF of Llama 3.1."""
    w = base ** (-np.arange(0, dim, 2) / dim)
    wavelength = 2 * math.pi / w
    smooth = (original / wavelength - 1) / 3
    middle = 1 / ((1 - smooth) / factor + smooth)
    return np.where(wavelength < original / 4, 1.0, np.where(wavelength > original, float(factor), middle)).astype(np.float32)


# file, head_dim, channels that turn, mode, base, and what else ggml is given
MODELS = {
    "llama-3-8b/model.gguf": dict(head=128, dims=128, mode=NORMAL, base=5e5),
    "llama-3.1-8b/model.gguf": dict(head=128, dims=128, mode=NORMAL, base=5e5, factors=llama3_factors(8, 5e5, 128)),
    "llama-3.2-1b/model.gguf": dict(head=64, dims=64, mode=NORMAL, base=5e5, factors=llama3_factors(32, 5e5, 64)),
    "qwen2-7b": dict(head=128, dims=128, mode=NEOX, base=1e6),
    "qwen2.5-7b-yarn": dict(head=128, dims=128, mode=NEOX, base=1e6, scale=1 / 4, ext=1.0, original=32768),
    "gpt-neox-20b": dict(head=96, dims=24, mode=NEOX, base=1e4),
    "phi-2": dict(head=80, dims=32, mode=NEOX, base=1e4),
    "gemma-2b": dict(head=256, dims=256, mode=NEOX, base=1e4),
    "command-r7b": dict(head=128, dims=128, mode=NORMAL, base=5e4),
    "chatglm2-6b": dict(head=128, dims=64, mode=NORMAL, base=1e4),
    "vicuna-7b-v1.5-16k/model.gguf": dict(head=128, dims=128, mode=NORMAL, base=1e4, scale=1 / 4),
    "qwen2-vl-7b": dict(head=128, dims=128, mode=MROPE, base=1e6, sections=(16, 24, 24, 0)),
    "qwen3-vl-8b": dict(head=128, dims=128, mode=IMROPE, base=5e6, sections=(24, 20, 20, 0)),
}

# what is done wrong, to which model it can be, its arguments, hypotheses that name it
WRONG = (
    ("the other mode", lambda m: m["mode"] in (NORMAL, NEOX), lambda m: dict(mode=NEOX - m["mode"]), ("pairing",)),
    ("freq_base 10000", lambda m: m["base"] != 1e4, lambda m: dict(base=1e4), ("base",)),
    ("freq_scale 1", lambda m: "scale" in m, lambda m: dict(scale=1.0, ext=0.0), ("scaling",)),
    ("freq_scale 1/4 that is not there", lambda m: "scale" not in m and "factors" not in m, lambda m: dict(scale=0.25), ("scaling",)),
    ("no rope_freqs", lambda m: "factors" in m, lambda m: dict(factors=None), ("scaling",)),
    ("n_dims of the whole head", lambda m: m["dims"] < m["head"], lambda m: dict(dims=m["head"]), ("window",)),
    ("attn_factor twice", lambda m: m.get("ext"), lambda m: dict(attn=1 + 0.1 * math.log(4)), ("amplitude",)),
    ("positions from 1", lambda m: "sections" not in m, lambda m: dict(shift=1), ("positions",)),
    ("one position for all axes", lambda m: "sections" in m, lambda m: dict(one_axis=True), ("axes",)),
    ("sections in blocks, not in turn", lambda m: m["mode"] == IMROPE, lambda m: dict(mode=MROPE), ("axes",)),
)


class _Parameters(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


class Ggml:
    def __init__(self):
        folder = pathlib.Path(os.environ["GGML_LIBRARIES"])
        self.base = ctypes.CDLL(str(folder / "libggml-base.so"), mode=ctypes.RTLD_GLOBAL)
        self.cpu = ctypes.CDLL(str(folder / "libggml-cpu.so"))
        for name in ("ggml_init", "ggml_new_tensor_4d", "ggml_rope_ext", "ggml_rope_multi", "ggml_new_graph", "ggml_get_data"):
            getattr(self.base, name).restype = ctypes.c_void_p
        self.base.ggml_init.argtypes = [_Parameters]
        self.base.ggml_new_tensor_4d.argtypes = [ctypes.c_void_p, ctypes.c_int] + [ctypes.c_int64] * 4
        tail = [ctypes.c_int, ctypes.c_int] + [ctypes.c_float] * 6
        self.base.ggml_rope_ext.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int] + tail
        self.base.ggml_rope_multi.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int, ctypes.POINTER(ctypes.c_int)] + tail
        for name in ("ggml_new_graph", "ggml_get_data", "ggml_free"):
            getattr(self.base, name).argtypes = [ctypes.c_void_p]
        self.base.ggml_build_forward_expand.argtypes = [ctypes.c_void_p] * 2
        self.cpu.ggml_graph_compute_with_ctx.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
        self.cpu.ggml_cpu_init()

    def _tensor(self, context, array, kind):
        shape = (array.shape[::-1] + (1, 1, 1))[:4]
        tensor = self.base.ggml_new_tensor_4d(context, kind, *shape)
        ctypes.memmove(self.base.ggml_get_data(tensor), array.ctypes.data, array.nbytes)
        return tensor

    def turn(self, x, positions, m, dtype):
        """x [1, tokens, heads, head_dim], positions [axes, tokens]."""
        context = self.base.ggml_init(_Parameters(64 << 20, None, False))
        try:
            kind, numpy = _TYPES[dtype]
            a = self._tensor(context, np.ascontiguousarray(x, numpy), kind)
            if "sections" in m:
                # ggml turns the pairs of IMROPE that are left over (61, 62 of Qwen3-VL) by a fourth axis, transformers by the first;
                # llama.cpp itself has 0 there, which diagnose does find.
                positions = np.concatenate([positions, positions[:1]])
            b = self._tensor(context, np.ascontiguousarray(positions.ravel(), np.int32), _I32)
            c = self._tensor(context, m["factors"], 0) if m.get("factors") is not None else None
            numbers = (m["mode"], m.get("original", 0), m["base"], m.get("scale", 1.0), m.get("ext", 0.0), m.get("attn", 1.0), 32.0, 1.0)
            if "sections" in m:
                out = self.base.ggml_rope_multi(context, a, b, c, m["dims"], (ctypes.c_int * 4)(*m["sections"]), *numbers)
            else:
                out = self.base.ggml_rope_ext(context, a, b, c, m["dims"], *numbers)
            graph = self.base.ggml_new_graph(context)
            self.base.ggml_build_forward_expand(graph, out)
            self.cpu.ggml_graph_compute_with_ctx(context, graph, 1)
            y = np.empty(x.shape, numpy)
            ctypes.memmove(y.ctypes.data, self.base.ggml_get_data(out), y.nbytes)
            return y
        finally:
            self.base.ggml_free(context)


def _positions(m, first, count):
    ids = np.arange(first, first + count)
    n = np.arange(count)  # a picture of eight columns
    return np.stack([ids, ids + n // 8 * 7, ids + n % 8 * 5]) if "sections" in m else ids[None]


def dump(ggml, rng, dtype, first, count, wrong=None, of=None):
    """A dict for diagnose_implementations.py: model, before, after, position_ids."""
    name = of or list(MODELS)[rng.integers(len(MODELS))]
    right = MODELS[name]
    m = right | (wrong(right) if wrong else {})
    positions = _positions(right, first, count)
    x = rng.standard_normal((1, count, int(rng.choice([2, 4, 8])), right["head"])).astype(_TYPES[dtype][1])
    used = np.stack([positions[0]] * 3) if m.get("one_axis") else positions + m.get("shift", 0)
    ids = positions[:, None] if len(positions) > 1 else positions[0]
    return dict(model=name, before=x, after=ggml.turn(x, used, m, dtype), position_ids=ids)


def faults():
    """Name, model, what is wrong, hypotheses."""
    for name, m in MODELS.items():
        for what, fits, change, expected in WRONG:
            if fits(m):
                yield what, name, change, expected
