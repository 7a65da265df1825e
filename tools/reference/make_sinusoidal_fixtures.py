"""Sinusoidal tables: the article's PyTorch arithmetic, Marian, M2M100 (fairseq), MusicGen, odd sizes."""

import math

import mpmath
import numpy as np
import torch
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.musicgen.modeling_musicgen import MusicgenSinusoidalPositionalEmbedding

import common


def article(rows, d_model):
    """PositionalEncoding of the PyTorch tutorial: sin in the even channels, cos in the odd ones."""
    position = torch.arange(rows).unsqueeze(1)
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    table = torch.zeros(rows, d_model)
    table[:, 0::2] = torch.sin(position * frequency)
    table[:, 1::2] = torch.cos(position * frequency)
    return table.numpy()


def paper_frequency(i, d_model):
    """10000^(-2i/d), to mpmath's precision."""
    return mpmath.power(10000, -mpmath.mpf(2 * i) / d_model)


def fairseq_frequency(i, d_model):
    """10000^(-i/(d/2 - 1))."""
    return mpmath.power(10000, -mpmath.mpf(i) / (d_model // 2 - 1))


def exact(rows, d_model, frequency, order):
    """The definition in 120-bit arithmetic: `order` is interleaved, sin_cos or cos_sin."""
    sines = [[], []]
    with mpmath.workprec(120):
        for i in range((d_model + 1) // 2):
            omega = frequency(i, d_model)
            sines[0].append([mpmath.sin(p * omega) for p in range(rows)])
            sines[1].append([mpmath.cos(p * omega) for p in range(rows)])
    sin, cos = (np.array(columns).T for columns in sines)
    cos = cos[:, : d_model // 2]
    if order == "sin_cos":
        return np.concatenate([sin, cos], axis=1)
    if order == "cos_sin":
        return np.concatenate([cos, sin], axis=1)
    table = np.empty((rows, d_model), object)
    table[:, 0::2], table[:, 1::2] = sin, cos
    return table


def float32(table):
    """Each exact number rounded once."""
    return np.array([[common.nearest_float32(x) if x else 0.0 for x in row] for row in table], np.float32)


def marian(rows, d_model):
    """MarianSinusoidalPositionalEmbedding, [sin | cos]."""
    return MarianSinusoidalPositionalEmbedding(rows, d_model).create_weight().numpy()


def fairseq(rows, d_model):
    """M2M100SinusoidalPositionalEmbedding with padding_idx 1: row 1 is zero."""
    return M2M100SinusoidalPositionalEmbedding.get_embedding(rows, d_model, padding_idx=1).numpy()


def musicgen(rows, d_model):
    """MusicgenSinusoidalPositionalEmbedding, [cos | sin]."""
    return MusicgenSinusoidalPositionalEmbedding.get_embedding(rows, d_model).numpy()


def main():
    cases = {
        "article_3x512": (article(3, 512), exact(3, 512, paper_frequency, "interleaved")),
        "article_100x16": (article(100, 16), exact(100, 16, paper_frequency, "interleaved")),
        "marian_100x32": (marian(100, 32), exact(100, 32, paper_frequency, "sin_cos")),
        "marian_20x7": (marian(20, 7), exact(20, 7, paper_frequency, "sin_cos")),
        "fairseq_100x32": (fairseq(100, 32), exact(100, 32, fairseq_frequency, "sin_cos")),
        "musicgen_100x32": (musicgen(100, 32), exact(100, 32, fairseq_frequency, "cos_sin")),
    }
    cases["fairseq_100x32"][1][1] = mpmath.mpf(0)
    arrays, errors = {}, {}
    for name, (reference, truth) in cases.items():
        arrays[name] = reference
        arrays[name + "_exact"] = float32(truth)
        errors[name] = common.max_error(reference, truth.astype(np.float64))
    for d_model in (1, 5, 33):
        arrays[f"odd_12x{d_model}_exact"] = float32(exact(12, d_model, paper_frequency, "interleaved"))
    common.save(
        "sinusoidal",
        arrays,
        {
            "source": "article: the PyTorch tutorial's arithmetic; marian, fairseq (M2M100, padding_idx 1), musicgen: "
            "transformers; *_exact: the definition in 120-bit arithmetic, rounded. Row p is position p",
            "reference_error": errors,
        },
    )


if __name__ == "__main__":
    main()
