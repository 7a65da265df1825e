#!/usr/bin/env python3
"""Faults put into rotations by NumPy, and what `ropewalk diagnose` says of them: tools/diagnose_corpus.py ROPEWALK [--quick]

Nothing here uses ropewalk to rotate: frequencies, pairs and roundings are written out below, from the models' own code. Each case is
a config.json, two arrays and the fault that made them. Prints the table of docs/diagnose.md: how often the true fault was the first
finding, by type and number of tokens. --keep FOLDER keeps the arrays of cases that were not found; --only TEXT runs cases whose name
has it; --right N only makes N right dumps; --write testdata/diagnose makes the part of it that is committed.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from diagnose_faults import faults
from diagnose_rotations import Call, models, rounded

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "testdata/models"
EPSILON = {"f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-11}

HEADS = 8
TOKENS = {"4": (37, 4), "64": (0, 64), "64 late": (3000, 64)}


def positions_for(model, tokens):
    first, count = TOKENS[tokens]
    ids = np.arange(first, first + count)[None]
    if model.axes() == 1:
        return ids[None]
    grid = np.stack([ids, ids + 200 * (np.arange(count) // 8), ids + 100 * (np.arange(count) % 7)])
    return grid


def save(path, x, dtype):
    if dtype == "bf16":
        np.save(path, (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).view("V2"))
    else:
        np.save(path, x.astype(np.float16 if dtype == "f16" else np.float32))


def dump(call_of, model, tokens, dtype, rng):
    """x, y and the y that is right."""
    positions = positions_for(model, tokens)
    x = rounded(rng.standard_normal((1, positions.shape[-1], HEADS, model.head_dim)), dtype).astype(np.float64)
    right = rounded(Call(model, positions).turn(x), dtype)
    call = Call(model, positions)
    call_of(call)
    if len(call.w) != call.rot // 2:
        return positions, x, right, right  # the two faults do not go together
    return positions, x, rounded(call.turn(x), dtype), right


def run(binary, folder, name, model, positions, x, y, dtype):
    base = pathlib.Path(folder) / name
    save(f"{base}.b.npy", x, dtype)
    save(f"{base}.a.npy", y, dtype)
    np.save(f"{base}.p.npy", positions if positions.shape[0] > 1 else positions[0])
    command = [binary, "diagnose", model.config or str(MODELS / model.name), "--before", f"{base}.b.npy", "--after", f"{base}.a.npy",
               "--positions", f"{base}.p.npy", "--json", "--bf16", "--layout", "bshd", "--layer", str(model.layer)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        return {"verdict": f"exit {done.returncode}: {done.stderr.strip()}", "findings": []}, command
    result = json.loads(done.stdout)["diagnoses"][0]
    if (result["verdict"] != "consistent") != (done.returncode == 1):
        result["verdict"] = f"exit {done.returncode}"
    return result, command


def invisible(x, y, right, dtype):
    """Whether the dump is apart from the right one by less than the noise that is allowed for its type."""
    length = np.sqrt((x**2).sum(-1, keepdims=True) / x.shape[-1])
    return np.abs(y - right).max() < 12 * EPSILON[dtype] * length.max()


def judge(result, expected_sets):
    """"first", "second", "missed", "silent" """
    if result["verdict"] == "consistent":
        return "silent"
    for place, finding in enumerate(result["findings"]):
        causes = [(cause["hypothesis"], cause["variant"]) for cause in finding["causes"]]
        # Each fault that was put in is named by one cause, and nothing else is.
        named = len(causes) == len(expected_sets) and all(
            any(h == e and (v is None or v == w) for h, w in causes for e, v in expected) for expected in expected_sets)
        if named:
            return "first" if place == 0 else "later"
    return "missed"


def cases(quick):
    every = faults()
    for model in models():
        for fault in every:
            if not fault[1](model, None):
                continue
            for tokens in TOKENS:
                if fault[3][0][0] == "array_layout" and tokens == "4":
                    continue  # fewer tokens than heads
                for dtype in EPSILON:
                    yield model, (fault,), tokens, dtype
        places = [f for f in every if f[4] == "places" and f[1](model, None)]
        angles = [f for f in every if f[4] == "angle" and f[1](model, None)]
        rng = np.random.default_rng(len(model.name) + model.head_dim)
        for _ in range(4 if quick else 12):
            pool = places if rng.random() < 0.5 and places else angles
            first = pool[rng.integers(len(pool))]
            second = angles[rng.integers(len(angles))]
            turned = {first[0], second[0]}
            # Backwards and the other way round is a shift; half as fast and twice the angle is nothing.
            same = ("backwards" in turned and turned & {"sign", "inverse"}) or \
                ("twice" in turned and turned & {"linear 8 that is not there", "factor twice as large"})
            if first[3][0][0] != second[3][0][0] and not same:
                yield model, (first, second), "64", "f32"
                yield model, (first, second), "64", "bf16"


def run_case(binary, folder, number, case, keep):
    model, chosen, tokens, dtype = case
    rng = np.random.default_rng(number)

    def inject(call):
        for fault in chosen:
            fault[2](call)

    name = f"{model.name}_{number}"
    positions, x, y, right = dump(inject, model, tokens, dtype, rng)
    skip = invisible(x, y, right, dtype)
    if len(chosen) == 2 and not skip:  # each of the two must show, given the other
        for one in chosen:
            alone = dump(one[2], model, tokens, dtype, np.random.default_rng(number))[2]
            skip = skip or invisible(x, y, alone, dtype)
    if skip:
        return case, "invisible", None
    result, command = run(binary, folder, name, model, positions, x, y, dtype)
    verdict = judge(result, [fault[3] for fault in chosen])
    if verdict == "first" or not keep:
        for part in "bap":
            pathlib.Path(folder, f"{name}.{part}.npy").unlink()
    return case, verdict, (result, command)


def print_table(counts):
    print("| faults | type | tokens | cases | first | later | missed | called right |")
    print("|---|---|---|---|---|---|---|---|")
    for (size, dtype, tokens), count in sorted(counts.items()):
        total = sum(count.values())
        share = lambda verdict: f"{count[verdict]} ({100 * count[verdict] / total:.1f} %)" if count[verdict] else "0"
        print(f"| {size} | {dtype} | {tokens} | {total} | {share('first')} | {share('later')} | {share('missed')} | {share('silent')} |")


def run_right(binary, folder, number):
    """A right dump: exit 0 and no finding. Angles exact or float32, arithmetic of the type or of float32."""
    rng = np.random.default_rng(100000 + number)
    all_models = models()
    model = all_models[number % len(all_models)]
    dtype = list(EPSILON)[rng.integers(3)]
    first, count = int(rng.choice([0, 1, 37, 1000, 3000, 30000, 120000])), int(rng.choice([1, 2, 5, 64, 200]))
    TOKENS_NOW = np.arange(first, first + count)[None]
    positions = np.stack([TOKENS_NOW] * model.axes())
    x = rounded(rng.standard_normal((1, count, int(rng.choice([1, 2, 8])), model.head_dim)) * rng.choice([0.1, 1, 30]), dtype).astype(np.float64)
    call = Call(model, positions)
    if rng.random() < 0.5:
        call.angle = lambda p, w: (p.astype(np.float32) * w.astype(np.float32)).astype(np.float64)
    if rng.random() < 0.5 and dtype != "f32":
        call.table = dtype
    y = rounded(call.turn(x), dtype)
    result, command = run(binary, folder, f"right_{number}", model, positions, x, y, dtype)
    return result, command, (model.name, dtype, first, count)


WRITTEN = {
    "llama-3-8b": ["right", "not rotated", "other pairing", "read in the other pairing", "half of the head", "base 10000", "base 137000",
                   "linear 8 that is not there", "sign", "twice", "one too many", "backwards", "angles in bf16", "softmax scale in it"],
    "qwen2.5-7b-yarn": ["right", "scaling missing", "factor twice as large", "no attention scaling", "attention scaling twice"],
    "gpt-neox-20b": ["right", "whole head", "last channels for first", "exponent of the whole head"],
    "qwen2-vl-7b": ["right", "one axis for all", "rows and columns swapped"],
}


def write(folder):
    """The small part of the corpus that is committed: positions 37..40 of two heads, as f16."""
    for model in models():
        wanted = WRITTEN.get(model.name, [])
        place = pathlib.Path(folder) / model.name
        if wanted:
            place.mkdir(parents=True, exist_ok=True)
        positions = positions_for(model, "4")
        rng = np.random.default_rng(1)
        x = rounded(rng.standard_normal((1, positions.shape[-1], 2, model.head_dim)), "f16").astype(np.float64)
        for name in wanted:
            call = Call(model, positions)
            for fault in faults():
                if fault[0] == name:
                    fault[2](call)
            save(place / "before.npy", x, "f16")
            save(place / f"{name.replace(' ', '_')}.npy", rounded(call.turn(x), "f16"), "f16")
        if wanted and model.axes() > 1:
            np.save(place / "positions.npy", positions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ropewalk")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--right", type=int, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--write", help="writes the committed part into a folder")
    parser.add_argument("--every", type=int, default=1, help="one case of so many")
    arguments = parser.parse_args()
    if arguments.write:
        return write(arguments.write)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = arguments.keep or scratch
        pathlib.Path(folder).mkdir(exist_ok=True)
        if arguments.right:
            results = list(pool.map(lambda n: run_right(arguments.ropewalk, folder, n), range(arguments.right)))
            wrong = [r for r in results if r[0]["verdict"] != "consistent"]
            for result, command, what in wrong[:20]:
                print(what, json.dumps(result)[:600])
            print(f"{len(results)} right dumps, {len(wrong)} false alarms")
            return 1 if wrong else 0
        chosen = [(n, c) for n, c in enumerate(cases(arguments.quick))
                  if arguments.only in f"{c[0].name}: {' + '.join(f[0] for f in c[1])}; {c[2]} {c[3]}" and n % arguments.every == 0]
        counts = collections.defaultdict(collections.Counter)
        unseen, problems = 0, collections.Counter()
        for case, verdict, answer in pool.map(lambda c: run_case(arguments.ropewalk, folder, c[0], c[1], arguments.keep), chosen):
            model, faults_in, tokens, dtype = case
            if verdict == "invisible":
                unseen += 1
                continue
            counts[(len(faults_in), dtype, tokens)][verdict] += 1
            if verdict != "first":
                name = " + ".join(f[0] for f in faults_in)
                problems[(name if len(faults_in) == 1 else "pairs", verdict)] += 1
                says = [" & ".join(f'{c["hypothesis"]}.{c["variant"]}' for c in f["causes"]) for f in answer[0]["findings"]]
                print(f"{verdict}: {model.name}: {name}; {tokens} {dtype}: {answer[0]['verdict']} {says}", file=sys.stderr)
        print_table(counts)
        print(f"\n{unseen} cases in which the fault changes nothing beyond the noise were left out.")
        for (name, verdict), count in problems.most_common(40):
            print(f"  {count:4} {verdict}: {name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
