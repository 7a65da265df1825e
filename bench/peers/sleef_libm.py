"""Rows of cos and sin, 65536 positions by 64 pairs: the C library's sincosf and SLEEF's vectors of u10, both of
float32 angles, beside ropewalk's, whose angles are exact. One thread. vs_scale: a scale of the table's bytes.
"""

import sys

import race
from race import np

ROWS, PAIRS = 65536, 64


def main():
    options = race.arguments(__doc__)
    library, peers = race.load("ropewalk_bench"), race.load("rows_peers")
    inv_freq = (1 / race.ROPE_THETA ** (np.arange(PAIRS) / PAIRS)).astype(np.float32)
    table = race.aligned(np.zeros((2, ROWS, PAIRS), np.float32))
    entries = {}
    for name in ("libm", "sleef"):
        function = getattr(peers, f"{name}_rows", None)
        if function is None:
            print("absent: sleef: libsleef-dev was not there when build-bench was configured")
            continue
        function.argtypes, function.restype = [race.INT] * 2 + [race.POINTER] * 2, None
        given = ROWS, PAIRS, inv_freq.ctypes.data, table.ctypes.data
        entries[f"{name}_sincosf"] = lambda n, call=function: race.measured(lambda: call(*given), n)
    entries["ropewalk"] = lambda n: race.checked(
        library.bench_cos_sin_rows(ROWS, PAIRS, race.ROPE_THETA, table.ctypes.data, n))  # fmt: skip
    outcomes = {}
    for name in entries:
        table.fill(np.nan)
        entries[name](1)
        outcomes[name] = table.copy()
    entries["scale"] = lambda n: library.bench_scale(table.ctypes.data, table.nbytes, 32, 1, n)
    worst = max(np.abs(outcome - outcomes["ropewalk"]).max() for outcome in outcomes.values())
    if not worst < 0.01:  # a float32 angle is off by up to 0.004 here
        sys.exit(f"rows differ by {worst}")
    race.print_rows(race.interleave(entries, options.rounds, 1), 1, f"rows_{ROWS}x{PAIRS}", "f32", "none")


if __name__ == "__main__":
    main()
