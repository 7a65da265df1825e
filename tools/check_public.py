#!/usr/bin/env python3
"""Checks the public headers: tools/check_public.py [ROOT]

cmake/public_headers.cmake lists them. Each is there and includes, of ropewalk, public headers only, so that an installed
one compiles; ropewalk/all.h includes each, but for those APART, and nothing else; a header that is not APART includes
no header of other software; those of the C interface include each other alone; and what the READMEs show is public. Prints one line per fault and exits with 1 if there is any.
"""

import pathlib
import re
import sys

LIST = "cmake/public_headers.cmake"
ALL = "ropewalk/all.h"
C = "ropewalk/capi/ropewalk.h"
READMES = ("README.md", "README.zh.md")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"[a-z_]+$")
STANDARD_C = re.compile(r"std(def|int)\.h$")
SHOWN = re.compile(r"\bropewalk/[\w/]+\.h\b")


def read(root, path):
    return (root / path).read_text(encoding="utf-8")


def listed(root, variable):
    """The headers of one list, in its order."""
    found = re.search(rf"^set\({variable}\s([^)]*)\)", read(root, LIST), re.MULTILINE)
    return found[1].split() if found else []


def list_faults(root, headers):
    for header in sorted({header for header in headers if headers.count(header) > 1}):
        yield f"{LIST}: names {header} twice"
    for header in headers:
        if not (root / header).is_file():
            yield f"{LIST}: names {header}, which is not there"


def include_faults(root, header, public, apart):
    """Each public header is checked by itself: what it includes is public, hence checked too."""
    for quote, included in INCLUDE.findall(read(root, header)):
        if quote == '"' and included not in public:
            yield f"{header}: is public and includes {included}, which is not in {LIST}"
        if quote == '"' and included in apart and header not in apart:
            yield f"{header}: includes {included}, which includes other software"
        if quote == "<" and not STANDARD.match(included) and header not in apart:
            yield f"{header}: includes <{included}> of other software, so it belongs to those APART"


def all_faults(root, headers, apart):
    included = [header for quote, header in INCLUDE.findall(read(root, ALL)) if quote == '"']
    for header in headers:
        if header not in included:
            yield f"{ALL}: does not include {header}"
    for header in included:
        if header not in headers:
            why = "is APART" if header in apart else "is not public"
            yield f"{ALL}: includes {header}, which {why} in {LIST}"


def c_faults(root, headers):
    """ropewalk.h includes each of them; they include each other and what C has."""
    if not headers:
        return
    included = [header for _, header in INCLUDE.findall(read(root, C))]
    for header in headers:
        if header not in included and "/capi/" in header:
            yield f"{C}: does not include {header}"
    for header in (C, *(header for header in headers if (root / header).is_file())):
        for quote, found in INCLUDE.findall(read(root, header)):
            if quote == '"' and found not in headers:
                yield f"{header}: is of the C interface and includes {found}, which is not in {LIST}"
            if quote == "<" and not STANDARD_C.match(found):
                yield f"{header}: is of the C interface and includes <{found}>"


def readme_faults(root, public):
    for readme in READMES:
        for header in sorted(set(SHOWN.findall(read(root, readme)))):
            if header != ALL and header not in public:
                yield f"{readme}: shows {header}, which is not in {LIST}"


def check(root):
    """All faults of a tree, as lines of text, and the number of public headers."""
    headers, apart = listed(root, "ROPEWALK_PUBLIC_HEADERS"), listed(root, "ROPEWALK_PUBLIC_HEADERS_APART")
    public, c_headers = headers + apart, listed(root, "ROPEWALK_C_HEADERS")
    faults = [*list_faults(root, public), *list_faults(root, c_headers), *c_faults(root, c_headers)]
    for header in public:
        if (root / header).is_file():
            faults += include_faults(root, header, public, apart)
    return faults + [*all_faults(root, headers, apart), *readme_faults(root, [*public, *c_headers, C])], len(public)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    faults, count = check(root if root.is_dir() else root.parent.parent)
    for line in faults:
        print(line)
    if count == 0:
        print(f"{LIST}: names no header")
    print(f"check_public: {count} headers, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
