#!/usr/bin/env python3
"""Dumps of real implementations, right and wrong on purpose, and what ropewalk.diagnose says of them:

    PYTHONPATH=build/python GGML_LIBRARIES=FOLDER tools/diagnose_implementations.py [--right 500] [--seed 0] [NAME...]

NAME: ropewalk, transformers, onnxruntime, ggml (all but those whose package is not there, which is said). Prints the tables of
docs/diagnose.md: of `--right N` right dumps of each, how many are called wrong; of each fault, how often it is the first finding. Exit code 1
for a false alarm. A case that is not found is named on stderr.
"""

import argparse
import collections
import importlib
import pathlib
import sys

import numpy as np

import ropewalk

MODELS = pathlib.Path(__file__).resolve().parent.parent / "testdata/models"
FIRST, COUNT = (0, 0, 5, 1000, 4000, 30000), (1, 4, 32, 64, 130)
_READ = {}


def model_of(name):
    if name not in _READ:
        _READ[name] = ropewalk.read_model(MODELS / name)
    return _READ[name]


class Ours:
    """Rotations by ropewalk itself, exact, of the models of testdata that rotate."""

    DTYPES = ("f32", "bf16", "f16")

    def __init__(self):
        self.names = [name for name in sorted(path.name for path in MODELS.iterdir() if path.is_dir()) if self._rotates(name)]

    @staticmethod
    def _rotates(name):
        try:
            rope = model_of(name).layers[0].rope
        except ropewalk.Error:
            return False
        return rope is not None and not rope.axis.any()

    def dump(self, _, rng, dtype, first, count):
        import ml_dtypes
        name = self.names[rng.integers(len(self.names))]
        layer = model_of(name).layers[0]
        x = rng.standard_normal((1, count, layer.heads, layer.rope.head_dim))
        x = x.astype({"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[dtype])
        ids = np.arange(first, first + count)
        return dict(model=name, before=x, after=layer.rope.apply(x, None, ids, layout="bshd"), position_ids=ids)

    @staticmethod
    def faults():
        return []


def implementation(name):
    """The module and what it works with; None where it cannot be had."""
    if name == "ropewalk":
        return Ours(), None
    try:
        module = importlib.import_module({"ggml": "rope_of_ggml", "onnxruntime": "rope_of_onnx", "transformers": "rope_of_transformers"}[name])
        if name == "onnxruntime":
            importlib.import_module("onnxruntime")
        return module, module.Ggml() if name == "ggml" else None
    except (ImportError, KeyError, OSError) as error:
        print(f"{name} is left out: {error!r}", file=sys.stderr)
        return None


def diagnosed(given):
    model = model_of(given.pop("model"))
    return ropewalk.diagnose(model, **{"layout": "bshd"} | given)


def right_dumps(name, made, state, count, seed):
    """False alarms by type: {dtype: [alarms, dumps]}."""
    rng = np.random.default_rng(seed)
    found = collections.defaultdict(lambda: [0, 0])
    for number in range(count):
        dtype = made.DTYPES[number % len(made.DTYPES)]
        given = made.dump(state, rng, dtype, int(rng.choice(FIRST)), int(rng.choice(COUNT)))
        what = given["model"], given["before"].shape, given["position_ids"].ravel()[:1]
        result = diagnosed(given)
        found[dtype][1] += 1
        if not result.consistent:
            found[dtype][0] += 1
            print(f"{name}: {what} {dtype}: {result}", file=sys.stderr)
    return found


def wrong_dumps(name, made, state, seed):
    """{(fault, dtype): Counter of first, later, missed, called right}; a fault that a type does not show is left out."""
    counts = collections.defaultdict(collections.Counter)
    for what, model, change, expected in made.faults():
        for dtype in made.DTYPES:
            # The same numbers right and wrong, to see whether it shows at all.
            right, wrong = (made.dump(state, np.random.default_rng(seed), dtype, 3, 64, wrong=each, of=model) for each in (None, change))
            y, z = (np.asarray(each["after"].float() if hasattr(each["after"], "float") else each["after"], np.float64) for each in (right, wrong))
            step = {"f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-11}[dtype]
            if np.abs(y - z).max() < 12 * step:
                continue
            result = diagnosed(wrong)
            of = [[cause["hypothesis"] for cause in finding["causes"]] for finding in result.findings]
            # Two rotations in 16 bits round their tables and what is between them: that may be named beside.
            of = [[each for each in causes if len(causes) == 1 or dtype == "f32" or each != "angle_precision"] for causes in of]
            fits = [len(causes) == 1 and causes[0] in expected for causes in of]
            verdict = "called right" if result.consistent else "first" if fits[:1] == [True] else "later" if True in fits else "missed"
            counts[what][verdict] += 1
            if verdict != "first":
                print(f"{name}: {verdict}: {what}, {model}, {dtype}: {result}", file=sys.stderr)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["ropewalk", "transformers", "onnxruntime", "ggml"])
    parser.add_argument("--right", type=int, default=500, help="right dumps of each")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rows, faults, alarms = [], [], 0
    for name in arguments.names:
        found = implementation(name)
        if found is None:
            continue
        for dtype, (wrong, dumps) in right_dumps(name, *found, arguments.right, arguments.seed).items():
            rows.append(f"| {name} | {dtype} | {dumps} | {wrong} |")
            alarms += wrong
        for what, count in wrong_dumps(name, *found, arguments.seed).items():
            cells = [count[verdict] for verdict in ("first", "later", "missed", "called right")]
            faults.append(f"| {name} | {what} | {sum(cells)} | {' | '.join(map(str, cells))} |")
    print("| right dumps of | type | dumps | false alarms |\n|---|---|---|---|")
    print("\n".join(rows))
    print("\n| wrong dumps of | fault | cases | first | later | missed | called right |\n|---|---|---|---|---|---|---|")
    print("\n".join(faults))
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
