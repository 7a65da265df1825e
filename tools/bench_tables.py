#!/usr/bin/env python3
"""The tables of docs/attention.md and docs/speed.md, of one commit's rows in bench/results.csv:
tools/bench_tables.py attention|rotation|peers [COMMIT] (the last one that has such rows)

Rows of `ropewalk bench` come first; the rows of other software, and of ropewalk beside it in the same process, follow.
"""

import csv
import pathlib
import sys

ATTENTION_PEERS = ("torch_sdpa", "onnxruntime_gqa", "ggml_flash")
ROTATION_PEERS = ("decode_1", "decode_64", "prefill_4096", "partial_16_of_64")


def is_attention(row):
    return row["workload"].startswith("attend_")


def by(rows, *names):
    """The first row of each value of these columns, in order of appearance."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), row)
    return found


def head(*titles):
    print("|", *(f"{title} |" for title in titles))
    print("|" + "---|" * len(titles))


def microseconds(value):
    return f"{float(value):.0f}" if float(value) >= 1000 else f"{float(value):.4g}"


def attention(rows):
    """With more threads the yardsticks of so short a time may be late, so that one thread alone stands beside them."""
    alone = by((row for row in rows if row["threads"] == "1" and row["of_peak"]), "workload", "dtype")
    for threads in dict.fromkeys(row["threads"] for row in rows):
        own = by((row for row in rows if row["threads"] == threads and row["of_peak"]), "workload", "dtype")
        beside = by(
            (row for row in rows if row["threads"] == threads and not row["of_peak"]), "workload", "dtype", "entry"
        )
        print(f"\nThreads: {threads}\n")
        limits = ("arithmetic µs", "reading k and v µs", "of peak") if threads == "1" else ("of one thread's time",)
        head("workload", "type", "µs", *limits, "rotated on the way in", *ATTENTION_PEERS)
        for key in dict.fromkeys([*own, *(key[:2] for key in beside)]):
            row, one = own.get(key), alone.get(key)
            ratios = [beside.get((*key, entry)) for entry in ("ropewalk_rotated", *ATTENTION_PEERS)]
            names = ("median_us", "arithmetic_us", "scale_median_us") if threads == "1" else ("median_us",)
            cells = [f"{microseconds(row[name])} |" if row and row[name] else "|" for name in names]
            if threads == "1":
                cells.append(f"{100 * float(row['of_peak']):.0f} % |" if row else "|")
            else:
                cells.append(f"{float(row['median_us']) / float(one['median_us']):.2f} |" if row and one else "|")
            print("|", *(f"{part} |" for part in key), *cells,
                  *(f"{float(ratio['peer_over_ropewalk']):.2f} |" if ratio else "|" for ratio in ratios))  # fmt: skip


def rotation(rows):
    own = by(rows, "workload", "dtype", "pairing", "threads")
    print()
    head("workload", "type", "pairing", "µs, 1 thread (least)", "of memory", "µs, 2 threads", "of memory")
    for key in dict.fromkeys(key[:3] for key in own):
        cells = []
        for threads in ("1", "2"):
            row = own.get((*key, threads))
            least = f" ({microseconds(row['min_us'])})" if row and threads == "1" else ""
            cells += [f"{microseconds(row['median_us'])}{least} |", f"{1 / float(row['vs_scale']):.2f} |"] if row else ["|", "|"]
        print("|", *(f"{part} |" for part in key), *cells)


def peers(rows):
    ratios = by(rows, "threads", "entry", "dtype", "pairing", "workload")
    for threads in dict.fromkeys(key[0] for key in ratios):
        print(f"\nThreads: {threads}\n")
        head("peer", "type", "pairing", *ROTATION_PEERS)
        for key in dict.fromkeys(key[1:4] for key in ratios if key[0] == threads and key[4] in ROTATION_PEERS):
            cells = [ratios.get((threads, *key, workload)) for workload in ROTATION_PEERS]
            print("|", *(f"{part} |" for part in key),
                  *(f"{float(cell['peer_over_ropewalk']):.1f} |" if cell else "|" for cell in cells))  # fmt: skip


TABLES = {
    "attention": (attention, is_attention),
    "rotation": (rotation, lambda row: not is_attention(row) and row["entry"] == "ropewalk"),
    "peers": (peers, lambda row: not is_attention(row) and not row["entry"].startswith("ropewalk")),
}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in TABLES:
        sys.exit(__doc__)
    table, belongs = TABLES[sys.argv[1]]
    with open(pathlib.Path(__file__).resolve().parent.parent / "bench/results.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if belongs(row)]
    commit = sys.argv[2] if len(sys.argv) > 2 else rows[-1]["commit"]
    rows = [row for row in rows if row["commit"] == commit]
    if not rows:
        sys.exit(f"bench/results.csv: expected rows of commit {commit}, found none")
    print(f"{rows[0]['cpu']}, {rows[0]['date']}, {commit}; medians")
    table(rows)


if __name__ == "__main__":
    main()
