"""Pictures with matplotlib, which is asked for only here."""

import numpy as np

from ._ropewalk import Rope, read_model


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need the package matplotlib: pip install matplotlib") from error
    return pyplot.subplots()[1]


def _wavelengths(rope):
    with np.errstate(divide="ignore"):
        return 2 * np.pi / np.abs(rope.inv_freq.astype(np.float64))


def _unscaled(rope):
    """The same rotation with rope_type default, or None where that has another count of pairs."""
    plain = Rope(rope.head_dim, pairing=rope.pairing or "half_split", base=rope.base, rotary_dim=rope.rotary_dim)
    return plain if plain.inv_freq.shape == rope.inv_freq.shape else None


def _labelled(ax, title):
    ax.set(xlabel="pair of channels", ylabel="positions for a whole turn", title=title, yscale="log")
    ax.legend()
    return ax


def plot(encoding, layer=None, seq_len=None, ax=None):
    ax = _axes(ax)
    rope = encoding.rope(layer, seq_len)
    plain = _unscaled(rope) if rope.rope_type != "default" else None
    if plain is not None:
        ax.plot(_wavelengths(plain), "--", label="without the scaling")
    ax.plot(_wavelengths(rope), label=rope.rope_type)
    if encoding.max_positions:
        ax.axhline(encoding.max_positions, color="grey", label=f"context of {encoding.max_positions}")
    return _labelled(ax, encoding.name)


def plot_decay(rope, distances=None, ax=None):
    ax = _axes(ax)
    distances = range(1024) if distances is None else distances
    left = rope.decay(distances)
    ax.plot(np.asarray(distances), left)
    ax.set(xlabel="distance in positions", ylabel="q.k beside that at distance 0", title=repr(rope)[1:-1])
    return ax


def plot_compare(a, b, *, layer=None, ax=None):
    """Draws the wavelengths of two models, Encodings or what read_model takes, with matplotlib; returns the axes."""
    ax = _axes(ax)
    for style, encoding in (("-", read_model(a)), ("--", read_model(b))):
        ax.plot(_wavelengths(encoding.rope(layer)), style, label=encoding.name)
    return _labelled(ax, "wavelengths")
