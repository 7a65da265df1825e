#!/usr/bin/env python3
"""check_show.py ROPEWALK: `ropewalk show` and `show --json` of every file under testdata/models, of every preset, and of
each model.gguf beside the config.json it came from, hold the same facts.

Prints one line per fault, and exits with 1 if there is any.
"""
import json
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "testdata/models"

def one_line(text):
    return " ".join(str(text).split())


def faults(name, text, answer):
    """What the JSON says and the text does not."""
    lines = [one_line(line) for line in text.splitlines()]
    whole = "\n".join(lines)
    found = []

    def expect(words, what):
        if not any(one_line(words) in line for line in lines):
            found.append(f"{name}: the text lacks {what}: {one_line(words)[:160]}")

    for fact in answer["evidence"]:
        source = one_line(fact["source"])
        row = f"{fact['field']} {fact['value']}"
        if not any(line.startswith(one_line(row)) and source[:300] in line for line in lines):
            found.append(f"{name}: the text lacks the fact {row}, {source[:120]}")
    for warning in answer["warnings"]:
        expect(f"note: {warning}", "the warning")
    for other in answer["others"]:
        expect(f"and {other['name']}: {other['encoding']['kind']}", "the part")
    scales = re.findall(r"softmax scale ([0-9.e-]+[0-9])", whole)
    for run in answer["layers"]:
        attention = run["attention"]
        if attention and attention["softmax_scale"]:
            scale = attention["softmax_scale"]
            if not any(abs(float(number) - scale) < 1e-6 * scale for number in scales):
                found.append(f"{name}: the text lacks the softmax scale {scale}")
        if attention and attention["softcap"]:
            expect(f"softcap {attention['softcap']:g}", "the softcap")
    scaling = answer.get("attention_scaling", 1)
    if scaling != 1:
        expect(f"multiplied by {scaling:.7g}", "the factor of cos and sin")
    numbers = {str(row["pair"]): row["inv_freq"] for row in answer.get("frequencies", [])}
    # pair, axis where there are several, inv_freq, wavelength, and the turns where a context is known
    axis = r"\d+ " if re.search("^pair .*axis", whole, flags=re.M) else ""
    row = rf"^(\d+) {axis}([0-9.e+-]+) [0-9.e+-]+(?: [0-9.e+-]+)*$"
    shown = re.findall(row, whole, flags=re.M) if numbers else []
    for pair, inv_freq in shown:
        if pair in numbers and abs(float(inv_freq) - numbers[pair]) > 1e-8 * numbers[pair]:
            found.append(f"{name}: pair {pair} is {inv_freq} in the text, {numbers[pair]} in the JSON")
    if numbers and not shown:
        found.append(f"{name}: the text has no frequencies")
    if whole.count("note: ") < len(answer["warnings"]) + len(answer["traps"]):
        found.append(f"{name}: the text has fewer notes than the JSON has warnings and traps")
    return found


def self_test():
    answer = {"evidence": [{"field": "rope_theta", "value": "10000", "source": "config.json: /rope_theta"}], "warnings": ["w"],
              "others": [], "layers": [{"attention": {"softmax_scale": 0.125, "softcap": None}}], "attention_scaling": 1.25,
              "frequencies": [{"pair": 0, "inv_freq": 1.0}], "traps": []}
    good = ("rope_theta 10000 config.json: /rope_theta\nnote: w\nlayers 0..1: softmax scale 0.125, mask causal\n"
            "0 1 6.28 2\ncos and sin are multiplied by 1.25\n")
    assert faults("good", good, answer) == [], faults("good", good, answer)
    for changed in ("10000", "note", "0.125", "by 1.25", "0 1 6.28"):
        bad = good.replace(changed, "0 2 6.28" if changed.startswith("0 1") else "?")
        assert faults("bad", bad, answer), f"a text without {changed} must be seen"


def run(ropewalk, *arguments):
    done = subprocess.run([ropewalk, "show", *arguments], capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def of_input(ropewalk, name):
    code, text, error = run(ropewalk, name)
    other, answer, _ = run(ropewalk, "--json", name)
    if code != other:
        return [f"{name}: exit code {code}, with --json {other}"]
    if code > 1:
        return [f"{name}: exit code {code}: {error.strip()}"]
    return faults(name, text, json.loads(answer))


def of_pair(ropewalk, folder):
    name, files = folder.name, (str(folder / "config.json"), str(folder / "model.gguf"))
    code, text, error = run(ropewalk, *files)
    other, output, _ = run(ropewalk, *files, "--json")
    if code != other or code > 1:
        return [f"{name}: config.json beside model.gguf: exit code {code}, with --json {other}: {error.strip()}"]
    answer = json.loads(output)
    found = []
    if answer["alike"] != (code == 0):
        found.append(f"{name}: exit code {code}, alike {answer['alike']}")
    lines = [one_line(line) for line in text.splitlines()]
    for difference in answer["differences"]:
        if not any(line.startswith(f"{difference['level']} {difference['field']} ") for line in lines):
            found.append(f"{name}: the text lacks the difference {difference['field']}")
    return found


def main():
    self_test()
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    ropewalk = str(pathlib.Path(sys.argv[1]).resolve())
    families = json.loads(subprocess.run([ropewalk, "models", "--json"], capture_output=True, text=True, check=True).stdout)
    inputs = [name for family in families for name in family["presets"]]
    for pattern in ("config*.json", "params.json", "model.gguf"):
        inputs += [str(path.relative_to(ROOT)) for path in sorted(MODELS.glob(f"*/{pattern}"))]
    pairs = [path.parent for path in sorted(MODELS.glob("*/model.gguf")) if (path.parent / "config.json").exists()]
    with ThreadPoolExecutor(2) as pool:
        found = sum(pool.map(lambda name: of_input(ropewalk, name), inputs), [])
        found += sum(pool.map(lambda folder: of_pair(ropewalk, folder), pairs), [])
    print("\n".join(found) or f"check_show: {len(inputs)} files and presets, {len(pairs)} pairs, 0 faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
