#!/usr/bin/env python3
"""Checks that includes point down only: tools/check_layers.py [ROOT]

The tables below are the rules; docs/decisions/0001-layers.md and 0004-rooms.md say why. Prints one line per fault,
"file:line: includes X: rule", and exits with 1 if there is any.
"""

import pathlib
import re
import sys

# A room of ropewalk/ and the rooms below it that it may include. Its own files are always allowed,
# but for the rooms of PARTS.
LAYERS = {
    "base": "",
    "encoding": "base",
    "positions": "base encoding",
    "formats": "base",
    "spectrum": "base encoding",
    "kernels": "base encoding",
    "tables": "base encoding spectrum kernels",
    "apply": "base encoding positions spectrum kernels tables",
    "conventions": "base encoding",
    "dialects": "base encoding spectrum formats conventions",
    "models": "base encoding spectrum formats conventions dialects",
    "weights": "base encoding formats conventions models",
    "attention": "base encoding positions spectrum kernels tables apply weights",
    "parallel": "base encoding positions spectrum kernels tables apply attention",
    "diagnose": "base encoding positions spectrum kernels tables apply attention formats conventions models weights",
    "report": "base encoding positions spectrum kernels tables apply attention formats models weights diagnose",
    # The public face of all, for C.
    "capi": "base encoding positions spectrum kernels tables apply attention formats conventions dialects models weights"
    " diagnose report parallel",
    # Helpers of the tests, and what they are made of.
    "testing": "base encoding kernels formats",
}

# Rooms that are checked file by file: a part of the room, how the names of its files begin (the longest
# that fits decides), and the parts below it.
PARTS = {
    "kernels": (
        ("simd", ("simd/",), ""),
        ("rows", ("rows/",), "simd"),
        ("rope", ("rope/",), "simd rows"),
        ("add", ("add/",), "simd rows"),
        ("attention", ("attention/",), "simd rows"),
    ),
    "formats": (
        ("file", ("file", "atomic_write", "byte_order", "foreign"), ""),
        ("vocabulary", ("gguf_types", "gguf_names", "safetensors_types"), "file"),
        ("json", ("json",), "file"),
        ("npy", ("npy",), "file"),
        ("gguf", ("gguf",), "file vocabulary"),
        ("torch", ("torch",), "file"),
        # The header of the format, and the index of several files, are JSON.
        ("safetensors", ("safetensors",), "file vocabulary json"),
        ("checkpoint", ("checkpoint",), "file json safetensors"),
    ),
}

# The names in scalings.inc, of which "none" may mean something else, too.
SCALINGS = pathlib.Path(__file__).resolve().parent.parent / "ropewalk/spectrum/scalings.inc"
ROPE_TYPES = [name for name in re.findall(r'"([^"]+)"', SCALINGS.read_text(encoding="utf-8").split("\nROPEWALK", 1)[1])
              if name != "none"]
ROPE_TYPE = f'"({"|".join(map(re.escape, ROPE_TYPES))})"'

# Words of the code (a regular expression), the files that may say them, and why.
WORDS = (
    (r"\bEvidence\b|(\.|->)evidence\b",
     ("ropewalk/encoding/model_encoding.h", "ropewalk/encoding/to_json.", "ropewalk/dialects/notes.cc",
      "ropewalk/report/", "python/native/evidence.cc", "python/native/fields.h"),
     "evidence is written for a reader, and printed: what a computation needs is a field of its own"),
    (rf'\brope_type"?\]?\s*[!=]=|[!=]=\s*{ROPE_TYPE}|{ROPE_TYPE}\s*[!=]=',
     ("ropewalk/spectrum/",),
     "only ropewalk/spectrum compares a rope_type by name: others ask for a trait of scaling_traits.h"),
)

# Folders beside ropewalk/ that use the library: all of it but the helpers of the tests, which fuzz/ may use.
USERS = ("cli", "python", "bench", "fuzz", "examples", "tools")

# Includes every public header (tools/check_public.py): for those who use the library, not for the library.
ALL = "ropewalk/all.h"

# Headers of other projects (a regular expression), where they may be included, and why.
FOREIGN = (
    (r"mpi\.h$", ("ropewalk/parallel/",), "only ropewalk/parallel knows MPI"),
    (r"hwy/", ("ropewalk/kernels/",), "only ropewalk/kernels knows an instruction set"),
    (r"cairo", ("cli/plot/", "ropewalk/report/plot/"), "only plot draws"),
    (r"omp\.h$", ("ropewalk/base/",), "threads come from parallel_for of ropewalk/base"),
    (r"nlohmann/", ("ropewalk/encoding/", "ropewalk/formats/", "ropewalk/dialects/", "ropewalk/models/", "ropewalk/weights/",
                    "ropewalk/diagnose/", "ropewalk/report/", "ropewalk/capi/", "ropewalk/testing/") + USERS,
     "JSON is what files are read from: conventions are data, and whoever computes takes values; tests may"),
    (r"mpfr\.h$", ("ropewalk/testing/",), "MPFR is an oracle of the tests"),
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".h", ".cc", ".c", ".inc"}


def is_test(path):
    """A test, or a helper that lies beside the tests of its folder."""
    return path.endswith(("_test.cc", "_test.c", "_testing.h")) or path.startswith("ropewalk/testing/")


def layer_of(path):
    """'base' for ropewalk/base/...; None outside ropewalk/."""
    parts = path.split("/")
    return parts[1] if parts[0] == "ropewalk" and len(parts) > 2 else None


def part_of(room, path):
    """The part of a room that a file belongs to and the parts that it may include, or None."""
    name = path.split("/", 2)[2]
    fitting = [
        (len(prefix), part, below)
        for part, prefixes, below in PARTS[room]
        for prefix in prefixes
        if name.startswith(prefix)
    ]
    return max(fitting)[1:] if fitting else None


def foreign_fault(path, header):
    for pattern, places, why in FOREIGN:
        if not re.match(pattern, header) or path.startswith(places):
            continue
        if is_test(path) and "tests" in why:
            continue
        return why
    return None


def private_fault(path, header):
    """Headers that only some files may see, wherever they lie."""
    if header.endswith("-inl.h") and layer_of(path) != layer_of(header):
        return "an -inl.h header is seen by its own layer only"
    if is_test(header) and not is_test(path) and not path.startswith("fuzz/"):
        return "helpers of the tests are for *_test.cc only"
    if path.startswith("ropewalk/kernels/") and header == "ropewalk/base/error.h" and not is_test(path):
        return "kernels take plain data and throw nothing: what stands above them checks"
    return None


def part_fault(room, path, header):
    source, target = part_of(room, path), part_of(room, header)
    if is_test(path) and target:
        return None
    if source is None or target is None:
        return f"{path if source is None else header} is in no part of {room} in tools/check_layers.py"
    if source[0] != target[0] and target[0] not in source[1].split():
        return f"{source[0]} of {room} may include: {source[1] or 'nothing above it'}"
    return None


def layer_fault(path, header):
    source, target = layer_of(path), layer_of(header)
    if header == ALL and source is not None and not is_test(path):
        return "ropewalk/all.h is for the users of the library"
    if ALL in (header, path):
        return None
    if target not in LAYERS:
        return "no such layer in tools/check_layers.py"
    if source == target:
        return part_fault(source, path, header) if source in PARTS else None
    if source is None:
        return None if path.startswith(tuple(user + "/" for user in USERS)) else "not a user of ropewalk"
    if source not in LAYERS:
        return f"{source} is no layer in tools/check_layers.py"
    if is_test(path) and source != "testing":
        return "tests may include all of ropewalk but parallel" if target == "parallel" else None
    if target not in LAYERS[source].split():
        return f"{source} may include: {LAYERS[source] or 'nothing above it'}"
    return None


def fault(root, path, quote, header):
    """The rule that an include breaks, or None."""
    broken = foreign_fault(path, header)
    if broken or quote == "<":
        return broken
    if not (root / header).is_file():
        return 'what stands in "" is a file, named from the root of the repository'
    if header.startswith("ropewalk/"):
        return private_fault(path, header) or layer_fault(path, header)
    if layer_of(path) is not None:
        return "ropewalk includes nothing of the programs that use it"
    if header.split("/")[0] != path.split("/")[0]:
        return "a folder beside ropewalk includes itself and ropewalk only"
    return private_fault(path, header)


def word_fault(path, line):
    code = line.split("//")[0]
    for pattern, places, why in WORDS:
        if re.search(pattern, code) and not is_test(path) and not path.startswith(places):
            return why
    return None


def check(root):
    """All faults of a tree, as lines of text, and the number of files read."""
    faults, count = [], 0
    for top in ("ropewalk", *USERS):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SOURCES or not file.is_file():
                continue
            count += 1
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                broken = match and fault(root, path, *match.groups())
                if broken:
                    faults.append(f"{path}:{number}: includes {match[2]}: {broken}")
                said = word_fault(path, line)
                if said:
                    faults.append(f"{path}:{number}: {said}")
    return faults, count


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    faults, count = check(root if root.is_dir() else root.parent.parent)
    for line in faults:
        print(line)
    if count == 0:
        print(f"{root}: no source files")
    print(f"check_layers: {count} files, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
