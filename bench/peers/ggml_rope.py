"""ggml: ggml_rope_ext_inplace on q and k, by the C library in the wheel pywhispercpp, which carries all of ggml's CPU
code, as llama.cpp does. It makes cos and sin in each call. Small work is a chain of 40 layers in one graph, divided
by 40, so that starting the graph does not count.
"""

import ctypes
import importlib.util
from pathlib import Path

import race
from race import np

TYPES = {"f32": 0, "f16": 1}
GGML_TYPE_I32 = 26
MODES = {"interleaved": 0, "half_split": 2}  # "normal", "neox"
POINTER, INT, REAL = ctypes.c_void_p, ctypes.c_int, ctypes.c_float


class InitParams(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("buffer", POINTER), ("no_alloc", ctypes.c_bool)]


class Plan(ctypes.Structure):
    """ggml_cplan, with room for what newer versions add."""

    _fields_ = [("work_size", ctypes.c_size_t), ("work_data", POINTER), ("threads", INT), ("rest", ctypes.c_char * 100)]


def load():
    package = importlib.util.find_spec("pywhispercpp")
    if package is None:
        race.absent("ggml_rope", "no module named pywhispercpp")
    folder = Path(package.origin).parent.parent / "pywhispercpp.libs"
    found = sorted(folder.glob("libggml-cpu*.so*"))
    if not found:
        race.absent("ggml_rope", f"no libggml-cpu in {folder.name}")
    library = ctypes.CDLL(str(found[0]))  # finds its libggml-base
    dimension = ctypes.c_int64
    signatures = {
        "ggml_init": (POINTER, [InitParams]),
        "ggml_free": (None, [POINTER]),
        "ggml_cpu_init": (None, []),
        "ggml_new_tensor_1d": (POINTER, [POINTER, INT, dimension]),
        "ggml_new_tensor_3d": (POINTER, [POINTER, INT] + [dimension] * 3),
        "ggml_get_data": (POINTER, [POINTER]),
        "ggml_rope_ext_inplace": (POINTER, [POINTER] * 4 + [INT] * 3 + [REAL] * 6),
        "ggml_new_graph_custom": (POINTER, [POINTER, ctypes.c_size_t, ctypes.c_bool]),
        "ggml_build_forward_expand": (None, [POINTER, POINTER]),
        "ggml_graph_plan": (Plan, [POINTER, INT, POINTER]),
        "ggml_graph_compute": (INT, [POINTER, ctypes.POINTER(Plan)]),
    }
    for name, (result, arguments) in signatures.items():
        getattr(library, name).restype, getattr(library, name).argtypes = result, arguments
    library.ggml_cpu_init()
    return library


def memory_of(ggml, tensor, like):
    """The numbers of a tensor, flat."""
    memory = (ctypes.c_byte * like.nbytes).from_address(ggml.ggml_get_data(tensor))
    return np.ctypeslib.as_array(memory).view(like.dtype)


class Layers:
    """A graph that rotates q and k as many times as there are layers."""

    def __init__(self, ggml, workload, dtype, pairing, layers, threads):
        self.ggml, values = ggml, race.values(workload, dtype)
        tokens = workload.batch * workload.seq
        self.context = ggml.ggml_init(InitParams(values.nbytes + 8 * tokens + (1 << 20), None, False))
        ids = workload.positions().astype(np.int32).ravel()
        positions = ggml.ggml_new_tensor_1d(self.context, GGML_TYPE_I32, tokens)
        memory_of(ggml, positions, ids)[:] = ids
        graph = ggml.ggml_new_graph_custom(self.context, 2 * layers + 8, False)
        self.memory = []
        for part in race.split(workload, values):
            heads, head_dim = part.shape[-2:]
            tensor = ggml.ggml_new_tensor_3d(self.context, TYPES[dtype], head_dim, heads, tokens)
            self.memory.append(memory_of(ggml, tensor, part))
            for _ in range(layers):
                tensor = ggml.ggml_rope_ext_inplace(
                    self.context, tensor, positions, None, workload.rotary_dim, MODES[pairing], 0,
                    race.ROPE_THETA, 1, 0, 1, 32, 1)  # fmt: skip
            ggml.ggml_build_forward_expand(graph, tensor)
        self.graph, self.plan = graph, ggml.ggml_graph_plan(graph, threads, None)
        self.work = ctypes.create_string_buffer(max(1, self.plan.work_size))
        self.plan.work_data = ctypes.addressof(self.work)
        for memory, part in zip(self.memory, race.split(workload, values)):
            memory[:] = part.ravel()

    def compute(self):
        self.ggml.ggml_graph_compute(self.graph, ctypes.byref(self.plan))


def run(ggml, options, workload, dtype, pairing):
    layers = 40 if workload.seq == 1 else 1
    many = Layers(ggml, workload, dtype, pairing, layers, options.threads)
    one = many if layers == 1 else Layers(ggml, workload, dtype, pairing, 1, options.threads)

    def result():
        one.compute()
        return np.concatenate(one.memory).astype(np.float32)

    entry = f"ggml_{'neox' if pairing == 'half_split' else 'normal'}"
    work = {entry: lambda repeats: race.measured(many.compute, repeats) / layers}
    race.race(options, workload, dtype, pairing, work, result)
    for graph in {many, one}:
        ggml.ggml_free(graph.context)


def main():
    options = race.arguments(__doc__)
    ggml = load()
    for workload in [race.DECODE, race.BATCH, race.PREFILL, race.PARTIAL] + ([race.LONG] if options.long else []):
        for dtype in TYPES:
            for pairing in MODES:
                run(ggml, options, workload, dtype, pairing)


if __name__ == "__main__":
    main()
