"""Prints the measured error of each reference, as the generators recorded it: the table of README.md."""

import json

from safetensors import safe_open

import common

if __name__ == "__main__":
    print("| fixture | KB | what was measured | max |")
    print("|---|---|---|---|")
    for path in sorted(common.OUTPUT.iterdir()):
        if path.suffix == ".safetensors":
            with safe_open(path, "np") as file:
                case = json.loads(file.metadata()["case"])
        else:
            case = json.loads(path.read_text())
        size = round(path.stat().st_size / 1024)
        for what, error in case["reference_error"].items():
            print(f"| {path.stem} | {size} | {what} | {error:g} |")
