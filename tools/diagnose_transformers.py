#!/usr/bin/env python3
"""Right dumps of transformers' own code, of which `ropewalk diagnose` must say nothing: tools/diagnose_transformers.py ROPEWALK [COUNT]

Runs the rotary embedding and apply_rotary_pos_emb of a model type, eager, in float32, bf16 and f16, on random q at several positions. Needs
torch and transformers (written with 2.15 and 5.24). Exit code 1 for a false alarm.
"""

import importlib
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import torch
from transformers import AutoConfig

MODELS = pathlib.Path(__file__).resolve().parent.parent / "testdata/models"
MODULES = {
    "llama-3-8b": "llama", "llama-3.1-8b": "llama", "llama-3.2-1b": "llama", "qwen2-7b": "qwen2", "qwen3-8b": "qwen3",
    "qwen2.5-7b-yarn": "qwen2", "gemma-2b": "gemma", "mistral-nemo-12b": "mistral", "olmo-2-7b": "olmo2", "phi-2": "phi",
    "stablelm-2-1.6b": "stablelm", "gpt-neox-20b": "gpt_neox", "command-r7b": "cohere2", "smollm3-3b": "smollm3",
    "granite-3.1-8b": "granite", "starcoder2-7b": "starcoder2", "deepseek-coder-33b": "llama", "vicuna-7b-v1.5-16k": "llama",
    "glm-4-9b-0414": "glm4", "gpt-oss-20b": "gpt_oss", "ernie-4.5-0.3b": "ernie4_5", "helium-1-2b": "helium",
}


def rotated(module, q, cos, sin, width):
    """What the attention of the model makes of q [1, heads, tokens, head_dim]: some turn the first channels alone."""
    try:
        return module.apply_rotary_pos_emb(q, q, cos, sin)[0]
    except RuntimeError:
        turned = module.apply_rotary_pos_emb(q[..., :width], q[..., :width], cos, sin)[0]
        return torch.cat([turned, q[..., width:]], -1)


def dump(folder):
    name = random.choice(list(MODULES))
    module = importlib.import_module(f"transformers.models.{MODULES[name]}.modeling_{MODULES[name]}")
    config = AutoConfig.from_pretrained(str(MODELS / name))
    rotary = next(getattr(module, each) for each in dir(module) if each.endswith("RotaryEmbedding"))(config)
    dtype = random.choice([torch.float32, torch.bfloat16, torch.float16])
    first, count, heads = random.choice([0, 0, 5, 1000, 4000, 30000]), random.choice([1, 4, 32, 64, 130]), random.choice([1, 2, 8])
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    q = torch.randn(1, heads, count, head_dim).to(dtype)
    cos, sin = rotary(q, torch.arange(first, first + count)[None])
    y = rotated(module, q, cos, sin, cos.shape[-1])
    for part, x in ("before", q), ("after", y):
        np.save(f"{folder}/{part}.npy", x.transpose(1, 2).float().numpy())
    return name, str(dtype), first, count, heads


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 250
    random.seed(0)
    torch.manual_seed(0)
    alarms = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            name, dtype, first, tokens, heads = dump(folder)
            run = subprocess.run(
                [binary, "diagnose", str(MODELS / name), "--before", f"{folder}/before.npy", "--after", f"{folder}/after.npy",
                 "--positions", f"{first}..{first + tokens}", "--layout", "bshd"], capture_output=True, text=True)
            if run.returncode != 0:
                alarms += 1
                print(name, dtype, first, tokens, heads, run.stdout, run.stderr)
    print(f"{count} right dumps of transformers, {alarms} false alarms")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
