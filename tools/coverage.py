#!/usr/bin/env python3
"""What ropewalk answers to each name of the lists in testdata/coverage/: tools/coverage.py ROPEWALK [--update | --check]

Prints docs/coverage.md: how many names of each list are answered, by what encodes position, and the names that remain unknown, each
with its reason. --update writes it. --check fails when it is not what is printed, when a name has no reason, when a reason is not
needed, or when more names are unknown than LIMITS lets. A list is read from a package by tools/reference/make_coverage_lists.py.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# In the order of the table: where a list's names are looked for, and how large a part of them may be unknown.
LISTS = {
    "transformers": ("model_type", 0),
    "vllm": ("architecture", 0.05),
    "mlx_lm": ("model_type", 0.05),
    "mlx_vlm": ("model_type", 0.05),
    "llama_cpp": ("gguf_architecture", 0),
    "gguf": ("gguf_architecture", 0),
}
OTHERS = {"model_type": "other_names", "architecture": "other_architectures", "gguf_architecture": "other_gguf_architectures"}
# What encodes position, as `ropewalk models --json` says it; then what stands in reasons.tsv.
ANSWERS = ("rope", "alibi", "sinusoidal", "learned", "bucket_bias", "relative", "convolution", "features", "none", "parts", "refused")
SET_ASIDE = ("draft head", "wrapper", "pipeline")
KINDS = ANSWERS + SET_ASIDE + ("unknown",)


def kinds_of(families):
    """The kind of each name, by where it stands."""
    found = {place: {} for place in OTHERS}
    for family in families:
        for row in family["types"]:
            for place, others in OTHERS.items():
                for name in [row[place], *row[others]]:
                    if name:
                        found[place].setdefault(name, row["kind"])
    return found


def read_list(path):
    """The line that says where it is from, and the names."""
    head, *names = path.read_text(encoding="utf-8").splitlines()
    return head.removeprefix("# "), names


def read_reasons(path):
    """{name: (kind, reason)} of the lines "name, kind, reason", with tabs between."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: (kind, reason) for name, kind, reason in (line.split("\t") for line in lines if not line.startswith("#"))}


def answer(families, lists, reasons):
    """{source: {name: kind}}; a name without an answer is of the kind that its reason gives."""
    known = kinds_of(families)
    return {
        source: {name: known[LISTS[source][0]].get(name) or reasons.get(name, ("unknown", ""))[0] for name in names}
        for source, (_, names) in lists.items()
    }


def faults_of(answers, reasons):
    faults = []
    for source, names in answers.items():
        unknown = [name for name, kind in names.items() if kind == "unknown"]
        most = int(LISTS[source][1] * len(names))
        if len(unknown) > most:
            faults.append(f"{source}: expected at most {most} unknown names of {len(names)}, found {len(unknown)}: {', '.join(unknown)}")
        faults += [f"{source}: {name}: expected a reason in reasons.tsv, found none" for name in unknown if name not in reasons]
        faults += [f"{source}: {name}: expected a kind of {', '.join(KINDS)}, found {kind}" for name, kind in names.items() if kind not in KINDS]
    used = {name for names in answers.values() for name, kind in names.items() if kind in SET_ASIDE + ("unknown",)}
    return faults + [f"reasons.tsv: {name}: expected a name without an answer, found one that has it or is in no list" for name in sorted(set(reasons) - used)]


def table(answers):
    kinds = [kind for kind in KINDS if any(kind in names.values() for names in answers.values())]
    lines = ["| source | names | " + " | ".join(kinds) + " |", "|---|---|" + "---|" * len(kinds)]
    for source, names in answers.items():
        counts = [list(names.values()).count(kind) for kind in kinds]
        lines.append(f"| {source} | {len(names)} | " + " | ".join(str(count or "") for count in counts) + " |")
    return lines


def page(lists, answers, reasons):
    lines = ["# Names that others know, and what ropewalk answers", ""]
    lines += ["Printed by `tools/coverage.py ROPEWALK`. The names of each list are looked for among model types, classes or architectures of"]
    lines += ["llama.cpp, other names included, that [models.md](models.md) has. By what encodes position; parts: a model of several, each of"]
    lines += ["which says it for itself; refused: known, with the reason why no numbers are given.", ""]
    lines += table(answers) + [""]
    lines += [f"- {source}: {head}" for source, (head, _) in lists.items()]
    for kind in ("refused",) + SET_ASIDE + ("unknown",):
        rows = {}
        for source, names in answers.items():
            for name, found in names.items():
                if found == kind:
                    rows.setdefault(name, []).append(source)
        if not rows:
            continue
        by_reason = {}
        for name, sources in rows.items():
            reason = "`ropewalk show` of such a file says why" if kind == "refused" else reasons.get(name, ("", "no reason"))[1]
            by_reason.setdefault(reason, []).append(f"`{name}` ({', '.join(sources)})")
        lines += ["", f"## {kind[0].upper()}{kind[1:]}: {len(rows)} names", ""]
        lines += [f"- {reason}: {', '.join(names)}" for reason, names in by_reason.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ropewalk")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    families = json.loads(subprocess.run([options.ropewalk, "models", "--json"], check=True, capture_output=True, text=True).stdout)
    folder = ROOT / "testdata" / "coverage"
    lists = {source: read_list(folder / f"{source}.txt") for source in LISTS}
    reasons = read_reasons(folder / "reasons.tsv")
    answers = answer(families, lists, reasons)
    text = page(lists, answers, reasons)
    document = ROOT / "docs" / "coverage.md"
    if options.update:
        document.write_text(text, encoding="utf-8")
        return 0
    if not options.check:
        print(text, end="")
        return 0
    faults = faults_of(answers, reasons)
    if not document.is_file() or document.read_text(encoding="utf-8") != text:
        faults.append("docs/coverage.md: expected what tools/coverage.py prints, found another text; --update writes it")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
