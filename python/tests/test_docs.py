"""The sessions of docs/python.md and the example of README.md say what they print."""

import doctest
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_tutorial():
    sessions = "\n".join(re.findall(r"```pycon\n(.*?)```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.DOTALL))
    found = doctest.DocTestParser().get_doctest(sessions, {}, "docs/python.md", None, 0)
    results = doctest.DocTestRunner().run(found)
    assert results.attempted > 30 and results.failed == 0


@pytest.mark.parametrize("readme", ("README.md", "README.zh.md"))
def test_the_example_of_the_readme(readme):
    text = (ROOT / readme).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == (1 if readme == "README.md" else 2)
    for example in examples:
        printed = subprocess.run([sys.executable, "-c", example], check=True, capture_output=True, text=True).stdout.strip()
        assert f"`{printed}`" in text
