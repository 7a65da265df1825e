"""Positional encoding that autograd, torch.compile and torch.export know.

    q, k = ropewalk.torch.apply_rope(rope, q, k, position_ids, layout="bhsd")
    out = ropewalk.torch.attention(q, k, v, layout="bhsd", causal=True)
    rotary = ropewalk.torch.RotaryEmbedding(rope, layout="bhsd")
    x = ropewalk.torch.PositionalEncoding(512, dropout=0.1)(x)
    print(ropewalk.torch.patch(model))      # a model of transformers turns as ropewalk does
    print(ropewalk.torch.trace(model))      # what it really turned, beside what its config says

Tensors are on the CPU; float32, bfloat16 and float16 by ropewalk's kernels, with their bits, float64 by a plain path in float64.
"""

import functools

import numpy as np
import torch

from ._ropewalk import Error, Rope, rotary_embedding, sinusoidal
from ._torch_attention import attention
from ._torch_lengths import rope_of, spectrum_of, text_of
from ._torch_patch import Patched, patch
from ._torch_trace import LayerTrace, Traced, trace

__all__ = ["LayerTrace", "Patched", "PositionalEncoding", "RotaryEmbedding", "Traced", "apply_rope", "attention", "patch", "rotary_embedding_rows", "trace"]


_kept_text = functools.lru_cache(maxsize=256)(text_of)


@torch.compiler.assume_constant_result
def _text_of(rope):
    """A rope as a text, which the graph of an exported program keeps."""
    return _kept_text(rope)


def _exact_in_float64(x, position_ids, text, layout, direction):
    """The same rotation as a formula on float64, for gradcheck and for those who compute in float64."""
    rope = rope_of(text)
    config = rope.to_dict()
    if config.get("output_layout") or rope.axis.any():
        raise Error(code="unsupported", message="q: expected float32, bfloat16 or float16 for a rotation on several axes or into another "
                                    "layout, found float64")
    # What the kernels refuse is refused by them.
    rope.apply(x.detach().to(torch.float32), None, position_ids.detach(), layout=layout)
    if x.numel() == 0:
        return x.clone(memory_format=torch.contiguous_format)
    if position_ids.ndim == 3:
        position_ids = position_ids[0]
    inv_freq, scaling = spectrum_of(text, position_ids)
    turn = 1.0 if direction in ("forward", "inverse_transpose") else -1.0
    size = 1 / scaling if direction.startswith("inverse") else scaling
    angle = position_ids.to(torch.float64)[..., None] * inv_freq * turn
    heads = -3 if layout == "bhsd" else -2
    cos, sin = (angle.cos() * size).unsqueeze(heads), (angle.sin() * size).unsqueeze(heads)
    out, first = x.clone(memory_format=torch.contiguous_format), 0
    for window in config["layout"]["windows"]:
        start, pairs = window["offset"], window["dim"] // 2
        if window["pairing"] == "half_split":
            a, b = slice(start, start + pairs), slice(start + pairs, start + 2 * pairs)
        else:
            a, b = slice(start, start + 2 * pairs, 2), slice(start + 1, start + 2 * pairs, 2)
        c, s = cos[..., first : first + pairs], sin[..., first : first + pairs]
        out[..., a] = x[..., a] * c - x[..., b] * s
        out[..., b] = x[..., b] * c + x[..., a] * s
        first += pairs
    return out


@torch.library.custom_op("ropewalk::rotate", mutates_args=())
def _rotate(x: torch.Tensor, position_ids: torch.Tensor, rope: str, layout: str, direction: str) -> torch.Tensor:
    turning = rope_of(rope)
    if x.dtype == torch.float64:
        return _exact_in_float64(x, position_ids, rope, layout, direction)
    how = {direction: True} if direction in ("inverse", "transpose") else {}
    out = turning.apply(x.detach(), None, position_ids.detach(), layout=layout, **how)
    scaling = spectrum_of(rope, position_ids)[1] if direction == "inverse_transpose" else torch.ones(())
    if (scaling != 1).any():
        config = turning.to_dict()
        square = scaling.unsqueeze(-1) ** 2 if scaling.ndim else scaling**2
        for window in config.get("output_layout", config["layout"])["windows"]:
            out[..., window["offset"] : window["offset"] + window["dim"]] /= square
    return out


@_rotate.register_fake
def _(x, position_ids, rope, layout, direction):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _rotate_setup(ctx, inputs, output):
    _, position_ids, ctx.rope, ctx.layout, ctx.direction = inputs
    ctx.save_for_backward(position_ids)


# R(p) s, R(-p) / s, and what turns their gradients: R(-p) s, R(p) / s.
_BACK = {"forward": "transpose", "transpose": "forward", "inverse": "inverse_transpose", "inverse_transpose": "inverse"}


def _rotate_backward(ctx, grad):
    (position_ids,) = ctx.saved_tensors
    return _rotate(grad, position_ids, ctx.rope, ctx.layout, _BACK[ctx.direction]), None, None, None, None


_rotate.register_autograd(_rotate_backward, setup_context=_rotate_setup)


def apply_rope(rope, q, k=None, position_ids=None, *, layout, inverse=False):
    """Rotates q and k (which may be None) into new tensors, with a gradient: rope.apply of torch.

    rope: a ropewalk.Rope. q, k, layout: as in Rope.apply; float64 too. position_ids: int64 or int32 [seq], [batch, seq] or
    [axes, batch, seq], a tensor, an array of NumPy or a list; or an integer, the position of the first token. Returns that of q, or
    (q, k). The backward pass is the transposed rotation; reverse mode only. Raises ropewalk.Error as Rope.apply.
    """
    return _turned(_text_of(rope), q, k, position_ids, layout, "inverse" if inverse else "forward")


def _turned(text, q, k, position_ids, layout, direction):
    for name, x in (("q", q), ("k", k)):
        if not isinstance(x, torch.Tensor) and (x is not None or name == "q"):
            raise Error(code="invalid_argument", message=f"{name}: expected a torch tensor, found {type(x).__name__}")
    length = q.shape[-2 if layout == "bhsd" else -3] if q.ndim >= 3 else 0  # the kernels refuse what has no axis of tokens
    if isinstance(position_ids, int) and not isinstance(position_ids, bool):
        ids = torch.arange(position_ids, position_ids + length)
    else:
        ids = _ids_tensor(position_ids)
        if ids.ndim == 0 and ids.dtype != torch.bool:
            ids = torch.arange(length) + ids
    of_q = _rotate(q, ids, text, layout, direction)
    return of_q if k is None else (of_q, _rotate(k, ids, text, layout, direction))


def _ids_tensor(position_ids):
    if position_ids is None:
        raise Error(code="invalid_argument", message="position_ids: expected a tensor of them, or the position of the first token, found None")
    if isinstance(position_ids, torch.Tensor):
        return position_ids
    if isinstance(position_ids, bool):
        raise Error(code="invalid_argument", message="position_ids: expected integers, found a bool")
    if isinstance(position_ids, (list, tuple, range)):
        try:
            array = np.asarray(position_ids)
        except ValueError:
            raise Error(code="invalid_argument", message=f"position_ids: expected lists of one length, found {position_ids!r}") from None
        position_ids = array if array.size else array.astype(np.int64)  # NumPy takes a list of nothing for one of float64
    if not isinstance(position_ids, (int, np.ndarray, np.generic)):
        found = type(position_ids).__name__
        raise Error(code="invalid_argument", message=f"position_ids: expected a tensor, an array or a list of integers, found {found}")
    return torch.tensor(position_ids)


@torch.library.custom_op("ropewalk::rotate_rows", mutates_args=())
def _rotate_rows(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, interleaved: bool) -> torch.Tensor:
    if x.dtype == torch.float64:
        pairs = cos.shape[-1]
        turning, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
        a, b = (turning[..., 0::2], turning[..., 1::2]) if interleaved else turning.split(pairs, -1)
        c, s = cos.unsqueeze(-3).to(torch.float64), sin.unsqueeze(-3).to(torch.float64)
        parts = (a * c - b * s, b * c + a * s)
        turned = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
        return torch.cat((turned, rest), -1)
    return rotary_embedding(
        x.detach(), cos.detach(), sin.detach(), interleaved=interleaved, rotary_embedding_dim=2 * cos.shape[-1]
    )


@_rotate_rows.register_fake
def _(x, cos, sin, interleaved):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _rows_setup(ctx, inputs, output):
    _, cos, sin, ctx.interleaved = inputs
    ctx.save_for_backward(cos, sin)


def _rows_backward(ctx, grad):
    cos, sin = ctx.saved_tensors
    return _rotate_rows(grad, cos, -sin, ctx.interleaved), None, None, None


_rotate_rows.register_autograd(_rows_backward, setup_context=_rows_setup)


def rotary_embedding_rows(x, cos, sin, *, interleaved=False):
    """Rotates x [batch, heads, seq, head_dim] by rows [batch, seq, pairs] or [seq, pairs], with a gradient for x; cos and sin are
    constants. The first 2 * pairs channels turn."""
    if cos.requires_grad or sin.requires_grad:
        raise Error(code="unsupported", message="cos, sin: expected constants, found a tensor with requires_grad")
    return _rotate_rows(x, cos, sin, interleaved)


class RotaryEmbedding(torch.nn.Module):
    """A ropewalk.Rope as a module: forward(q, k=None, position_ids=...) as apply_rope.

    state_dict holds inv_freq, as the modules of transformers do. It is there to be compared: a checkpoint with other frequencies
    is refused, and what turns q and k are the rope's own, whatever dtype the module is moved to.
    """

    def __init__(self, rope, *, layout):
        super().__init__()
        if not isinstance(rope, Rope):
            raise TypeError(f"rope: expected a ropewalk.Rope, found {type(rope).__name__}")
        self.rope, self.layout, self._text = rope, layout, _text_of(rope)
        self.register_buffer("inv_freq", torch.from_numpy(rope.inv_freq))

    def forward(self, q, k=None, position_ids=None):
        return _turned(self._text, q, k, position_ids, self.layout, "forward")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        stored = state_dict.get(prefix + "inv_freq")
        own = torch.from_numpy(self.rope.inv_freq)
        if stored is not None:
            near = stored.shape == own.shape and torch.allclose(
                stored.double(), own.double(), rtol=2 * torch.finfo(stored.dtype).eps, atol=0
            )
            if not near:
                error_msgs.append(f"{prefix}inv_freq: expected the frequencies of {self.rope!r}, found others in the checkpoint")
                return
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def extra_repr(self):
        return f"{self.rope!r}, layout={self.layout!r}"


class PositionalEncoding(torch.nn.Module):
    """forward(x) = dropout(x + pe[: length]) with the sinusoidal table of "Attention Is All You Need", correctly rounded.

    d_model: channels. dropout: probability that a number is dropped in training. max_len: a longer sequence is an error. batch_first:
    x is [batch, seq, d_model], else [seq, batch, d_model] as in PyTorch's tutorial. state_dict holds pe, [1, max_len, d_model] or
    [max_len, 1, d_model]; either is loaded.
    """

    def __init__(self, d_model, dropout=0.1, max_len=5000, *, batch_first=True):
        super().__init__()
        self.batch_first = batch_first
        self.dropout = torch.nn.Dropout(dropout)
        table = torch.from_numpy(sinusoidal(range(max_len), d_model))
        self.register_buffer("pe", table.unsqueeze(0 if batch_first else 1))

    def forward(self, x):
        axis = 1 if self.batch_first else 0
        if x.ndim != 3 or x.shape[-1] != self.pe.shape[-1]:
            order = "[batch, seq, " if self.batch_first else "[seq, batch, "
            raise Error(code="invalid_argument", message=f"x: expected {order}{self.pe.shape[-1]}], found {list(x.shape)}")
        if x.shape[axis] > self.pe.shape[axis]:
            raise Error(code="invalid_argument", message=f"x: expected at most max_len = {self.pe.shape[axis]} tokens, found {x.shape[axis]}")
        pe = self.pe.narrow(axis, 0, x.shape[axis])
        return self.dropout(x + pe.to(x.dtype))

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        stored = state_dict.get(prefix + "pe")
        if stored is not None and stored.ndim == 3 and stored.shape != self.pe.shape and stored.numel() == self.pe.numel():
            state_dict[prefix + "pe"] = stored.reshape(self.pe.shape)
        super()._load_from_state_dict(state_dict, prefix, *arguments)
