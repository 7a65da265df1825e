import inspect
import pathlib
import subprocess
import sys

import pytest
import ropewalk

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_stub_is_that_of_the_module():
    made = subprocess.run([sys.executable, ROOT / "tools/make_stub.py"], check=True, capture_output=True, text=True).stdout
    assert made == (ROOT / "python/ropewalk/_ropewalk.pyi").read_text(encoding="utf-8"), "make it anew: tools/make_stub.py"


@pytest.mark.parametrize("name", [name for name in ropewalk.__all__ if name != "__version__"])
def test_everything_public_says_what_it_is(name):
    public = getattr(ropewalk, name)
    assert inspect.getdoc(public)
    if inspect.isclass(public):
        for member, value in vars(public).items():
            if not member.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_importing_needs_numpy_only():
    code = "import sys; old = set(sys.modules); import ropewalk; print(sorted({m.split('.')[0] for m in set(sys.modules) - old}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for other in ("torch", "jax", "matplotlib", "ml_dtypes", "nanobind"):
        assert f"'{other}'" not in loaded
    assert "'numpy'" in loaded
