"""Frequencies of each sequence, for ropes whose scaling depends on its length, as tensors. A rope is a text here, as ropewalk.torch
keeps it in graphs."""

import functools
import json

import torch

from ._ropewalk import Rope

_LONG = 1 << 31  # tokens; more than any context


# The state of a rope has tuples and bytes, which JSON has not; and no lists and texts.
def text_of(rope):
    return json.dumps(rope.__getstate__(), default=lambda text: text.decode("latin-1"))


def _state_of(value):
    if isinstance(value, list):
        return tuple(map(_state_of, value))
    return value.encode("latin-1") if isinstance(value, str) else value


def _rope_from(state):
    rope = Rope.__new__(Rope)
    rope.__setstate__(state)
    return rope


@functools.lru_cache(maxsize=256)
def rope_of(text):
    return _rope_from(_state_of(json.loads(text)))


@functools.lru_cache(maxsize=1024)
def rope_of_length(text, length):
    """The rope with seq_len."""
    config, _, *heads = _state_of(json.loads(text))
    return _rope_from((config, length, *heads))


@functools.lru_cache(maxsize=1024)
def _of_length(text, length):
    """(inv_freq in float64, attention_scaling) of sequences of so many tokens."""
    rope = rope_of_length(text, length)
    return torch.from_numpy(rope.inv_freq).to(torch.float64), rope.attention_scaling


@functools.lru_cache(maxsize=256)
def by_length(text):
    """Whether longer sequences have other frequencies, and no seq_len was given."""
    if rope_of(text).seq_len is not None:
        return False
    (short, size), (long, other) = _of_length(text, 1), _of_length(text, _LONG)
    return size != other or not torch.equal(short, long)


def spectrum_of(text, position_ids):
    """inv_freq [pairs] and attention_scaling [], or of each sequence [batch, 1, pairs] and [batch, 1, 1], in float64: of the length
    1 + its largest position, where they depend on it."""
    if not by_length(text):
        rope = rope_of(text)
        return torch.from_numpy(rope.inv_freq).to(torch.float64), torch.tensor(rope.attention_scaling, dtype=torch.float64)
    ids = position_ids.movedim(-2, 0).flatten(1) if position_ids.ndim == 3 else position_ids.reshape(-1, position_ids.shape[-1])
    lengths = [max(int(row.max()) + 1, 0) if row.numel() else 0 for row in ids]
    found = [_of_length(text, length) for length in lengths] or [_of_length(text, 0)]
    inv_freq = torch.stack([each for each, _ in found])[:, None]
    size = torch.tensor([scaling for _, scaling in found], dtype=torch.float64)[:, None, None]
    return (inv_freq[0, 0], size[0, 0, 0]) if len(found) == 1 else (inv_freq, size)
