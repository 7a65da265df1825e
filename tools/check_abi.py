#!/usr/bin/env python3
"""The binary interface of libropewalk_c.so: what its headers declare, and what may not change.

tools/check_abi.py symbols LIBRARY  fails unless the library exports the functions of the headers and nothing else
tools/check_abi.py numbers          fails unless enumerators, and the sizes and places of all fields, are those of
                                    ropewalk/capi/abi/numbers.txt; for machines with 64-bit pointers, like the dump
tools/check_abi.py check            fails where a program that was built against ropewalk/capi/abi/ropewalk_c.abi would break
                                    (abidiff); exits with 77 where abigail-tools are not installed, or the machine
                                    is not that of the dump, x86-64
tools/check_abi.py update           writes both files (script/abi)

The dump is that of a library of empty C functions, made from the headers: a C compiler's debug information of plain structs,
whatever C++ compiler and flags the real one has.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPI = ROOT / "ropewalk/capi"
DUMP = CAPI / "abi/ropewalk_c.abi"
NUMBERS = CAPI / "abi/numbers.txt"
STABLE = ("types.h", "model.h", "rotate.h", "tables.h", "positions.h", "attention.h", "kv_cache.h")
UNSTABLE = ()
SKIPPED = 77

FUNCTION = re.compile(r"^ROPEWALK_(?:API|CHECKED)\s+([^;{]*?)\b(ropewalk_\w+)\(([^;{]*)\);", re.MULTILINE | re.DOTALL)
ENUM = re.compile(r"^typedef enum \w+ \{([^}]*)\} \w+;", re.MULTILINE)
STRUCT = re.compile(r"^typedef struct \w+ \{([^}]*)\} (\w+);", re.MULTILINE)


def code_of(header):
    return re.sub(r"//[^\n]*", "", (CAPI / header).read_text(encoding="utf-8"))


def functions(headers):
    """(what it returns, name, parameters) of each declaration."""
    found = []
    for header in headers:
        text = code_of(header)
        found += [(result.strip(), name, parameters) for result, name, parameters in FUNCTION.findall(text)]
    return found


def stub():
    """A C source that defines every stable function."""
    lines = ["#include <ropewalk.h>"]
    for result, name, parameters in functions(STABLE):
        lines.append(f"{result} {name}({parameters}) {{ {'' if result == 'void' else 'return 0;'} }}")
    return "\n".join(lines) + "\n"


def numbers_source():
    """A C program that prints each number that a compiled user of the headers has in it."""
    lines = ["#include <ropewalk.h>", "#include <stdio.h>", "int main(void) {"]
    for header in STABLE:
        text = code_of(header)
        for body in ENUM.findall(text):
            lines += [f'printf("{name} %d\\n", {name});' for name in re.findall(r"\bROPEWALK_\w+", body)]
        for body, name in STRUCT.findall(text):
            lines.append(f'printf("{name} %d\\n", (int)sizeof({name}));')
            for field in re.findall(r"(\w+)\s*(?=[;,])", body):
                lines.append(f'printf("{name}.{field} at %d of %d\\n", (int)offsetof({name}, {field}), (int)sizeof((({name}*)0)->{field}));')
    return "\n".join([*lines, "return 0;", "}"]) + "\n"


def compiled(*arguments):
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-w", f"-I{ROOT}", f"-I{CAPI}", *arguments], check=True)


def numbers(folder):
    source, program = folder / "numbers.c", folder / "numbers"
    source.write_text(numbers_source(), encoding="utf-8")
    compiled(source, "-o", program)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def check_numbers(folder):
    if sys.maxsize < 2**63 - 1:
        return SKIPPED
    expected, found = NUMBERS.read_text(encoding="utf-8").splitlines(), numbers(folder).splitlines()
    faults = [f"expected {line}" for line in expected if line not in found] + [f"found {line}" for line in found if line not in expected]
    print("\n".join(faults) or f"check_abi: {len(found)} numbers are as they were")
    return 1 if faults else 0


def symbols(library):
    printed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in printed.splitlines() if line.split()[1] != "A"}
    declared = {name for _, name, _ in functions(STABLE + UNSTABLE)}
    faults = [f"{name}: exported, and no header declares it" for name in sorted(exported - declared)]
    faults += [f"{name}: declared, and not exported" for name in sorted(declared - exported)]
    print("\n".join(faults) or f"check_abi: {len(declared)} functions, and nothing else is exported")
    return 1 if faults or not declared else 0


def dump(folder):
    """The path of a fresh dump."""
    source, library, path = folder / "stub.c", folder / "libropewalk_c.so.0.1", folder / "found.abi"
    source.write_text(stub(), encoding="utf-8")
    compiled("-g", "-O0", "-fPIC", "-shared", f"-ffile-prefix-map={folder}=.", f"-Wl,-soname,{library.name}",
             f"-Wl,--version-script={CAPI / 'ropewalk_c.map'}", source, "-o", library)
    subprocess.run(["abidw", "--no-show-locs", "--no-comp-dir-path", "--no-corpus-path", "--type-id-style", "hash", "--out-file", path, library],
                   check=True)
    return path


def check(folder):
    if platform.machine() != "x86_64":
        print("check_abi: the dump is that of another machine, and was not compared")
        return SKIPPED
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("check_abi: abigail-tools are not installed: the dump was not compared")
        return SKIPPED
    # A function more breaks nobody; the dump must have it all the same, or nothing keeps it.
    run = subprocess.run(["abidiff", "--impacted-interfaces", DUMP, dump(folder)], capture_output=True, text=True, check=False)
    if run.returncode:
        print(run.stdout + run.stderr + "check_abi: expected the interface of ropewalk/capi/abi/ropewalk_c.abi; if the change breaks no program, or the "
              "SONAME is a new one: script/abi")
    return 1 if run.returncode else 0


def self_test():
    assert len(functions(STABLE)) > 20 and all(name.startswith("ropewalk_") for _, name, _ in functions(STABLE))
    assert ("void", "ropewalk_free_rope", "ropewalk_rope* rope") in functions(STABLE)
    assert not {name for _, name, _ in functions(UNSTABLE)} & {name for _, name, _ in functions(STABLE)}


def main():
    self_test()
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if command == "symbols" and len(sys.argv) == 3:
            return symbols(sys.argv[2])
        if command == "numbers":
            return check_numbers(folder)
        if command == "check":
            return check(folder)
        if command == "update":
            DUMP.parent.mkdir(exist_ok=True)
            NUMBERS.write_text(numbers(folder), encoding="utf-8")
            DUMP.write_text(dump(folder).read_text(encoding="utf-8"), encoding="utf-8")
            return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
