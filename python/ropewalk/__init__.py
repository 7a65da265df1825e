"""Positional encoding for transformers, exact to the model.

    enc = ropewalk.read_model("config.json")      # what encodes position in a model, each fact with its source
    rope = enc.rope(layer=0)                      # or ropewalk.Rope(head_dim=128, pairing="half_split", base=1e4)
    rope.apply_(q, k, position_ids, layout="bshd")     # in place, nothing copied: NumPy, torch, anything with DLPack

Arrays are float32, bfloat16 (in NumPy: ml_dtypes) or float16, in CPU memory, of any strides. Everything here may be used from
several threads at once, as long as none writes an array that another uses; Encoding, Rope and Rows never change, and a KVCache
makes those wait that change it.
"""

from . import positions
from ._plot import plot_compare
from ._ropewalk import (
    Attention,
    Comparison,
    Diagnosis,
    Encoding,
    Error,
    Evidence,
    KVCache,
    Layer,
    Rope,
    Rows,
    __version__,
    alibi_slopes,
    attention,
    attention_backward,
    attention_scores,
    compare,
    diagnose,
    preset_names,
    read_model,
    rotary_embedding,
    sinusoidal,
)

__all__ = [
    "Attention",
    "Comparison",
    "Diagnosis",
    "Encoding",
    "Error",
    "Evidence",
    "KVCache",
    "Layer",
    "Rope",
    "Rows",
    "__version__",
    "alibi_slopes",
    "attention",
    "attention_backward",
    "attention_scores",
    "compare",
    "diagnose",
    "plot_compare",
    "positions",
    "preset_names",
    "read_model",
    "rotary_embedding",
    "sinusoidal",
]
