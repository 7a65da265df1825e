"""vLLM's rotary modules (get_rope) and their forward_native beside ropewalk.Rope. Its sdist is installed without a device into
build/peers-vllm, with what its modules import; nothing of it is compiled."""

import itertools
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import types

import ropewalk
import torch

from result import Suite

PIN = "vllm==0.33.0"
BUILDS = ("setuptools==80.10.2", "setuptools-scm==10.3.4", "setuptools-rust==1.13.0", "wheel==0.48.0")
PINS = pathlib.Path(__file__).with_name("vllm-requirements.txt")
INSTALLED = pathlib.Path(__file__).resolve().parents[2] / "build" / "peers-vllm"

LONGEST = 4096
# A step of float32 in a frequency, of up to 4096 positions, and the angle's own rounding; of numbers up to 4.
BOUND = 4 * LONGEST * 2.0**-23
TRAINED = {"original_max_position_embeddings": 1024}
BLOCKS = (
    {"rope_type": "default"},
    {"rope_type": "linear", "factor": 4.0},
    {"rope_type": "dynamic", "factor": 4.0, "max_trained_positions": 1024},
    {"rope_type": "yarn", "factor": 4.0, **TRAINED},
    {"rope_type": "yarn", "factor": 4.0, "beta_fast": 16, "beta_slow": 2, "truncate": False, **TRAINED},
    {"rope_type": "yarn", "factor": 4.0, "mscale": 0.707, "mscale_all_dim": 1.2, **TRAINED},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **TRAINED},
    {"rope_type": "longrope", **TRAINED},
)


def install():
    """The folder with vLLM in it, made where it is missing; CalledProcessError with pip's words."""
    stamp, wanted = INSTALLED / "requirements.txt", PIN + "\n" + PINS.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"script/peers: {PIN} into {INSTALLED.name}", file=sys.stderr)
        shutil.rmtree(INSTALLED, ignore_errors=True)
        # The override is for pip, which else finds 0.33.0+empty.
        environment = {**os.environ, "VLLM_TARGET_DEVICE": "empty", "VLLM_VERSION_OVERRIDE": PIN.split("==")[1]}
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        into = ["--no-deps", "--target", str(INSTALLED)]
        for what in (BUILDS, [*into, "--no-build-isolation", "--no-binary", "vllm", PIN], [*into, "-r", str(PINS)]):
            subprocess.run([*pip, *what], check=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        stamp.write_text(wanted)
    return INSTALLED


def _loaded():
    """(get_rope, what makes a configuration current), or an error of any kind."""
    sys.path.append(str(install()))
    os.environ["VLLM_TARGET_DEVICE"] = "cpu"
    logging.disable(logging.WARNING)  # what it cannot do without a device
    from vllm.config import VllmConfig, set_current_vllm_config
    from vllm.model_executor.layers.rotary_embedding import get_rope

    config = VllmConfig()
    object.__setattr__(config, "model_config", types.SimpleNamespace(max_model_len=LONGEST))  # longrope asks for it
    return get_rope, lambda: set_current_vllm_config(config)


def _rope(head_dim, rotary_dim, neox, base, block):
    block = dict(block)
    if block["rope_type"] == "dynamic":
        block["max_position_embeddings"] = block.pop("max_trained_positions")
    elif block["rope_type"] == "longrope":
        block["max_position_embeddings"] = LONGEST
    # vLLM keeps one table for all lengths: of the longest that it serves.
    seq_len = LONGEST if block["rope_type"] in ("dynamic", "longrope") else None
    pairing = "half_split" if neox else "interleaved"
    return ropewalk.Rope(head_dim, pairing=pairing, base=base, rotary_dim=rotary_dim, scaling=block, seq_len=seq_len)


def _factors(block, pairs):
    if block["rope_type"] != "longrope":
        return block
    return {**block, "short_factor": [1.0] * pairs, "long_factor": [1.0 + 0.5 * i for i in range(pairs)]}


def _cases():
    for head_dim, part, neox, base, block in itertools.product((64, 128), (1.0, 0.5), (True, False), (10000.0, 500000.0), BLOCKS):
        rotary_dim = int(head_dim * part)
        block = _factors(block, rotary_dim // 2)
        shown = "".join(f", {key} {value:g}" for key, value in block.items() if isinstance(value, (int, float)))
        name = f"{block['rope_type']}, head_dim {head_dim}, rotary_dim {rotary_dim}, neox {neox:d}, base {base:g}{shown}"
        yield name, head_dim, rotary_dim, neox, base, block


def _check(suites, get_rope):
    generator = torch.Generator().manual_seed(20210420)
    ids = torch.cat((torch.arange(8), torch.randint(0, LONGEST, (24,), generator=generator), torch.tensor([LONGEST - 1])))
    for name, head_dim, rotary_dim, neox, base, block in _cases():
        parameters = {**block, "rope_theta": base, "partial_rotary_factor": rotary_dim / head_dim}
        try:
            theirs = get_rope(head_dim, LONGEST, neox, parameters, dtype=torch.float32)
        except ValueError as error:
            for suite in suites.values():
                suite.exclude(name, f"vLLM says: {str(error).rstrip('.')}")
            continue
        rope = _rope(head_dim, rotary_dim, neox, base, block)
        q, k = (torch.randn(len(ids), heads, head_dim, generator=generator).clamp(-4, 4) for heads in (4, 2))
        forward = getattr(theirs, "forward_native", theirs.forward)  # longrope has only the one
        expected = forward(ids, q.flatten(1), k.flatten(1))
        expected = torch.cat([part.reshape(len(ids), -1, head_dim) for part in expected], 1)
        suites["exact"].check(name, torch.cat(rope.apply(q, k, ids, layout="thd"), 1), expected, atol=BOUND)
        rows = rope.cos_sin(ids[None], angles="hf_float32")
        turned = [ropewalk.rotary_embedding(x[None].swapaxes(1, 2), *rows, interleaved=not neox, rotary_embedding_dim=rotary_dim)
                  for x in (q, k)]
        suites["hf_float32"].check(name, torch.cat([x.swapaxes(1, 2)[0] for x in turned], 1), expected, atol=BOUND)


def run():
    suites = {angles: Suite(f"vLLM's forward_native, angles {angles}", f"{BOUND:.2g}: a step of a frequency, times {LONGEST} positions")
              for angles in ("hf_float32", "exact")}
    try:
        get_rope, configured = _loaded()
    except Exception as error:
        said = getattr(error, "stdout", None) or str(error)
        for suite in suites.values():
            suite.exclude("all", f"{PIN} does not load here: {type(error).__name__}: {' '.join(said.split())[-300:]}")
        return list(suites.values())
    with configured():
        _check(suites, get_rope)
    return list(suites.values())
