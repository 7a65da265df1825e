"""The tests of ropewalk.torch (test_torch*.py, test_trace.py), by pytest."""

import pathlib

import pytest

from result import Suite


class _Collect:
    def __init__(self, suite):
        self.suite = suite

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::")[-1]
        if report.failed:
            self.suite.fail(name, str(report.longrepr).splitlines()[-1])
        elif report.skipped:
            _, _, why = report.longrepr  # of the file, of the line, "Skipped: why"
            self.suite.exclude(name, why.removeprefix("Skipped: "))
        elif report.when == "call":
            self.suite.passed.append(name)


def run():
    suite = Suite("ropewalk.torch with torch and transformers (test_torch*.py, test_trace.py)", "each test's own")
    here = pathlib.Path(__file__).parent
    files = [str(path) for path in (*sorted(here.glob("test_torch*.py")), here / "test_trace.py")]
    code = pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", *files], plugins=[_Collect(suite)])
    if code not in (0, 1):
        suite.fail("pytest", f"it ended with {code!r}")
    return [suite]
