"""ggml's rope, built from the sdist of llama-cpp-python into build/peers-ggml, and called through ctypes."""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

PIN = "llama-cpp-python==0.3.36"
INSIDE = "vendor/llama.cpp/"
KEPT = ("ggml/", "tests/test-backend-ops.cpp")  # what is taken out of the sdist, below INSIDE
BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "peers-ggml"
# No processor's own instructions, no threads, -O1: 40 seconds of one core.
OPTIONS = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DBUILD_SHARED_LIBS=ON",
           "-DGGML_NATIVE=OFF", "-DGGML_OPENMP=OFF", "-DGGML_LLAMAFILE=OFF", "-DGGML_CPU_REPACK=OFF", "-DGGML_BUILD_TESTS=OFF",
           "-DGGML_BUILD_EXAMPLES=OFF")
MODES = {"normal": 0, "neox": 2, "mrope": 8, "vision": 24, "imrope": 40}
TYPES = {"f32": (0, np.float32), "f16": (1, np.float16), "i32": (26, np.int32)}


def _fetch():
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, "-d", folder, PIN], check=True)
        (sdist,) = pathlib.Path(folder).glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            for member in archive:
                name = member.name.partition(INSIDE)[2]
                if name.startswith(KEPT) and member.isfile():
                    path = BUILT / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with archive.extractfile(member) as source, path.open("wb") as target:
                        shutil.copyfileobj(source, target)
    (BUILT / "ggml" / "ggml.pc.in").touch()  # its CMakeLists.txt reads it, the sdist has none


def built():
    """The folder of the sources and the build, made where it is missing."""
    stamp = BUILT / "built"
    if not stamp.exists() or stamp.read_text() != PIN:
        print(f"script/peers: ggml out of {PIN} into {BUILT.name}", file=sys.stderr)
        shutil.rmtree(BUILT, ignore_errors=True)
        BUILT.mkdir(parents=True)
        _fetch()
        quiet = dict(check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            subprocess.run(["cmake", "-G", "Ninja", "-S", BUILT / "ggml", "-B", BUILT / "b", *OPTIONS], **quiet)
            subprocess.run(["cmake", "--build", BUILT / "b", "--target", "ggml-cpu"], **quiet)
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"ggml does not build:\n{error.stdout[-3000:]}") from None
        stamp.write_text(PIN)
    return BUILT


class _Parameters(ctypes.Structure):
    _fields_ = (("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool))


def _declared(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


class Ggml:
    """rope(...) of the library that was built."""

    def __init__(self):
        libraries = built() / "b" / "src"
        base = ctypes.CDLL(str(libraries / "libggml-base.so"), ctypes.RTLD_GLOBAL)
        cpu = ctypes.CDLL(str(libraries / "libggml-cpu.so"))
        pointer, size, long, number, real = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int, ctypes.c_float
        self.init = _declared(base, "ggml_init", pointer, _Parameters)
        self.free = _declared(base, "ggml_free", None, pointer)
        self.new_tensor = _declared(base, "ggml_new_tensor", pointer, pointer, number, number, pointer)
        self.view = _declared(base, "ggml_view_4d", pointer, pointer, pointer, *[long] * 4, *[size] * 4)
        self.data = _declared(base, "ggml_get_data", pointer, pointer)
        self.new_graph = _declared(base, "ggml_new_graph", pointer, pointer)
        self.expand = _declared(base, "ggml_build_forward_expand", None, pointer, pointer)
        self.compute = _declared(cpu, "ggml_graph_compute_with_ctx", number, pointer, pointer, number)
        self.set_offset = _declared(base, "ggml_rope_set_offset", pointer, pointer, number)
        single, many = (pointer, *[pointer] * 3, number), (number, number, *[real] * 6)
        self.functions = {}
        for after in ("", "_inplace", "_back"):
            self.functions["ext" + after] = _declared(base, "ggml_rope_ext" + after, pointer, *single, *many)
            self.functions["multi" + after] = _declared(base, "ggml_rope_multi" + after, pointer, *single, pointer, *many)
        _declared(cpu, "ggml_cpu_init", None)()

    def _tensor(self, context, array):
        kind = next(number for number, dtype in TYPES.values() if dtype == array.dtype)
        shape = (ctypes.c_int64 * 4)(*array.shape[::-1])
        tensor = self.new_tensor(context, kind, array.ndim, shape)
        ctypes.memmove(self.data(tensor), np.ascontiguousarray(array).ctypes.data, array.nbytes)
        return tensor

    def rope(self, case, array, positions, factors):
        """The case's rope of case.view_of(array), [batch, seq, heads, head_dim], as a new array; in place: all of `array`."""
        context = self.init(_Parameters(4 * array.nbytes + (1 << 20), None, False))
        try:
            whole = a = self._tensor(context, array)
            seen = case.view_of(array)
            if seen is not array:
                start = seen.ctypes.data - array.ctypes.data
                a = self.view(context, whole, *seen.shape[::-1], *array.strides[2::-1], start)
            after = "_inplace" if case.inplace else "" if case.forward else "_back"
            common = (context, a, self._tensor(context, positions.reshape(-1).astype(np.int32)),
                      None if factors is None else self._tensor(context, factors), case.n_dims)
            rest = (MODES[case.mode], case.n_ctx_orig, case.base, case.fs, case.ef, case.af, case.beta_fast, case.beta_slow)
            if case.multi:
                out = self.functions["multi" + after](*common, (ctypes.c_int * 4)(*case.sections), *rest)
            else:
                out = self.functions["ext" + after](*common, *rest)
            if case.offset:
                out = self.set_offset(out, case.offset)
            graph = self.new_graph(context)
            self.expand(graph, out)
            if self.compute(context, graph, 1) != 0:
                raise RuntimeError("ggml_graph_compute_with_ctx failed")
            result = np.empty_like(array if case.inplace else np.empty(seen.shape, array.dtype))
            ctypes.memmove(result.ctypes.data, self.data(whole if case.inplace else out), result.nbytes)
            return result
        finally:
            self.free(context)
