#!/usr/bin/env python3
"""Times attention over ranks: tools/measure_ring.py ROPEWALK [TOKENS [ROUNDS]]

One rank of one thread, two ranks zigzag and two contiguous, in turn, on causal attention of 8 query and 2 key heads of 128
channels in float32; prints the table of docs/scale.md, what `ropewalk attend --plan` predicts beside it. The least of the rounds
counts, as other work on the machine only adds; processor time is the largest of a rank's in the round where that is least.
"""

import array
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HEADS, KV_HEADS, DIM = 8, 2, 128
CONFIG = {"model_type": "llama", "hidden_size": HEADS * DIM, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS,
          "num_hidden_layers": 1, "max_position_embeddings": 131072}
# As root, in a container, on a machine with fewer processors than ranks.
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_NUM_THREADS": "1"}
WAYS = (("1 rank, 1 thread", 1, "zigzag"), ("2 ranks, zigzag", 2, "zigzag"), ("2 ranks, contiguous", 2, "contiguous"))


def write_heads(path, tokens, heads, seed):
    """Numbers that repeat after a prime count of them."""
    chance = random.Random(seed)
    some = array.array("f", (chance.gauss(0, 1) for _ in range(65521))).tobytes()
    size = tokens * heads * DIM * 4
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({tokens}, {heads}, {DIM}), }}"
    header += " " * (127 - 10 - len(header)) + "\n"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        for _ in range(size // len(some)):
            file.write(some)
        file.write(some[:size % len(some)])


def run(command, folder):
    done = subprocess.run(command, cwd=folder, env=os.environ | SETTINGS, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measured(ropewalk, folder, ranks, order):
    launcher = [] if ranks == 1 else ["mpirun", "--bind-to", "none", "-n", str(ranks)]
    result = run([*launcher, ropewalk, "attend", "config.json", "--q", "q.npy", "--k", "k.npy", "--v", "v.npy", "-o", "out.npy",
                  "--force", "--order", order, "--json"], folder)
    return result["seconds"], max(rank["processor_seconds"] for rank in result["of_ranks"])


def planned(ropewalk, folder, tokens, ranks, order, rate):
    return run([ropewalk, "attend", "config.json", "--plan", str(ranks), "--tokens", str(tokens), "--order", order,
                "--rate", str(rate), "--link", "5", "--json"], folder)


def main():
    ropewalk = str(pathlib.Path(sys.argv[1]).resolve())
    tokens = int(sys.argv[2]) if len(sys.argv) > 2 else 8192
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        for seed, (name, heads) in enumerate((("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS))):
            write_heads(folder / f"{name}.npy", tokens, heads, seed)
        times = {way: [] for way in WAYS}
        for _ in range(rounds):
            for way in WAYS:
                times[way].append(measured(ropewalk, folder, *way[1:]))
        alone, alone_processor = (min(column) for column in zip(*times[WAYS[0]]))
        rate = 4 * DIM * HEADS * tokens * (tokens + 1) / 2 / alone_processor / 1e9
        print(f"{tokens} tokens, causal, {HEADS} and {KV_HEADS} heads of {DIM} channels, f32, least of {rounds} rounds; "
              f"{rate:.0f} GFLOP/s of processor time on one rank")
        print()
        print("| | s | times as fast | processor s of a rank | times as fast by it | predicted |")
        print("|---|---|---|---|---|---|")
        for way in WAYS:
            seconds, processor = (min(column) for column in zip(*times[way]))
            plan = planned(ropewalk, folder, tokens, *way[1:], rate)
            print(f"| {way[0]} | {seconds:.2f} | {alone / seconds:.2f} | {processor:.2f} | {alone_processor / processor:.2f} | "
                  f"{plan['one_rank_seconds'] / plan['seconds']:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
