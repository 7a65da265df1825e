"""transformers' ROPE_INIT_FUNCTIONS, and its frequencies without a scaling, over a grid beside ropewalk.Rope."""

import contextlib
import itertools

import numpy as np
import ropewalk
import torch
import transformers
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.glm4.modeling_glm4 import Glm4RotaryEmbedding

from result import Suite

BASES = (10000.0, 150000.0, 500000.0, 1000000.0, 12345.678)
HEAD_DIMS = (32, 64, 80, 96, 128, 256)
PARTS = (1.0, 0.75, 0.5, 0.25)
LENGTHS = (None, 100, 4096, 4097, 20000, 131072)
TRAINED = 4096  # max_position_embeddings
STEPS = 8  # what one step of torch's float32 powers, which are not correctly rounded, becomes in llama3's blend


def _factors(pairs, largest):
    return [float(np.float32(1 + (largest - 1) * (i / pairs) ** 2)) for i in range(pairs)]


def _scalings(rope_type, pairs):
    """The parameters of a rope_type that are tried."""
    if rope_type == "default":
        return [{}]
    if rope_type in ("linear", "dynamic"):
        return [{"factor": factor} for factor in (1.0, 2.0, 4.0, 8.0, 3.7)]
    if rope_type == "proportional":
        return [{}, {"factor": 8.0}]
    if rope_type == "llama3":
        grid = itertools.product((8.0, 32.0), (1.0, 2.0), (4.0, 8.0), (2048, 8192))
        names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
        return [dict(zip(names, values)) for values in grid]
    if rope_type == "longrope":
        lists = {"short_factor": _factors(pairs, 1.5), "long_factor": _factors(pairs, 60.0)}
        extras = ({}, {"factor": 32.0}, {"attention_factor": 1.19}, {"factor": 0.5})
        return [{**lists, "original_max_position_embeddings": 2048, **extra} for extra in extras]
    extras = (
        {},
        {"attention_factor": 1.25},
        {"beta_fast": 16.0, "beta_slow": 2.0},
        {"mscale": 1.0, "mscale_all_dim": 1.0},
        {"mscale": 0.707, "mscale_all_dim": 1.2},
        {"truncate": False},
    )
    grid = itertools.product((1.0, 4.0, 40.0), (2048, 16384), extras)
    return [{"factor": factor, "original_max_position_embeddings": length, **extra} for factor, length, extra in grid]


def _config(rope_type, base, head_dim, part, scaling):
    return transformers.LlamaConfig(
        hidden_size=4 * head_dim,
        num_attention_heads=4,
        head_dim=head_dim,
        max_position_embeddings=TRAINED,
        rope_parameters={"rope_type": rope_type, "rope_theta": base, "partial_rotary_factor": part, **scaling},
    )


def _theirs(rope_type, config, seq_len):
    if rope_type == "default":
        return Glm4RotaryEmbedding.compute_default_rope_parameters(config)
    if seq_len is not None and rope_type == "dynamic":  # as a model's forward calls it, torch.max(position_ids) + 1
        seq_len = torch.tensor(seq_len)
    return ROPE_INIT_FUNCTIONS[rope_type](config, None, seq_len)


def _ours(rope_type, base, head_dim, part, scaling, seq_len):
    block = {"rope_type": rope_type, **scaling}
    if rope_type in ("dynamic", "yarn", "longrope"):
        block["max_position_embeddings"] = TRAINED
    rotary_dim = int(head_dim * part)
    if rope_type == "proportional":  # the part of the pairs that turn; all channels are paired
        block["partial_rotary_factor"], rotary_dim = part, head_dim
    return ropewalk.Rope(
        head_dim,
        pairing="half_split",
        base=base,
        rotary_dim=rotary_dim,
        scaling=None if rope_type == "default" else block,
        seq_len=seq_len,
    )


def _rounded(base, exponent):
    """base ** exponent with float32 operands, rounded once to float32."""
    single = [x if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float32) for x in (base, exponent)]
    return torch.pow(single[0].double(), single[1].double()).float()


@contextlib.contextmanager
def _rounded_powers():
    """The same functions, without the errors of torch's pow."""
    powers = torch.Tensor.__pow__, torch.Tensor.__rpow__
    torch.Tensor.__pow__ = _rounded
    torch.Tensor.__rpow__ = lambda exponent, base: _rounded(base, exponent)
    try:
        yield
    finally:
        torch.Tensor.__pow__, torch.Tensor.__rpow__ = powers


def _steps(frequencies):
    """Non-negative float32 numbers as integers: neighbours differ by 1."""
    return np.ascontiguousarray(frequencies, np.float32).view(np.int32)


def _grid(rope_type):
    lengths = LENGTHS if rope_type in ("dynamic", "longrope") else (None,)
    for base, head_dim, part in itertools.product(BASES, HEAD_DIMS, PARTS):
        for scaling in _scalings(rope_type, int(head_dim * part) // 2):
            config = _config(rope_type, base, head_dim, part, scaling)
            shown = "".join(f", {key} {value:g}" for key, value in scaling.items() if not isinstance(value, list))
            for seq_len in lengths:
                length = f", length {seq_len}" if seq_len else ""
                yield f"base {base:g}, head_dim {head_dim}, part {part:g}{shown}{length}", config, (base, head_dim, part, scaling, seq_len)


def _suites(rope_type):
    name = f"transformers' frequencies, {rope_type}"
    as_is = Suite(name, f"{STEPS} steps of float32, the scaling of attention equal", " steps")
    rounded = Suite(f"{name}, its powers rounded correctly", "equal bits", " steps")
    exact = 0
    for case, config, values in _grid(rope_type):
        try:
            rope = _ours(rope_type, *values)
        except ropewalk.Error as error:
            as_is.fail(case, str(error))
            continue
        frequencies, attention = _theirs(rope_type, config, values[-1])
        if rope.attention_scaling != attention:
            as_is.fail(case, f"scaling of attention: expected {attention!r}, found {rope.attention_scaling!r}")
            continue
        as_is.check(case, _steps(rope.inv_freq), _steps(frequencies), atol=STEPS)
        exact += bool((rope.inv_freq == frequencies.numpy()).all())
        if rope_type == "dynamic":  # its base is a power of a power, of mixed precision
            continue
        with _rounded_powers():
            rounded.check(case, _steps(rope.inv_freq), _steps(_theirs(rope_type, config, values[-1])[0]))
    as_is.notes.append(f"{exact} of {len(as_is.passed) + len(as_is.failed)} cases have the same bits for each frequency.")
    return [as_is] if rope_type == "dynamic" else [as_is, rounded]


def run():
    return [suite for rope_type in ("default", *ROPE_INIT_FUNCTIONS) for suite in _suites(rope_type)]
