#!/usr/bin/env python3
"""Checks that messages say "expected X, found Y", in this order: tools/check_errors.py [ROOT]

A string literal with the word "expected" and more after it says "found" after it. Prints one line per fault, "file:line: text", and
exits with 1 if there is any.
"""

import pathlib
import re
import sys

FOLDERS = ("ropewalk", "cli", "python")
SOURCES = {".h", ".cc", ".inc"}

# A comment, a character, a raw string, or literals that the compiler joins to one.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)+'|R"(\w*)\((?P<raw>.*?)\)\1"|(?P<text>"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*)""",
    re.DOTALL,
)


def literals(source):
    """Each string of a C++ source with the number of its line."""
    for match in TOKEN.finditer(source):
        if match["text"] is not None:
            pieces = re.findall(r'"((?:[^"\\\n]|\\.)*)"', match["text"])
            yield source.count("\n", 0, match.start()) + 1, "".join(pieces)


def is_fault(text):
    expected = [match.end() for match in re.finditer(r"\bexpected [^ ]", text)]
    return bool(expected) and not re.search(r"\bfound\b", text[expected[-1]:])


def is_test(path):
    return path.endswith(("_test.cc", "_testing.h")) or path.startswith("ropewalk/testing/")


def check(root):
    """All faults of a tree, as lines of text, and the number of strings that say "expected"."""
    faults, count = [], 0
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in SOURCES or is_test(path):
                continue
            for line, text in literals(file.read_text(encoding="utf-8")):
                count += re.search(r"\bexpected [^ ]", text) is not None
                if is_fault(text):
                    faults.append(f'{path}:{line}: "{text}"')
    return faults, count


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    faults, count = check(root if root.is_dir() else root.parent.parent)
    for line in faults:
        print(line)
    print(f"check_errors: {count} messages, {len(faults)} that do not say what was found after what was expected")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
