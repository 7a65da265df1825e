"""What a decode step costs from Python beside C++: python bench/python_step.py

One token, q 32 x 128 and k 8 x 128, rows shared by the layers, in place. Medians of 1,000 calls each, in turns of 50, so that a busy
machine slows all alike. The first column is the library's own call, measured in C++; "import" is an empty call with the same
arrays: what Python and DLPack take before anything is rotated. torch and ml_dtypes are measured where they are installed.
"""

import statistics
import time

import numpy as np
import ropewalk
from ropewalk import _ropewalk

TURNS, CALLS = 20, 50


def times_of(call, q, k):
    times = []
    for _ in range(CALLS):
        begin = time.perf_counter_ns()
        call(q, k, layout="thd")
        times.append(time.perf_counter_ns() - begin)
    return times


def measure(rows, q, k):
    taken = {"C++": [], "Python": [], "import": []}
    for _ in range(TURNS):
        taken["C++"] += _ropewalk._time_rows(rows, q, k, layout="thd", calls=CALLS)
        taken["Python"] += times_of(rows.apply_, q, k)
        taken["import"] += times_of(lambda q, k, layout, rows=rows: _ropewalk._import_only(rows, q, k, layout=layout), q, k)
    return {name: statistics.median(each) for name, each in taken.items()}


def arrays():
    random = np.random.default_rng(1)
    q, k = (random.standard_normal((1, heads, 128)).astype(np.float32) for heads in (32, 8))
    yield "NumPy float32", q, k
    try:
        import ml_dtypes

        yield "NumPy bfloat16", q.astype(ml_dtypes.bfloat16), k.astype(ml_dtypes.bfloat16)
    except ImportError:
        pass
    try:
        import torch
    except ImportError:
        return
    yield "torch float32", torch.from_numpy(q), torch.from_numpy(k)
    yield "torch bfloat16", torch.from_numpy(q).bfloat16(), torch.from_numpy(k).bfloat16()


def main():
    rows = ropewalk.Rope(128, pairing="half_split", heads=32, kv_heads=8).rows(4095)
    print(f"{'nanoseconds':16} {'C++':>7} {'Python':>7} {'more':>7} {'import':>7}")
    for name, q, k in arrays():
        taken = measure(rows, q, k)
        # Each side reads the clock once a call.
        print(f"{name:16} {taken['C++']:7.0f} {taken['Python']:7.0f} {taken['Python'] - taken['C++']:7.0f} {taken['import']:7.0f}")


if __name__ == "__main__":
    main()
