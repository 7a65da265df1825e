"""Times a peer, ropewalk and an in-place scale of the same bytes in turn, in one process.

Every sample is 20 ms of untimed calls, then a millisecond of timed ones. Rows of CSV go to stdout, one per entry: the
peer, ropewalk with rows shared by the layers of a step, ropewalk_on_the_fly, which makes them in the call. vs_scale
and peer_over_ropewalk are ratios of medians; the latter is to the first ropewalk.
"""

import argparse
import csv
import ctypes
import datetime
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple


def absent(peer, why):
    """Names a peer that cannot be measured here, and ends: it is not an error."""
    print(f"absent: {peer}: {why}")
    sys.exit(0)


try:
    import numpy as np
except ImportError as error:
    absent(Path(sys.argv[0]).stem, error)

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("date commit cpu threads workload dtype pairing entry min_us median_us scale_median_us vs_scale "
           "peer_over_ropewalk of_peak arithmetic_us").split()  # fmt: skip
DTYPES = {"f32": 0, "bf16": 1, "f16": 2}
ROPE_THETA = 500000.0
WARM_UP, SAMPLE = 0.02, 0.001  # seconds at least, or one call where it takes longer
INT, REAL, POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


class Workload(NamedTuple):
    name: str
    batch: int = 1
    seq: int = 1
    q_heads: int = 32
    k_heads: int = 8
    head_dim: int = 128
    rotary_dim: int = 128
    random_positions: bool = False

    @property
    def heads(self):
        return self.q_heads + self.k_heads

    def positions(self):
        """Position ids [batch, seq]."""
        shape = (self.batch, self.seq)
        if self.random_positions:
            return np.random.default_rng(1).integers(0, 8192, shape, np.int64)
        return np.broadcast_to(np.arange(self.seq, dtype=np.int64) + (777 if self.seq == 1 else 0), shape).copy()

    def angles(self):
        """Float64 angles [batch, seq, rotary_dim / 2]."""
        exponents = np.arange(self.rotary_dim // 2) * 2.0 / self.rotary_dim
        inv_freq = (1 / ROPE_THETA**exponents).astype(np.float32)
        return self.positions()[..., None] * inv_freq.astype(np.float64)


DECODE = Workload("decode_1")
BATCH = Workload("decode_64", batch=64, random_positions=True)
PREFILL = Workload("prefill_4096", seq=4096)
LONG = Workload("prefill_32768", seq=32768)
PARTIAL = Workload("partial_16_of_64", seq=4096, q_heads=16, k_heads=16, head_dim=64, rotary_dim=16)


class BenchRope(ctypes.Structure):
    """As in bench/bench_library.cc."""

    _fields_ = (
        [(name, POINTER) for name in ("q", "k", "position_ids")]
        + [(name, INT) for name in "first batch seq q_heads k_heads head_dim rotary_dim".split()]
        + [("rope_theta", REAL)]
        + [(name, ctypes.c_int32) for name in "dtype interleaved head_major shared_rows threads".split()]
    )


class BenchAttend(ctypes.Structure):
    """As in bench/bench_library.cc."""

    _fields_ = (
        [(name, POINTER) for name in ("q", "k", "v", "out")]
        + [(name, INT) for name in "batch queries keys heads kv_heads head_dim".split()]
        + [(name, ctypes.c_int32) for name in "dtype rotated_here threads".split()]
    )


def load(name):
    folder = Path(os.environ.get("ROPEWALK_BENCH_DIR", ROOT / "build-bench"))
    try:
        library = ctypes.CDLL(str(folder / "bench" / f"lib{name}.so"))
    except OSError as error:
        sys.exit(f"{error}: script/bench builds it; ROPEWALK_BENCH_DIR names another folder than build-bench")
    if name == "ropewalk_bench":
        library.bench_scale.argtypes = [POINTER, INT, ctypes.c_int, ctypes.c_int, INT]
        library.bench_rope.argtypes = [ctypes.POINTER(BenchRope), INT]
        library.bench_cos_sin_rows.argtypes = [INT, INT, REAL, POINTER, INT]
        library.bench_attend.argtypes = [ctypes.POINTER(BenchAttend), INT]
        functions = library.bench_scale, library.bench_rope, library.bench_cos_sin_rows, library.bench_attend
        for function in functions:
            function.restype = REAL
    return library


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--long", action="store_true", help="32768 positions too: 671 MB of float32, some minutes")
    return parser.parse_args()


def aligned(array):
    """A copy that starts a page, as torch, onnxruntime and ggml align theirs to a line of the cache at least."""
    memory = np.empty(array.nbytes + 4096, np.uint8)
    start = -memory.ctypes.data % 4096
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[:] = array
    return copy


def values(workload, dtype):
    """q and k, adjacent in one buffer: [batch, seq, heads, head_dim] each, flat; bf16 as its 16 bits."""
    size = workload.batch * workload.seq * workload.heads * workload.head_dim
    return aligned(encoded(np.random.default_rng(0).random(size, np.float32) * 2 - 1, dtype))


def encoded(floats, dtype):
    if dtype == "bf16":
        bits = floats.view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return floats.astype(np.float16 if dtype == "f16" else np.float32)


def decoded(numbers, dtype):
    if dtype == "bf16":
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers.astype(np.float32)


def split(workload, buffer):
    """q and k of a flat buffer, as [batch, seq, heads, head_dim]."""
    sizes = workload.batch, workload.seq, -1, workload.head_dim
    middle = workload.batch * workload.seq * workload.q_heads * workload.head_dim
    return buffer[:middle].reshape(sizes), buffer[middle:].reshape(sizes)


def checked(seconds):
    if seconds < 0:
        sys.exit("ropewalk_bench refused the call")
    return seconds


def fill_a_sample(work):
    """How many calls make a sample, and how many samples warm up: none where one is long enough to do so itself."""
    repeats, seconds = 1, measured(lambda: work(1), 2)
    while seconds < SAMPLE:
        repeats *= 2
        seconds = measured(lambda: work(repeats), 1)
    return repeats, round(WARM_UP / seconds)


def interleave(entries, rounds, threads):
    """{name: [seconds of each round]} of works, each a function from a number of repeats to seconds per call."""
    plans = {name: fill_a_sample(work) for name, work in entries.items()}
    samples = {name: [] for name in entries}
    for _ in range(rounds):
        for name, work in entries.items():
            repeats, warm_ups = plans[name]
            if threads > 1:
                time.sleep(0.02)  # threads of the entry before still spin
            # With one call only, who comes after the peer would find other memory in the caches than who comes later.
            if warm_ups:
                work(repeats * warm_ups)
            samples[name].append(work(repeats))
    return samples


def measured(call, repeats):
    """Seconds per call of a Python function."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def commit_name():
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


def print_rows(samples, threads, workload, dtype, pairing):
    """The samples of "scale" and "ropewalk" are what the others stand beside."""
    scale, ours = statistics.median(samples["scale"]), statistics.median(samples["ropewalk"])
    start = [datetime.date.today().isoformat(), commit_name(), cpu_name(), threads, workload, dtype, pairing]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for name, seconds in samples.items():
        if name == "scale":
            continue
        median = statistics.median(seconds)
        times = [f"{1e6 * value:.4g}" for value in (min(seconds), median, scale)]
        writer.writerow(start + [name, *times, f"{median / scale:.3f}", f"{median / ours:.3f}", "", ""])
    sys.stdout.flush()


def ropewalk_works(library, workload, dtype, pairing, threads, buffer):
    """ropewalk's two entries and the scale, all on this buffer."""
    q, k = split(workload, buffer)
    ids = workload.positions()

    def rotation(shared_rows):
        call = BenchRope(
            q.ctypes.data, k.ctypes.data, ids.ctypes.data if workload.random_positions else None, int(ids[0, 0]),
            workload.batch, workload.seq, workload.q_heads, workload.k_heads, workload.head_dim, workload.rotary_dim,
            ROPE_THETA, DTYPES[dtype], pairing == "interleaved", 0, shared_rows, threads)  # fmt: skip
        call.kept = ids  # it holds only the address
        return lambda repeats: checked(library.bench_rope(call, repeats))

    def scale(repeats):
        return library.bench_scale(buffer.ctypes.data, buffer.nbytes, 8 * buffer.itemsize, threads, repeats)

    return {"ropewalk": rotation(1), "ropewalk_on_the_fly": rotation(0), "scale": scale}


def race(options, workload, dtype, pairing, peers, result):
    """Races peers, {name: work}, with ropewalk. result() rotates values(workload, dtype) once, as each peer does, and
    gives the flat outcome in float32: it must agree, or two different things would be timed."""
    library = load("ropewalk_bench")
    buffer = values(workload, dtype)
    ours = ropewalk_works(library, workload, dtype, pairing, options.threads, buffer)
    ours["ropewalk"](1)
    worst = float(np.abs(result() - decoded(buffer, dtype)).max())
    if not worst < {"f32": 0.01, "bf16": 0.04, "f16": 0.01}[dtype]:
        sys.exit(f"{workload.name} {dtype} {pairing}: {', '.join(peers)} and ropewalk differ by {worst}")
    samples = interleave({**peers, **ours}, options.rounds, options.threads)
    print_rows(samples, options.threads, workload.name, dtype, pairing)
