"""Prints the measured error of each reference, as the generators recorded it: the table of README.md."""

import json

from safetensors import safe_open

import common


def case_of(path):
    """What a fixture says of itself."""
    if path.suffix != ".safetensors":
        return json.loads(path.read_text())
    with safe_open(path, "np") as file:
        return json.loads(file.metadata()["case"])


def row(name, paths):
    """One fixture, or the largest errors of a folder of them."""
    size = round(sum(path.stat().st_size for path in paths) / 1024)
    errors = {}
    for path in paths:
        for what, error in case_of(path).get("reference_error", {}).items():
            errors[what] = max(error, errors.get(what, 0.0))
    for what, error in errors.items():
        print(f"| {name} | {size} | {what} | {error:g} |")


if __name__ == "__main__":
    print("| fixture | KB | what was measured | max |")
    print("|---|---|---|---|")
    for entry in sorted(common.OUTPUT.iterdir()):
        row(entry.stem, sorted(entry.iterdir()) if entry.is_dir() else [entry])
