#!/usr/bin/env python3
"""Fails unless README.md and README.zh.md say what is so: tools/check_readme.py [ROPEWALK]

- Their C++ example is examples/rotate.cc, letter for letter; the C examples of docs/c.md are those of examples/c.
- Every file that they link to exists.
- What they show of the demo is in the golden output of cli/tests/demo, in this order, but for what rounding leaves.
- What they show after "$ ropewalk ..." is what the command ROPEWALK prints, where it is given; "..." stands for lines left out.
"""
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of the README, in the order of its demo's languages: each block must be in one of them.
WALKS = ("picture_walk", "picture_walk_zh_hant", "picture_walk_zh_hans")
YOURS = "llama-3.1-8b"  # what path/to is in the examples


def blocks(text: str, kind: str) -> list[str]:
    return [body for found, body in re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.M | re.S) if found == kind]


def rounded(line: str) -> str:
    """As cli/tests/demo/picture_walk.sh does: digits that depend on the machine's libraries."""
    return re.sub(r" *-?[0-9]\.[0-9]e-0[6-9]", "  ROUNDED", line.rstrip())


def in_order(lines: list[str], text: str) -> bool:
    rest = iter(rounded(line) for line in text.splitlines())
    return all(rounded(line) in rest for line in lines)


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether `shown` is `printed`, where "..." stands for any lines."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and shown[0].rstrip() == printed[0].rstrip() and matches(shown[1:], printed[1:])


def npy(numbers: list[float]) -> bytes:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, {len(numbers)}), }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}f", *numbers)


def output_of(command: str, binary: str) -> str:
    words = shlex.split(command, comments=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "path").mkdir()
        (folder / "path/to").symlink_to(ROOT / "testdata/models" / YOURS)
        (folder / "x.npy").write_bytes(npy([1, 2, 3, 4]))
        for name, fault in ("q.npy", "before"), ("q_rotated.npy", "base_10000"):
            (folder / name).symlink_to(ROOT / f"testdata/diagnose/llama-3-8b/{fault}.npy")
        run = subprocess.run([binary, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def faults(readme: str, text: str, example: str, walks: list[str], binary: str = "") -> list[str]:
    found = []
    if not blocks(text, "cpp"):
        found.append(f"{readme}: no C++ example")
    found += [f"{readme}: the C++ example is not examples/rotate.cc" for body in blocks(text, "cpp") if body != example]
    for target in re.findall(r"\]\(([^)#][^)]*)\)", text):
        if "://" not in target and not (ROOT / target).exists():
            found.append(f"{readme}: links to {target}, which is not there")
    for body in blocks(text, ""):
        lines = body.splitlines()
        if not lines[0].startswith("$ "):
            if not any(in_order(lines, walk) for walk in walks):
                found.append(f"{readme}: the demo does not print what begins with: {lines[0]}")
        elif binary and not matches(lines[1:], output_of(lines[0][2:], binary).splitlines()):
            found.append(f"{readme}: this does not print what is shown: {lines[0][2:]}")
    return found


def self_test() -> None:
    bad = "```cpp\nint main() {}\n```\n[a](no/such/file)\n```\na\nc\n```\n"
    assert len(faults("bad", bad, "other\n", ["c\na", "ac"])) == 3, "a wrong example, a dead link, a wrong walk"
    assert faults("bad", "nothing", "x", []) == ["bad: no C++ example"]
    good = "```cpp\nx\n```\n```\na 1.0e-07\nc\n```\n"
    assert not faults("good", good, "x\n", ["a  2.0e-08\nb\nc\n"])
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"]) and matches(["..."], [])
    assert not matches(["a", "...", "c"], ["a", "b", "c", "d"]) and not matches(["a"], [])
    wrong = "```cpp\nx\n```\n```\n$ ropewalk here  # a comment\nhere\n```\n```\n$ ropewalk here\nthere\n```\n"
    assert faults("bad", wrong, "x\n", [], "echo") == ["bad: this does not print what is shown: ropewalk here"]


def main() -> int:
    self_test()
    binary = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else ""
    example = (ROOT / "examples/rotate.cc").read_text()
    walks = [(ROOT / f"cli/tests/demo/{walk}.out").read_text() for walk in WALKS]
    found = []
    for readme in ("README.md", "README.zh.md"):
        found += faults(readme, (ROOT / readme).read_text(), example, walks, binary)
    if blocks((ROOT / "docs/c.md").read_text(), "c") != [(ROOT / f"examples/c/{name}.c").read_text() for name in ("step", "kv_cache")]:
        found.append("docs/c.md: its C examples are not examples/c/step.c and kv_cache.c")
    for page in ("docs/c.md", "docs/threads.md"):
        targets = re.findall(r"\]\(([^)#][^)]*)\)", (ROOT / page).read_text())
        found += [f"{page}: links to {target}, which is not there" for target in targets if not (ROOT / "docs" / target).exists()]
    print("\n".join(found) or "README: the examples are right and no link is dead")
    return 1 if found else 0


sys.exit(main())
