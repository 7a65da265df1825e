#!/usr/bin/env python3
"""Fails unless the C++ example in README.md and README.zh.md is examples/rotate.cc, letter for letter,
and every file that they link to exists."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def faults(readme: str, text: str, example: str) -> list[str]:
    found = []
    blocks = re.findall(r"```cpp\n(.*?)```", text, flags=re.S)
    if not blocks:
        found.append(f"{readme}: no C++ example")
    found += [f"{readme}: the C++ example is not examples/rotate.cc" for block in blocks if block != example]
    for target in re.findall(r"\]\(([^)#][^)]*)\)", text):
        if "://" not in target and not (ROOT / target).exists():
            found.append(f"{readme}: links to {target}, which is not there")
    return found


def self_test() -> None:
    bad = "```cpp\nint main() {}\n```\n[a](no/such/file)"
    assert len(faults("bad", bad, "other\n")) == 2, "a wrong example and a dead link must be seen"
    assert faults("bad", "nothing", "x") == ["bad: no C++ example"]


def main() -> int:
    self_test()
    example = (ROOT / "examples/rotate.cc").read_text()
    found = []
    for readme in ("README.md", "README.zh.md"):
        found += faults(readme, (ROOT / readme).read_text(), example)
    print("\n".join(found) or "README: the example is examples/rotate.cc and no link is dead")
    return 1 if found else 0


sys.exit(main())
