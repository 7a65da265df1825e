"""Attention by others beside ropewalk's: causal, 32 query heads and 8 key heads of 128 channels, the workloads attend_<S> and
attend_decode_<S> of ropewalk bench.

torch_sdpa: scaled_dot_product_attention, grouped heads by enable_gqa. onnxruntime_gqa: com.microsoft GroupQueryAttention with
do_rotary, which also copies keys and values to its outputs, beside ropewalk_rotated, which turns q and k on the way in.
ggml_flash: ggml_flash_attn_ext by the library in pywhispercpp, or those in the folder GGML_LIBRARIES.
Who is not installed is named and left out. The column of the scale is the time in which the bytes of k and v are touched in
place. --long: 8192 tokens, and 16384 keys.
"""

import ctypes
import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

import race
from race import np

HEADS, KV_HEADS, DIM = 32, 8, 128


class Case(NamedTuple):
    name: str
    queries: int
    keys: int

    def shape(self, part):
        return (1, self.queries, HEADS, DIM) if part == "q" else (1, self.keys, KV_HEADS, DIM)


CASES = [Case("attend_512", 512, 512), Case("attend_2048", 2048, 2048), Case("attend_decode_1024", 1, 1024)]
LONG = [Case("attend_8192", 8192, 8192), Case("attend_decode_16384", 1, 16384)]


def arrays(case, dtype):
    """q, k, v of [1, tokens, heads, dim] as numbers of dtype, bf16 as its 16 bits."""
    random = np.random.default_rng(0)
    return [
        race.aligned(race.encoded(random.random(case.shape(part), np.float32) * 2 - 1, dtype)) for part in ("q", "k", "v")
    ]


def torch_sdpa(case, dtype, parts, threads):
    """A function that computes, and one that gives its output as [queries, heads, dim]."""
    import torch

    torch.set_num_threads(threads)
    types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
    q, k, v = (torch.from_numpy(race.decoded(part, dtype)).to(types[dtype]).transpose(1, 2).contiguous() for part in parts)
    outputs = []

    def compute():
        with torch.inference_mode():
            outputs[:] = [
                torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=case.queries > 1, enable_gqa=True)
            ]  # fmt: skip

    return compute, lambda: outputs[0][0].transpose(0, 1).float().numpy()


def onnxruntime_gqa(case, dtype, parts, threads):
    """Keys but the last `queries` are the operator's past; cos and sin as ropewalk makes them."""
    import onnxruntime
    from onnx import TensorProto, helper

    if dtype == "bf16":
        raise ImportError("GroupQueryAttention of bf16 on a CPU")
    kind = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}[dtype]
    past = case.keys - case.queries
    angles = np.arange(case.keys)[:, None] * (1 / race.ROPE_THETA ** (np.arange(DIM // 2) * 2.0 / DIM)).astype(np.float32)
    q, k, v = parts
    new = {"q": q, "k": k[:, past:], "v": v[:, past:]}
    flat = {name: np.ascontiguousarray(x).reshape(1, case.queries, -1) for name, x in new.items()}
    turned = race.decoded(k[:, :past], dtype)  # the past is rotated
    cos, sin = np.cos(angles[:past])[None, :, None], np.sin(angles[:past])[None, :, None]
    low, high = turned[..., : DIM // 2], turned[..., DIM // 2 :]
    turned = np.concatenate([low * cos - high * sin, high * cos + low * sin], -1)
    feeds = {
        **flat,
        "past_k": np.ascontiguousarray(turned.transpose(0, 2, 1, 3)).astype(k.dtype),
        "past_v": np.ascontiguousarray(v[:, :past].transpose(0, 2, 1, 3)),
        "seqlens_k": np.array([case.keys - 1], np.int32),
        "total": np.array(case.keys, np.int32),
        "cos": np.cos(angles).astype(k.dtype),
        "sin": np.sin(angles).astype(k.dtype),
    }
    kinds = {"seqlens_k": TensorProto.INT32, "total": TensorProto.INT32}
    inputs = [helper.make_tensor_value_info(name, kinds.get(name, kind), x.shape) for name, x in feeds.items()]
    node = helper.make_node(
        "GroupQueryAttention", list(feeds), ["out", "present_k", "present_v"], domain="com.microsoft", num_heads=HEADS,
        kv_num_heads=KV_HEADS, do_rotary=1,
    )  # fmt: skip
    present = [1, KV_HEADS, case.keys, DIM]
    outputs = [
        helper.make_tensor_value_info(name, kind, shape)
        for name, shape in (("out", [1, case.queries, HEADS * DIM]), ("present_k", present), ("present_v", present))
    ]
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph([node], "gqa", inputs, outputs), opset_imports=imports, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, x in feeds.items():
        binding.bind_cpu_input(name, x)
    for name in ("out", "present_k", "present_v"):
        binding.bind_output(name)

    def result():
        return binding.copy_outputs_to_cpu()[0].reshape(case.queries, HEADS, DIM).astype(np.float32)

    return lambda: session.run_with_iobinding(binding), result


class InitParams(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("buffer", race.POINTER), ("no_alloc", ctypes.c_bool)]


class Plan(ctypes.Structure):
    """ggml_cplan, with room for what newer versions add."""

    _fields_ = [
        ("work_size", ctypes.c_size_t),
        ("work_data", race.POINTER),
        ("threads", ctypes.c_int),
        ("rest", ctypes.c_char * 100),
    ]


def ggml_library():
    folder = os.environ.get("GGML_LIBRARIES")
    package = importlib.util.find_spec("pywhispercpp")
    if folder is None and package is None:
        raise ImportError("no module named pywhispercpp, and GGML_LIBRARIES names no folder")
    folder = Path(folder) if folder else Path(package.origin).parent.parent / "pywhispercpp.libs"
    found = sorted(folder.glob("libggml-cpu*.so*"))
    if not found:
        raise ImportError(f"no libggml-cpu in {folder}")
    ggml = ctypes.CDLL(str(found[0]))
    pointer, dimension, real = race.POINTER, ctypes.c_int64, ctypes.c_float
    signatures = {
        "ggml_init": (pointer, [InitParams]),
        "ggml_free": (None, [pointer]),
        "ggml_cpu_init": (None, []),
        "ggml_new_tensor_4d": (pointer, [pointer, ctypes.c_int] + [dimension] * 4),
        "ggml_get_data": (pointer, [pointer]),
        "ggml_flash_attn_ext": (pointer, [pointer] * 5 + [real] * 3),
        "ggml_new_graph": (pointer, [pointer]),
        "ggml_build_forward_expand": (None, [pointer, pointer]),
        "ggml_graph_plan": (Plan, [pointer, ctypes.c_int, pointer]),
        "ggml_graph_compute": (ctypes.c_int, [pointer, ctypes.POINTER(Plan)]),
    }
    for name, (result, parameters) in signatures.items():
        getattr(ggml, name).restype, getattr(ggml, name).argtypes = result, parameters
    ggml.ggml_cpu_init()
    return ggml


def ggml_flash(case, dtype, parts, threads):
    """q and the output are float32, as llama.cpp has them; k and v of dtype."""
    ggml, kinds = ggml_library(), {"f32": 0, "f16": 1, "bf16": 30}
    q, k, v = parts
    out_bytes = case.queries * HEADS * DIM * 4
    mask = np.where(np.arange(case.keys)[None] > np.arange(case.queries)[:, None] + case.keys - case.queries, -np.inf, 0)
    mask = np.concatenate([mask, np.full((-case.queries % 64, case.keys), -np.inf)]).astype(np.float16)
    size = 2 * out_bytes + k.nbytes + v.nbytes + mask.nbytes + (1 << 22)
    context = ggml.ggml_init(InitParams(size, None, False))

    def tensor(kind, shape, numbers):
        made = ggml.ggml_new_tensor_4d(context, kind, *shape)
        memory = (ctypes.c_byte * numbers.nbytes).from_address(ggml.ggml_get_data(made))
        np.ctypeslib.as_array(memory).view(numbers.dtype)[:] = numbers.ravel()
        return made

    def heads_first(x):
        return np.ascontiguousarray(x.transpose(0, 2, 1, 3))

    of_q = tensor(0, (DIM, case.queries, HEADS, 1), heads_first(race.decoded(q, dtype)))
    of_k, of_v = (tensor(kinds[dtype], (DIM, case.keys, KV_HEADS, 1), heads_first(x)) for x in (k, v))
    of_mask = tensor(1, (case.keys, len(mask), 1, 1), mask)
    out = ggml.ggml_flash_attn_ext(context, of_q, of_k, of_v, of_mask, DIM**-0.5, 0, 0)  # [dim, heads, queries]
    graph = ggml.ggml_new_graph(context)
    ggml.ggml_build_forward_expand(graph, out)
    plan = ggml.ggml_graph_plan(graph, threads, None)
    work = ctypes.create_string_buffer(max(1, plan.work_size))
    plan.work_data = ctypes.addressof(work)

    def result():
        memory = (ctypes.c_byte * out_bytes).from_address(ggml.ggml_get_data(out))
        return np.ctypeslib.as_array(memory).view(np.float32).reshape(case.queries, HEADS, DIM).copy()

    def compute(kept=work):
        ggml.ggml_graph_compute(graph, ctypes.byref(plan))

    return compute, result


PEERS = {"torch_sdpa": torch_sdpa, "onnxruntime_gqa": onnxruntime_gqa, "ggml_flash": ggml_flash}


def run(library, options, case, dtype):
    parts = arrays(case, dtype)
    ours = {}

    def attend(rotated_here):
        out = race.aligned(np.empty((case.queries, HEADS, DIM), np.float32))
        call = race.BenchAttend(
            *(part.ctypes.data for part in parts), out.ctypes.data, 1, case.queries, case.keys, HEADS, KV_HEADS, DIM,
            race.DTYPES[dtype], rotated_here, options.threads)  # fmt: skip
        call.kept = parts
        ours[rotated_here] = out
        return lambda repeats: race.checked(library.bench_attend(call, repeats))

    _, k, v = parts
    memory = race.aligned(np.concatenate([k.ravel(), v.ravel()]))
    works = {
        "ropewalk": attend(0),
        "ropewalk_rotated": attend(1),
        "scale": lambda repeats: library.bench_scale(
            memory.ctypes.data, memory.nbytes, 8 * memory.itemsize, options.threads, repeats),
    }  # fmt: skip
    works["ropewalk"](1), works["ropewalk_rotated"](1)
    for name, peer in PEERS.items():
        try:
            compute, result = peer(case, dtype, parts, options.threads)
        except ImportError as error:
            print(f"absent: {name}: {error}")
            continue
        compute()
        worst = float(np.abs(result() - ours[name == "onnxruntime_gqa"]).max())
        if not worst < {"f32": 0.005, "bf16": 0.03, "f16": 0.01}[dtype]:
            race.sys.exit(f"{case.name} {dtype}: {name} and ropewalk differ by {worst}")
        works[name] = lambda repeats, compute=compute: race.measured(compute, repeats)
    samples = race.interleave(works, options.rounds, options.threads)
    race.print_rows(samples, options.threads, case.name, dtype, "")


def main():
    options = race.arguments(__doc__)
    library = race.load("ropewalk_bench")
    for case in CASES + (LONG if options.long else []):
        for dtype in ("f32", "bf16", "f16"):
            run(library, options, case, dtype)


if __name__ == "__main__":
    main()
