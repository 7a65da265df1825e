#!/usr/bin/env python3
"""Writes testdata/coverage/<source>.txt, the names of models that others know: make_coverage_lists.py FOLDER

FOLDER holds the files of PACKAGES, as PyPI has them. They are read where they lie; nothing of them is unpacked to disk, imported or
run. A list is the names alone, one a line, under a line that says where they are from.
"""

import ast
import pathlib
import re
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / "testdata" / "coverage"
PACKAGES = {
    "transformers": "transformers-5.24.0-py3-none-any.whl",
    "vllm": "vllm-0.33.0.tar.gz",
    "mlx_lm": "mlx_lm-0.32.2-py3-none-any.whl",
    "mlx_vlm": "mlx_vlm-0.7.10-py3-none-any.whl",
    "llama_cpp": "llama_cpp_python-0.3.36.tar.gz",
    "gguf": "gguf-0.19.0-py3-none-any.whl",
}


class Package:
    """The texts of a wheel or sdist, by their paths below its first folder."""

    def __init__(self, folder, file):
        path = pathlib.Path(folder) / file
        name, version = file.split("-")[:2]
        self.label = f"{name} {version.removesuffix('.tar.gz')}"
        if not path.is_file():
            page = f"https://pypi.org/project/{name}/{version.removesuffix('.tar.gz')}/#files"
            raise SystemExit(f"{path}: expected the file of {page}, found none")
        self.zip = zipfile.ZipFile(path) if file.endswith(".whl") else None
        self.tar = None if self.zip else tarfile.open(path)
        self.top = "" if self.zip else file.removesuffix(".tar.gz") + "/"

    def names(self):
        names = self.zip.namelist() if self.zip else self.tar.getnames()
        return [name.removeprefix(self.top) for name in names]

    def text(self, name):
        data = self.zip.read(name) if self.zip else self.tar.extractfile(self.top + name).read()
        return data.decode("utf-8")


def assigned(text):
    """The values that a module gives to its names, as trees."""
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value


def keys_of(tree):
    """The texts that are keys of a dict, or firsts of the pairs in OrderedDict([...])."""
    if isinstance(tree, ast.Call):
        tree = tree.args[0]
    keys = tree.keys if isinstance(tree, ast.Dict) else [pair.elts[0] for pair in tree.elts]
    return [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]


def transformers(package):
    """The table of auto_mappings.py and what configuration_auto.py adds to it: {...} in update() and in OrderedDict(**{...})."""
    folder = "transformers/models/auto/"
    table = dict(assigned(package.text(folder + "auto_mappings.py")))["CONFIG_MAPPING_NAMES"]
    added = ast.parse(package.text(folder + "configuration_auto.py"))
    dicts = [
        found
        for node in added.body
        if isinstance(node, (ast.Assign, ast.Expr)) and ast.unparse(node).startswith("CONFIG_MAPPING_NAMES")
        for found in ast.walk(node)
        if isinstance(found, ast.Dict)
    ]
    return "CONFIG_MAPPING_NAMES", folder, [key for tree in (table, *dicts) for key in keys_of(tree)]


def vllm(package):
    """The tables of models, not those that name what is gone or what lives elsewhere."""
    path = "vllm/model_executor/models/registry.py"
    tables = [
        tree
        for name, tree in assigned(package.text(path))
        if re.fullmatch(r"_[A-Z_]*_MODELS", name) and "PREVIOUSLY" not in name and "OOT" not in name and isinstance(tree, ast.Dict)
    ]
    return "architectures of the tables of models", path, [key for tree in tables for key in keys_of(tree)]


def mlx_lm(package):
    folder = "mlx_lm/models/"
    names = [
        path.removeprefix(folder).removesuffix(".py")
        for path in package.names()
        if re.fullmatch(folder + r"[^/]+\.py", path) and re.search(r"^class Model\(|import Model\b", package.text(path), re.M)
    ]
    return "modules that have a Model", folder, names


def mlx_vlm(package):
    folder = "mlx_vlm/models/"
    return "folders", folder, {match[1] for path in package.names() if (match := re.fullmatch(folder + r"([^/]+)/[^/]+\.py", path))}


def llama_cpp(package):
    path = "vendor/llama.cpp/src/llama-arch.cpp"
    table = re.search(r"LLM_ARCH_NAMES = \{(.*?)\n\};", package.text(path), re.S)[1]
    names = re.findall(r'\{\s*LLM_ARCH_\w+,\s*"([^"]+)"', table)
    return "LLM_ARCH_NAMES", path, [name for name in names if name != "(unknown)"]


def gguf(package):
    path = "gguf/constants.py"
    table = re.search(r"MODEL_ARCH_NAMES: dict\[MODEL_ARCH, str\] = \{(.*?)\n\}", package.text(path), re.S)[1]
    return "MODEL_ARCH_NAMES", path, re.findall(r':\s*"([^"]+)"', table)


def main(folder):
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for source, make in (
        ("transformers", transformers), ("vllm", vllm), ("mlx_lm", mlx_lm), ("mlx_vlm", mlx_vlm), ("llama_cpp", llama_cpp), ("gguf", gguf)
    ):
        package = Package(folder, PACKAGES[source])
        what, path, names = make(package)
        lines = [f"# {package.label}, {path}: {what}", *sorted(set(names))]
        (OUTPUT / f"{source}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{source}: {len(lines) - 1} names")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
