#!/usr/bin/env python3
"""The table of docs/attention.md, of one commit's rows in bench/results.csv: tools/attention_table.py [COMMIT] (the last one with attention)"""

import csv
import pathlib
import sys

PEERS = ("torch_sdpa", "onnxruntime_gqa", "ggml_flash")


def main():
    with open(pathlib.Path(__file__).resolve().parent.parent / "bench/results.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["workload"].startswith("attend_") and row["threads"] == "1"]
    commit = sys.argv[1] if len(sys.argv) > 1 else rows[-1]["commit"]
    rows = [row for row in rows if row["commit"] == commit]
    print(f"{rows[0]['cpu']}, one thread, {rows[0]['date']}, {commit}; medians\n")
    print("| workload | type | µs | of peak | rotated on the way in |", *(f"{peer} |" for peer in PEERS))
    print("|---|---|---|---|---|" + "---|" * len(PEERS))
    of_peak = {(row["workload"], row["dtype"]): row for row in rows if row["of_peak"]}
    beside = {(row["workload"], row["dtype"], row["entry"]): row["peer_over_ropewalk"] for row in rows if not row["of_peak"]}
    for workload, dtype in dict.fromkeys((row["workload"], row["dtype"]) for row in rows):
        own = of_peak.get((workload, dtype))
        ratios = [beside.get((workload, dtype, entry)) for entry in ("ropewalk_rotated", *PEERS)]
        print(f"| {workload} | {dtype} | {float(own['median_us']):.0f} | {100 * float(own['of_peak']):.0f} % |" if own else
              f"| {workload} | {dtype} | | |", *(f"{float(ratio):.2f} |" if ratio else " |" for ratio in ratios))


if __name__ == "__main__":
    main()
