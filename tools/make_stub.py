#!/usr/bin/env python3
"""Prints the stub of the compiled module: PYTHONPATH=build/python python tools/make_stub.py > python/ropewalk/_ropewalk.pyi

python/tests/test_stub.py compares what it prints with that file, which type checkers and editors read.
"""

import sys

from nanobind.stubgen import StubGen


def stub():
    import ropewalk._ropewalk as module

    generator = StubGen(module, quiet=True)
    generator.put(module)
    # Where Error is defined; ropewalk itself imports this module.
    return generator.get().replace("from ropewalk import Error as Error", "from ._error import Error as Error")


if __name__ == "__main__":
    sys.stdout.write(stub())
