"""The tests of ropewalk.torch (test_torch.py, test_torch_attention.py), by pytest."""

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
            self.suite.exclude(name, str(report.longrepr))
        elif report.when == "call":
            self.suite.passed.append(name)


def _run(name, what):
    suite = Suite(f"{what} ({name})", "each test's own")
    file = pathlib.Path(__file__).with_name(name)
    code = pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", str(file)], plugins=[_Collect(suite)])
    if code not in (0, 1):
        suite.fail(file.name, f"pytest ended with {code!r}")
    return suite


def run():
    return [
        _run("test_torch.py", "ropewalk.torch with torch and transformers"),
        _run("test_torch_attention.py", "ropewalk's attention and torch's, and their gradients"),
    ]
