"""GGUF headers of published configs, written by llama.cpp's own converter, and its table of pairings.

For every testdata/models/*/config.json that the converter takes: model.gguf beside it, with the keys
and the rope tensors that the converter writes and no other tensor. And
testdata/reference/gguf_architectures.json: how llama.cpp turns each architecture, as
llama_model_rope_type of its src/llama-model.cpp says.

LLAMA_CPP: the folder vendor/llama.cpp of the source distribution of llama-cpp-python 0.3.36:

    pip download --no-binary :all: --no-deps llama-cpp-python==0.3.36 && tar xf llama_cpp_python-0.3.36.tar.gz
"""

import json
import logging
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

LLAMA_CPP = Path(os.environ["LLAMA_CPP"])
sys.path[:0] = [str(LLAMA_CPP), str(LLAMA_CPP / "gguf-py")]

import gguf
from conversion import get_model_class
from conversion.base import ModelBase, ModelType, get_model_architecture

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "testdata" / "models"
ARCHITECTURES = ROOT / "testdata" / "reference" / "gguf_architectures.json"


# Keys that the converter wants and that have nothing to do with positions.
OTHERS = {"scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 256}


def convert(config, out):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shutil.copy(config, folder / "config.json")
        hparams = ModelBase.load_hparams(folder, False)
        # What transformers 5 leaves out when it loads a config.
        for key, value in (json.loads(config.read_text()) | OTHERS).items():
            hparams.setdefault(key, value)
        architecture = get_model_architecture(hparams, ModelType.TEXT)
        model = get_model_class(architecture)(folder, gguf.LlamaFileType.MOSTLY_F16, out, hparams=hparams)
        model.set_gguf_parameters()
        writer = model.gguf_writer
        for name, data in model.generate_extra_tensors():
            writer.add_tensor(name, data.numpy())
        writer.write_header_to_file(path=out)
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file() if writer.tensors[0] else writer.write_ti_data_to_file()
        writer.close()


def rope_types():
    names = dict(re.findall(r'\{\s*(LLM_ARCH_\w+),\s*"([^"]+)"\s*\}', (LLAMA_CPP / "src/llama-arch.cpp").read_text()))
    source = (LLAMA_CPP / "src/llama-model.cpp").read_text()
    body = source[source.index("llama_rope_type llama_model_rope_type(") :]
    types, waiting = {}, []
    for line in body[: body.index("\n}\n")].splitlines():
        if case := re.search(r"case (LLM_ARCH_\w+):", line):
            waiting.append(names[case[1]])
        elif found := re.search(r"return (?:model->hparams\.(use_mrope)\(\) \? \w+ : )?LLAMA_ROPE_TYPE_(\w+);", line):
            for name in waiting:
                types.setdefault(name, found[2].lower())
            if line.startswith("        " + " " * 4 + "return"):
                waiting = []
    return {name: kind for name, kind in sorted(types.items()) if not name.startswith("(")}


def main():
    logging.disable(logging.CRITICAL)
    for config in sorted(MODELS.glob("*/config.json")):
        out = config.with_name("model.gguf")
        try:
            convert(config, out)
        except (NotImplementedError, KeyError, FileNotFoundError, AssertionError, ValueError) as reason:
            print(f"{config.parent.name}: not converted: {type(reason).__name__} {reason}")
    ARCHITECTURES.write_text(json.dumps(rope_types(), indent=1) + "\n")


if __name__ == "__main__":
    main()
