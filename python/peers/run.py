"""The suites of script/peers, one table, and docs/peers.md."""

import hashlib
import importlib
import importlib.metadata
import pathlib
import pickle
import platform
import sys

import ropewalk

import ggml_library
import vllm_rotary
from result import HEAD, by_reason, markdown_table, plain_table

SUITES = ("onnx_nodes", "rope_functions", "torch_tests", "models", "onnxruntime_ops", "ggml", "vllm_rotary")
FOLDER = pathlib.Path(__file__).resolve().parent
DOCS = FOLDER.parent.parent / "docs" / "peers.md"

# Peers that no suite runs yet, and why.
LEFT_OUT = (
    ("transformers' own test files", "they are not in the package on PyPI; its functions and classes are run instead"),
)

INTRODUCTION = """# Other software's suites beside ropewalk

Written by `script/peers --docs`. It installs its peers from PyPI, pinned in python/peers/requirements.txt (ggml is built out of the
sdist of llama-cpp-python, vLLM is installed without a device), and runs their own test cases, or the peers themselves over a grid,
beside the Python package. A case passes when no number is farther from the peer's than the bound. What ropewalk does not do, or not
from Python, is excluded by name below.
"""


def versions():
    pinned = [line.split("==")[0] for line in (FOLDER / "requirements.txt").read_text().splitlines() if "==" in line]
    found = [f"{name} {importlib.metadata.version(name)}" for name in pinned]
    return f"ropewalk {ropewalk.__version__}, Python {platform.python_version()}, " + ", ".join([*found, *(pin.replace("==", " ") for pin in (ggml_library.PIN, vllm_rotary.PIN))])


def document(suites):
    lines = [INTRODUCTION, f"Versions: {versions()}.\n", markdown_table(HEAD, [suite.row() for suite in suites]), ""]
    if any(suite.failed for suite in suites):
        lines.append("## Failed\n")
        lines += [f"- {suite.name}, `{case}`: {why}" for suite in suites for case, why in suite.failed] + [""]
    lines.append("## Excluded\n")
    for suite in suites:
        for why, cases in by_reason(suite.excluded).items():
            lines.append(f"- {suite.name}: {why}: " + ", ".join(f"`{case}`" for case in cases) + ".")
    lines += ["", "## Left out for now\n"] + [f"- {peer}: {why}." for peer, why in LEFT_OUT]
    for suite in suites:
        if suite.notes:
            lines += ["", f"## Notes: {suite.name}\n"] + [f"- {note}" for note in suite.notes]
    return "\n".join(lines) + "\n"


class Results:
    """What each suite found last, kept beside the build; only that of the package as it is now is read."""

    def __init__(self):
        files = [ropewalk._ropewalk.__file__, *sorted(pathlib.Path(ropewalk.__file__).parent.glob("*.py"))]
        self.package = hashlib.sha256(b"".join(pathlib.Path(file).read_bytes() for file in files)).hexdigest()
        self.folder = FOLDER.parent.parent / "build" / "peers-results"

    def read(self, name):
        file = self.folder / f"{name}.pickle"
        package, suites = pickle.loads(file.read_bytes()) if file.exists() else (None, None)
        return suites if package == self.package else None

    def write(self, name, suites):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{name}.pickle").write_bytes(pickle.dumps((self.package, suites)))


def main(arguments):
    write_docs = "--docs" in arguments
    names = [name for name in arguments if name != "--docs"] or list(SUITES)
    if any(name not in SUITES for name in names):
        print(f"script/peers: expected --docs, or suites out of {', '.join(SUITES)}, found {' '.join(arguments)}", file=sys.stderr)
        return 2
    results, suites = Results(), []
    missing = [name for name in SUITES if name not in names and results.read(name) is None]
    if write_docs and missing:
        print(f"script/peers: --docs: expected earlier results, of this module, of the other suites, found none of "
              f"{', '.join(missing)}", file=sys.stderr)
        return 2
    for name in names:
        if sys.stderr.isatty():
            print(f"script/peers: {name}", file=sys.stderr)
        found = importlib.import_module(name).run()
        results.write(name, found)
        suites += found
    print(plain_table(suites))
    failed = [(suite.name, *failure) for suite in suites for failure in suite.failed]
    for suite, case, why in failed:
        print(f"failed: {suite}: {case}: {why}")
    if write_docs:
        DOCS.write_text(document([suite for name in SUITES for suite in results.read(name)]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
