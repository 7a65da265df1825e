"""Rotations by transformers' own code, eager, for tools/diagnose_implementations.py: the rotary embedding and apply_rotary_pos_emb of a
model type. Needs torch and transformers (written with 2.15 and 5.24)."""

import functools
import importlib
import pathlib

import torch
from transformers import AutoConfig

ROOT = pathlib.Path(__file__).resolve().parent.parent / "testdata/models"
_TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
DTYPES = tuple(_TYPES)

MODELS = {
    "llama-3-8b": "llama", "llama-3.1-8b": "llama", "llama-3.2-1b": "llama", "qwen2-7b": "qwen2", "qwen3-8b": "qwen3",
    "qwen2.5-7b-yarn": "qwen2", "gemma-2b": "gemma", "mistral-nemo-12b": "mistral", "olmo-2-7b": "olmo2", "phi-2": "phi",
    "stablelm-2-1.6b": "stablelm", "gpt-neox-20b": "gpt_neox", "command-r7b": "cohere2", "smollm3-3b": "smollm3",
    "granite-3.1-8b": "granite", "starcoder2-7b": "starcoder2", "deepseek-coder-33b": "llama", "vicuna-7b-v1.5-16k": "llama",
    "glm-4-9b-0414": "glm4", "gpt-oss-20b": "gpt_oss", "ernie-4.5-0.3b": "ernie4_5", "helium-1-2b": "helium",
}
INTERLEAVED = ("command-r7b", "glm-4-9b-0414", "ernie-4.5-0.3b", "helium-1-2b")

SCALED = ("llama-3.1-8b", "llama-3.2-1b", "qwen2.5-7b-yarn", "deepseek-coder-33b", "vicuna-7b-v1.5-16k", "gpt-oss-20b")

WRONG = (
    ("another base in the module", lambda name: name not in SCALED, "base", ("base",)),
    ("the module cast to bf16", lambda name: True, "cast", ("angle_precision",)),
    ("position_ids from 1", lambda name: True, "shift", ("positions",)),
    ("apply_rotary_pos_emb of Cohere", lambda name: name in ("llama-3-8b", "qwen2-7b", "gemma-2b", "olmo-2-7b"), "cohere", ("pairing",)),
    ("applied twice", lambda name: True, "twice", ("repetition",)),
    ("the scaling not read", lambda name: name in ("llama-3.1-8b", "llama-3.2-1b", "deepseek-coder-33b", "vicuna-7b-v1.5-16k"), "plain", ("scaling",)),
    ("attention_scaling not read", lambda name: name in ("qwen2.5-7b-yarn", "gpt-oss-20b"), "amplitude", ("amplitude", "scaling")),
)


@functools.lru_cache(maxsize=None)
def _module(name):
    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def _made(name):
    module = _module(MODELS[name])
    config = AutoConfig.from_pretrained(str(ROOT / name))
    rotary = next(getattr(module, each) for each in dir(module) if each.endswith("RotaryEmbedding"))(config)
    return module, config, rotary


_KEPT = functools.lru_cache(maxsize=None)(_made)


def _applied(module, q, cos, sin):
    """What the attention of the model makes of q [1, heads, tokens, head_dim]: some turn the first channels alone."""
    width = cos.shape[-1]
    try:
        return module.apply_rotary_pos_emb(q, q, cos, sin)[0]
    except RuntimeError:
        return torch.cat([module.apply_rotary_pos_emb(q[..., :width], q[..., :width], cos, sin)[0], q[..., width:]], -1)


def _changed(rotary, change):
    if change == "base":
        pairs = len(rotary.inv_freq)
        rotary.inv_freq = (23000.0 ** (-torch.arange(pairs, dtype=torch.float64) / pairs)).float()
    if change == "cast":
        rotary.inv_freq = rotary.inv_freq.bfloat16().float()
    if change == "amplitude":
        rotary.attention_scaling = 1.0
    return rotary


def dump(_, rng, dtype, first, count, wrong=None, of=None):
    name = of or list(MODELS)[rng.integers(len(MODELS))]
    module, config, rotary = (_made if wrong else _KEPT)(name)
    rotary = _changed(rotary, wrong)
    if wrong == "plain":
        base, pairs = config.rope_parameters["rope_theta"], len(rotary.inv_freq)
        rotary.inv_freq = (base ** (-torch.arange(pairs, dtype=torch.float64) / pairs)).float()
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    generator = torch.Generator().manual_seed(int(rng.integers(1 << 30)))
    q = torch.randn(1, int(rng.choice([2, 4, 8])), count, head_dim, generator=generator).to(_TYPES[dtype])
    ids = torch.arange(first, first + count)
    cos, sin = rotary(q, ids[None] + (wrong == "shift"))
    if wrong == "cohere":  # its own rows of the same frequencies
        cos, sin = (x[..., : x.shape[-1] // 2].repeat_interleave(2, -1) for x in (cos, sin))
        module = _module("cohere2")
    y = _applied(module, q, cos, sin)
    if wrong == "twice":
        y = _applied(module, y, cos, sin)
    return dict(model=name, before=q, after=y, position_ids=ids, layout="bhsd")


def faults():
    for name in MODELS:
        for what, fits, change, expected in WRONG:
            if fits(name):
                yield what, name, change, expected
