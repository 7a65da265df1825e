"""The rotation as its papers write it, in float64 NumPy: nothing here is ropewalk's."""

import numpy as np


def inv_freq(dim, base=10000.0):
    return base ** (-np.arange(0, dim, 2, dtype=np.float64) / dim)


def rotated(x, positions, frequencies, pairing):
    """x [..., seq, heads, head_dim] at positions [..., seq]; the first 2 * pairs channels turn."""
    x = np.asarray(x, np.float64)
    angle = np.asarray(positions, np.float64)[..., None, None] * np.asarray(frequencies, np.float64)
    cos, sin = np.cos(angle), np.sin(angle)
    pairs = len(frequencies)
    if pairing == "half_split":
        a, b = slice(0, pairs), slice(pairs, 2 * pairs)
    else:
        a, b = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    out = x.copy()
    out[..., a] = x[..., a] * cos - x[..., b] * sin
    out[..., b] = x[..., b] * cos + x[..., a] * sin
    return out


def attended(q, k, v, causal):
    """[batch, seq, heads, dim] each, as many heads in all; queries are the last of the keys."""
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    queries, keys = scores.shape[-2:]
    if causal:
        scores = np.where(np.arange(keys) <= np.arange(queries)[:, None] + keys - queries, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), v)


def scored(q, k, scale, softcap=0.0):
    """softcap(q k^T scale) of q [batch, heads, queries, dim] and k [batch, kv heads, keys, dim]."""
    q, k = np.asarray(q, np.float64), np.repeat(np.asarray(k, np.float64), q.shape[-3] // k.shape[-3], -3)
    scores = q @ k.swapaxes(-1, -2) * scale
    return softcap * np.tanh(scores / softcap) if softcap else scores


def softmax_of(scores, sinks=None):
    """The weights, zeros in a row of -inf, and ln of the sum of e ** score, [batch, heads, queries]."""
    with np.errstate(divide="ignore"):
        lse = np.logaddexp.reduce(scores, -1)
        if sinks is not None:
            lse = np.logaddexp(lse, np.asarray(sinks, np.float64)[:, None])
    return np.exp(scores - np.where(np.isinf(lse), 0, lse)[..., None]), lse
