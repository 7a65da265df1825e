#!/usr/bin/env python3
"""Prints the stub of the compiled module: PYTHONPATH=build/python python tools/make_stub.py > python/ropewalk/_ropewalk.pyi

python/tests/test_stub.py compares what it prints with that file, which type checkers and editors read.
"""

import sys

from nanobind.stubgen import StubGen


class Stub(StubGen):
    """Without the second function of each name, which only says what is wrong with a call (python/native/arguments.h)."""

    def put_nb_func(self, fn, name=None, is_classmethod=False):
        first, *others = fn.__nb_signature__
        if others and others[-1][0].endswith("(...)"):
            self.put_nb_overload(fn, first, name, is_classmethod=is_classmethod)
        else:
            super().put_nb_func(fn, name, is_classmethod)


def stub():
    import ropewalk._ropewalk as module

    generator = Stub(module, quiet=True)
    generator.put(module)
    # Where Error is defined; ropewalk itself imports this module.
    return generator.get().replace("from ropewalk import Error as Error", "from ._error import Error as Error")


if __name__ == "__main__":
    sys.stdout.write(stub())
