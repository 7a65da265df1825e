#!/usr/bin/env python3
"""check_errors.py finds each message of the wrong order in a made-up tree, and no other."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_errors  # noqa: E402

GOOD = (
    'fail("heads: expected 1..8, found 9");',
    'fail(fmt::format("heads: expected 1..8, "\n                 "found {}", heads));',
    'fail("unexpected end");',
    "// heads is 9, expected 1..8",
    '/* "expected" */ int x = \'"\'; // "expected"',
    'std::vector<int> expected = {1};',
    'fail("found no key; expected one, found none");',
    'R"(expected, found)"',
)
BAD = (
    ('fail("heads is 9, expected 1..8");', 1, "heads is 9, expected 1..8"),
    ('\nfail("found 9, expected "\n     "1..8");', 2, "found 9, expected 1..8"),
    ('fail("expected a pair, found one: expected \\"two\\"");', 1, 'expected a pair, found one: expected \\"two\\"'),
    ('const char c = \'"\'; fail("expected x");', 1, "expected x"),
)


class CheckErrors(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text + "\n", encoding="utf-8")
            return check_errors.check(root)

    def test_what_is_right_has_no_fault(self):
        faults, count = self.check({f"cli/{i}.cc": text for i, text in enumerate(GOOD)})
        self.assertEqual(faults, [])
        self.assertEqual(count, 3)

    def test_each_wrong_message_is_named(self):
        for text, line, message in BAD:
            faults, _ = self.check({"ropewalk/base/a.cc": text, "ropewalk/base/a_test.cc": text, "tools/b.cc": text})
            self.assertEqual(faults, [f'ropewalk/base/a.cc:{line}: "{message}"'])


if __name__ == "__main__":
    unittest.main()
