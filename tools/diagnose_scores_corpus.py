#!/usr/bin/env python3
"""Faults put into attention scores by NumPy, and what `ropewalk diagnose --scores` says: tools/diagnose_scores_corpus.py ROPEWALK

Nothing here uses ropewalk to compute: rotation, scale, bias, softcap and mask are written out below. Each case is a model of
testdata/models, q, k and scores with the fault that made them, in f32 and bf16, before and after the softmax. Prints the table of
docs/diagnose.md; every fault that is not the first finding, and every right dump that is not called so, on a line of its own.
--write FOLDER makes the small part that is committed (f16).
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPSILON = {"f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-11}


def rounded(x, dtype):
    if dtype == "f32":
        return x.astype(np.float32).astype(np.float64)
    if dtype == "f16":
        return x.astype(np.float16).astype(np.float64)
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isfinite(x), even.astype(np.uint32).view(np.float32), x).astype(np.float64)


def turn(x, base, times=1.0, interleaved=False, step=lambda x: x):
    """x [S, H, D] at positions 0, 1, ... : pairs (i, i + D/2), or neighbours; `step` rounds."""
    d = x.shape[-1]
    angle = times * np.arange(x.shape[0])[:, None, None] * base ** (-2 * np.arange(d // 2) / d)
    first, second = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., : d // 2], x[..., d // 2:])
    out = np.empty_like(x)
    cos, sin = step(np.cos(angle)), step(np.sin(angle))
    a, b = (step(step(p * cos) + step(q * sin)) for p, q in ((first, -second), (second, first)))
    if interleaved:
        out[..., 0::2], out[..., 1::2] = a, b
    else:
        out[..., : d // 2], out[..., d // 2:] = a, b
    return out


def slopes(heads):
    """get_slopes of the authors of ALiBi."""
    def of_power(n):
        return [2.0 ** (-8.0 * (h + 1) / n) for h in range(n)]
    n = 1 << (heads.bit_length() - 1)
    return np.array(of_power(n) + (of_power(2 * n)[0::2][: heads - n] if n < heads else []))


# base 0: no rotation. The layers' numbers, from the models' own code.
MODELS = {
    "llama-3-8b": dict(layer=0, heads=8, kv=2, dim=128, base=500000.0, scale=128**-0.5),
    "gemma-2-27b": dict(layer=0, heads=8, kv=4, dim=128, base=10000.0, scale=144**-0.5, cap=50.0, window=4096),
    "mistral-7b-v0.1": dict(layer=0, heads=4, kv=1, dim=128, base=10000.0, scale=128**-0.5, window=4096),
    "bloom-560m": dict(layer=0, heads=16, kv=16, dim=64, base=0, scale=64**-0.5, alibi="key"),
    "baichuan-13b": dict(layer=0, heads=40, kv=40, dim=128, base=0, scale=128**-0.5, alibi="key"),
}


def scores(m, q, k, **change):
    """[H, Sq, Sk] of q [Sq, H, D], k [Sk, Hkv, D]; `change` is the fault."""
    c = dict(m, q_times=1.0, k_times=1.0, other_pairs=False, tile=False, sign=1.0, causal=True, shift=0, dtype=None) | change
    step = (lambda x: rounded(x, c["dtype"])) if c["dtype"] else lambda x: x
    tokens = np.arange(len(k))
    if c["base"]:
        q, k = (turn(x, c["base"], c[times], c["other_pairs"], step) for x, times in ((q, "q_times"), (k, "k_times")))
    group = c["heads"] // c["kv"]
    k = np.tile(k, (1, group, 1)) if c["tile"] else np.repeat(k, group, axis=1)
    s = step(step(np.einsum("ihd,jhd->hij", q, k)) * c["scale"])
    if c.get("cap"):
        s = step(c["cap"] * step(np.tanh(step(s / c["cap"]))))
    distance = tokens[None, :] - tokens[:, None]
    if c.get("alibi"):
        s = step(s + step(c["sign"] * c.get("slopes", slopes(c["heads"]))[:, None, None] * (tokens if c["alibi"] == "key" else distance)))
    hidden = (distance > c["shift"]) if c["causal"] else np.zeros_like(distance, bool)
    if c.get("window"):
        hidden = hidden | (distance <= -c["window"])
    return np.where(hidden, -np.inf, s)


def faults(name, m):
    yield "right", None, {}
    yield "right, each step rounded", None, dict(dtype="bf16")
    yield "scale missing", ("score_scale", "missing"), dict(scale=1.0)
    yield "scale twice", ("score_scale", "twice"), dict(scale=m["scale"] ** 2)
    yield "scale of dim 96", ("score_scale", None), dict(scale=96**-0.5)
    yield "no causal mask", ("score_mask", None), dict(causal=False)
    yield "sees the key after", ("score_mask", "one_after"), dict(shift=1)
    if m.get("cap"):
        yield "no softcap", ("softcap", "missing"), dict(cap=0)
        yield "softcap 30", ("softcap", "other"), dict(cap=30.0)
    else:
        yield "softcap 30", ("softcap", "should_not"), dict(cap=30.0)
    if m["base"]:
        yield "q not rotated", ("score_turn", "q_not_rotated"), dict(q_times=0.0)
        yield "k not rotated", ("score_turn", "k_not_rotated"), dict(k_times=0.0)
        yield "neither rotated", ("score_turn", "neither"), dict(q_times=0.0, k_times=0.0)
        yield "rotated twice", ("score_turn", "twice"), dict(q_times=2.0, k_times=2.0)
        yield "sign", ("score_turn", "sign"), dict(q_times=-1.0, k_times=-1.0)
        yield "other pairs", ("score_turn", "interleaved"), dict(other_pairs=True)
        if not m.get("cap"):
            yield "alibi added", ("alibi", "should_not"), dict(alibi="distance")
        yield "window 17", ("score_mask", None), dict(window=17)
        if 1 < m["kv"] < m["heads"]:
            yield "heads in turn", ("score_heads", "in_turn"), dict(tile=True)
    if m.get("alibi"):
        yield "no alibi", ("alibi", "missing"), dict(alibi=None)
        yield "alibi sign", ("alibi", "sign"), dict(sign=-1.0)
        yield "alibi of distance", ("alibi", "relative"), dict(alibi="distance")
        h = m["heads"]
        if h & (h - 1):
            yield "slopes 8h/H", ("alibi", "as_power_of_two"), dict(slopes=2.0 ** (-8.0 * np.arange(1, h + 1) / h))


def save(path, x, dtype):
    if dtype == "bf16":
        np.save(path, (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).view("V2"))
    else:
        np.save(path, x.astype(np.float16 if dtype == "f16" else np.float32))


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def run(binary, folder, name, m, softmaxed):
    command = [binary, "diagnose", str(ROOT / "testdata/models" / name), "--scores", f"{folder}/s.npy", "--q", f"{folder}/q.npy",
               "--k", f"{folder}/k.npy", "--json", "--bf16", "--layout", "bshd", "--layer", str(m["layer"])]
    done = subprocess.run(command + ["--after-softmax"] * softmaxed, capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr.strip()}", []
    result = json.loads(done.stdout)["diagnoses"][0]
    if (result["verdict"] != "consistent") != (done.returncode == 1):
        return f"exit {done.returncode}", []
    return result["verdict"], [[(c["hypothesis"], c["variant"]) for c in f["causes"]] for f in result["findings"]]


def judged(fault, verdict, findings):
    if fault is None:
        return "first" if verdict == "consistent" else "missed"
    if verdict == "consistent":
        return "called right"
    fits = [len(c) == 1 and c[0][0] == fault[0] and fault[1] in (None, c[0][1]) for c in findings]
    return "first" if fits[:1] == [True] else "later" if True in fits else "missed"


def corpus(binary):
    counts = collections.defaultdict(collections.Counter)
    for number, (name, m) in enumerate(MODELS.items()):
        for tokens in (8, 48):
            for dtype in ("f32", "bf16"):
                rng = np.random.default_rng(100 * number + tokens)
                q = rounded(3 * rng.standard_normal((tokens, m["heads"], m["dim"])), dtype)
                k = rounded(3 * rng.standard_normal((tokens, m["kv"], m["dim"])), dtype)
                right = scores(m, q, k)
                for fault_name, fault, change in faults(name, m):
                    if change.get("dtype", dtype) != dtype:
                        continue
                    s = scores(m, q, k, **change)
                    for softmaxed in (False, True):
                        pair = [softmax(x) if softmaxed else x for x in (s, right)]
                        with np.errstate(invalid="ignore"):
                            apart = np.nanmax(np.abs(pair[0] - pair[1])) if not np.array_equal(*pair) else 0
                        if fault and apart < 24 * EPSILON[dtype]:
                            continue  # a softmax does not show it
                        with tempfile.TemporaryDirectory() as folder:
                            save(f"{folder}/q.npy", q, dtype), save(f"{folder}/k.npy", k, dtype)
                            save(f"{folder}/s.npy", rounded(pair[0], dtype), dtype)
                            verdict, findings = run(binary, folder, name, m, softmaxed)
                        result = judged(fault, verdict, findings)
                        kind = "right" if fault is None else "fault"
                        counts[kind, dtype, "after" if softmaxed else "before"][result] += 1
                        if result != "first":
                            print(f"{result}: {name}, {fault_name}, {tokens} tokens, {dtype}, softmax {softmaxed}: {verdict} {findings}",
                                  file=sys.stderr)
    print("| dumps | type | softmax | cases | first | later | missed | called right |\n|---|---|---|---|---|---|---|---|")
    for (kind, dtype, when), count in sorted(counts.items()):
        cells = [count[verdict] for verdict in ("first", "later", "missed", "called right")]
        print("| " + " | ".join([kind, dtype, when, str(sum(cells)), *map(str, cells)]) + " |")


def write(folder):
    """llama-3-8b, 2 query heads of one key head, 5 tokens."""
    m = MODELS["llama-3-8b"] | dict(heads=2, kv=1)
    rng = np.random.default_rng(1)
    q, k = (rounded(2 * rng.standard_normal((5, heads, m["dim"])), "f16") for heads in (2, 1))
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    save(place / "q.npy", q, "f16"), save(place / "k.npy", k, "f16")
    for name in ("right", "scale missing", "q not rotated", "no causal mask"):
        change = next(f[2] for f in faults("", m) if f[0] == name)
        save(place / (name.replace(" ", "_") + ".npy"), scores(m, q, k, **change), "f16")
    save(place / "softmax.npy", softmax(scores(m, q, k)), "f16")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ropewalk", nargs="?")
    parser.add_argument("--write")
    options = parser.parse_args()
    write(options.write) if options.write else corpus(options.ropewalk)


if __name__ == "__main__":
    main()
