#!/usr/bin/env python3
"""Faults put into rotations by NumPy, and what ropewalk.diagnose says of them: PYTHONPATH=build/python tools/diagnose_corpus.py

Nothing here uses ropewalk to rotate: frequencies, pairs and roundings are written out in diagnose_rotations.py, from the models' own
code; the faults are those of diagnose_faults.py. Each case is a config.json, two arrays and the fault that made them. Prints the table of
docs/diagnose.md: how often the true fault was the first finding, by type and number of tokens, and how often each fault was. Cases that
were not found are named on stderr. --only TEXT runs cases whose name has it; --every N one case of so many; --right N only makes N right
dumps; --processes N (1); --write testdata/diagnose makes the part of the corpus that is committed. Needs NumPy and ml_dtypes.
"""

import argparse
import collections
import functools
import multiprocessing
import pathlib
import sys

import numpy as np

from diagnose_faults import faults
from diagnose_rotations import Call, models, rounded

MODELS = pathlib.Path(__file__).resolve().parent.parent / "testdata/models"
EPSILON = {"f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-11}

HEADS = 8
# First position and count; of the others see ids_of.
TOKENS = {"4": (37, 4), "64": (0, 64), "64 late": (3000, 64), "512": (5, 512)}
USUAL = (*TOKENS, "2 x 64")
FEW_TYPES = {"512": ("f32", "bf16"), "2 x 64": ("f32", "bf16")}


def ids_of(tokens):
    """[batch, seq]: "2 x 64" is a batch whose second row has 11 of padding before, "packed" two texts in a row."""
    if tokens == "2 x 64":
        return np.stack([np.arange(64), np.maximum(np.arange(64) - 11, 0)])
    if tokens == "packed":
        return np.concatenate([np.arange(40), np.arange(24)])[None]
    first, count = TOKENS[tokens]
    return np.arange(first, first + count)[None]


def positions_for(model, tokens):
    ids = ids_of(tokens)
    if model.axes() == 1:
        return ids[None]
    count = np.arange(ids.shape[-1])
    return np.stack([ids, ids + 200 * (count // 8), ids + 100 * (count % 7)])[3 - model.axes():]


def of_type(x, dtype):
    """The numbers as an array of the type, which they fit."""
    if dtype == "bf16":
        import ml_dtypes
        return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)
    return x.astype(np.float16 if dtype == "f16" else np.float32)


def dump(call_of, model, tokens, dtype, rng):
    """x, y and the y that is right."""
    positions = positions_for(model, tokens)
    x = rounded(rng.standard_normal((*positions.shape[1:], HEADS, model.head_dim)), dtype).astype(np.float64)
    right = rounded(Call(model, positions).turn(x), dtype)
    call = Call(model, positions)
    call_of(call)
    if len(call.w) != call.rot // 2:
        return positions, x, right, right  # the two faults do not go together
    return positions, x, rounded(call.turn(x), dtype), right


_READ = {}


def diagnosed(model, positions, x, y, dtype):
    import ropewalk
    if model.name not in _READ:
        _READ[model.name] = ropewalk.read_model(model.config or MODELS / model.name)
    place = {"part": model.part} if model.part else {"layer": model.layer}
    try:
        return ropewalk.diagnose(_READ[model.name], before=of_type(x, dtype), after=of_type(y, dtype), layout="bshd", **place,
                                 position_ids=positions if positions.shape[0] > 1 else positions[0]).to_dict()
    except ropewalk.Error as error:
        return {"verdict": f"error: {error}", "findings": []}


def invisible(x, y, right, dtype):
    """Whether the dump is apart from the right one by less than the noise that is allowed for its type."""
    length = np.sqrt((x**2).sum(-1, keepdims=True) / x.shape[-1])
    return np.abs(y - right).max() < 12 * EPSILON[dtype] * length.max()


def judge(result, expected_sets):
    """"first", "later", "missed", "silent" """
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


def go_together(first, second):
    """Whether two faults are two: backwards and the other way round is a shift; half as fast and twice the angle is nothing."""
    turned = {first[0], second[0]}
    same = ("backwards" in turned and turned & {"sign", "inverse"}) or \
        ("twice" in turned and turned & {"linear 8 that is not there", "factor twice as large"})
    return first[3][0][0] != second[3][0][0] and not same


# Reported as two at once: transformers 5 puts both into rope_parameters, which a loader of version 4 does not read.
REPORTED_PAIRS = {"llama-3.1-8b": ("base 10000", "scaling missing"), "llama-3.2-1b": ("base 10000", "scaling missing")}


def pairs_of(model, every):
    """12 pairs of faults."""
    usual = [f for f in every if f[1](model, None) and f[5] is None]
    places, angles = ([f for f in usual if f[4] == kind] for kind in ("places", "angle"))
    rng = np.random.default_rng(len(model.name) + model.head_dim)
    reported = REPORTED_PAIRS.get(model.name, ())
    if reported:
        yield tuple(f for f in usual if f[0] in reported)
    for _ in range(12 if angles else 0):
        pool = places if rng.random() < 0.5 and places else angles
        pair = pool[rng.integers(len(pool))], angles[rng.integers(len(angles))]
        if go_together(*pair):
            yield pair


def cases():
    """Model, faults, tokens, type."""
    every = faults()
    for model in models():
        for fault in every:
            if not fault[1](model, None):
                continue
            for tokens in fault[5] or USUAL:
                if fault[3][0][0] == "array_layout" and tokens == "4":
                    continue  # fewer tokens than heads
                for dtype in FEW_TYPES.get(tokens, EPSILON):
                    yield model, (fault,), tokens, dtype
        for pair in pairs_of(model, every):
            for dtype in ("f32", "bf16"):
                yield model, pair, "64", dtype


def name_of(case):
    model, chosen, tokens, dtype = case
    return f"{model.name}: {' + '.join(f[0] for f in chosen)}; {tokens} {dtype}"


def run_case(numbered):
    number, case = numbered
    model, chosen, tokens, dtype = case
    rng = np.random.default_rng(number)

    def inject(call):
        for fault in chosen:
            fault[2](call)

    positions, x, y, right = dump(inject, model, tokens, dtype, rng)
    skip = invisible(x, y, right, dtype)
    if len(chosen) == 2 and not skip:  # each of the two must show, given the other
        for one in chosen:
            alone = dump(one[2], model, tokens, dtype, np.random.default_rng(number))[2]
            skip = skip or invisible(x, y, alone, dtype)
    if skip:
        return number, "invisible", None
    result = diagnosed(model, positions, x, y, dtype)
    return number, judge(result, [fault[3] for fault in chosen]), result


_every_case = functools.lru_cache(lambda: list(cases()))


def run_number(number):
    return run_case((number, _every_case()[number]))


def print_table(counts, heads):
    print("| " + " | ".join((*heads, "cases", "first", "later", "missed", "called right")) + " |")
    print("|---" * (len(heads) + 5) + "|")
    for key, count in sorted(counts.items()):
        total = sum(count.values())
        share = lambda verdict: f"{count[verdict]} ({100 * count[verdict] / total:.1f} %)" if count[verdict] else "0"
        print(f"| {' | '.join(map(str, key))} | {total} | {' | '.join(map(share, ('first', 'later', 'missed', 'silent')))} |")


def right_dump(number):
    """A right dump: exit 0 and no finding. Angles exact or float32, arithmetic of the type or of float32."""
    rng = np.random.default_rng(100000 + number)
    all_models = models()
    model = all_models[number % len(all_models)]
    dtype = list(EPSILON)[rng.integers(3)]
    first, count = int(rng.choice([0, 1, 37, 1000, 3000, 30000, 120000])), int(rng.choice([1, 2, 5, 64, 200]))
    if model.scaled and model.name in ("phi-3.5-mini", "internlm2.5-7b"):
        first = min(first, 3000)  # other frequencies of longer sequences
    positions = np.stack([np.arange(first, first + count)[None]] * model.axes())
    x = rounded(rng.standard_normal((1, count, int(rng.choice([1, 2, 8])), model.head_dim)) * rng.choice([0.1, 1, 30]), dtype).astype(np.float64)
    call = Call(model, positions)
    if rng.random() < 0.5:
        call.angle = lambda p, w: (p.astype(np.float32) * w.astype(np.float32)).astype(np.float64)
    if rng.random() < 0.5 and dtype != "f32":
        call.table = dtype
    y = rounded(call.turn(x), dtype)
    return diagnosed(model, positions, x, y, dtype), (model.name, dtype, first, count)


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
        wanted = WRITTEN.get(model.name, []) if model.part is None else []
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
            np.save(place / "before.npy", x.astype(np.float16))
            np.save(place / f"{name.replace(' ', '_')}.npy", rounded(call.turn(x), "f16").astype(np.float16))
        if wanted and model.axes() > 1:
            np.save(place / "positions.npy", positions)


def tell(verdict, case, result):
    says = [" & ".join(f'{c["hypothesis"]}.{c["variant"]}' for c in f["causes"]) for f in result["findings"]]
    print(f"{verdict}: {name_of(case)}: {result['verdict']} {says}", file=sys.stderr, flush=True)


def run_corpus(pool, chosen, every_case):
    by_type, by_fault = (collections.defaultdict(collections.Counter) for _ in range(2))
    unseen = most = done = 0
    try:
        for number, verdict, result in pool.imap_unordered(run_number, [int(n) for n in chosen], chunksize=8):
            done += 1
            if done % 500 == 0:
                print(f"{done} of {len(chosen)} cases", file=sys.stderr, flush=True)
            case, (_, faults_in, tokens, dtype) = every_case[number], every_case[number]
            if verdict == "invisible":
                unseen += 1
                continue
            by_type[(len(faults_in), dtype, tokens)][verdict] += 1
            if len(faults_in) == 1:
                by_fault[(faults_in[0][0],)][verdict] += 1
            most = max(most, len(result["findings"]))
            if verdict != "first":
                tell(verdict, case, result)
    except KeyboardInterrupt:  # what there is, a sample
        pool.terminate()
    print_table(by_type, ("faults", "type", "tokens"))
    print(f"\n{done} of {len(chosen)} cases; {unseen} in which the fault changes nothing beyond the noise of the type are left out. "
          f"At most {most} findings.\n")
    print_table(by_fault, ("fault",))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--right", type=int, default=0)
    parser.add_argument("--write", help="writes the committed part into a folder")
    parser.add_argument("--every", type=int, default=1, help="one case of so many")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.write:
        return write(arguments.write)
    with multiprocessing.Pool(arguments.processes) as pool:
        if arguments.right:
            results = list(pool.imap_unordered(right_dump, range(arguments.right), chunksize=8))
            wrong = [r for r in results if r[0]["verdict"] != "consistent"]
            for result, what in wrong[:20]:
                print(what, str(result)[:600])
            print(f"{len(results)} right dumps, {len(wrong)} false alarms")
            return 1 if wrong else 0
        every_case = _every_case()
        chosen = [n for n, c in enumerate(every_case) if arguments.only in name_of(c) and n % arguments.every == 0]
        np.random.default_rng(0).shuffle(chosen)
        run_corpus(pool, chosen, every_case)
    return 0


if __name__ == "__main__":
    sys.exit(main())
