"""ropewalk.torch.attention: the forward and backward pass of ropewalk as an operator that autograd and torch.compile know, and a plain
path in float64."""

import ast
import math

import torch

from ._ropewalk import Error, attention_backward, attention_scores
from ._ropewalk import attention as _attend

# Keywords whose values are arrays, which a graph keeps as tensors; they get no gradient.
_ARRAYS = ("prefix", "alibi_slopes", "distance_bias", "key_mask", "key_lengths", "attn_mask", "query_tokens", "key_tokens",
           "cu_seqlens", "cu_seqlens_q", "cu_seqlens_k")
_NUMBERS = ("causal", "scale", "softcap", "window_left", "window_right", "chunk", "alibi_form", "alibi_scale", "alibi_bf16",
            "query_tokens", "prefix", "threads")


def _text_of(numbers, arrays):
    """Keywords as a text, which a graph keeps, in words that torch.compile can trace: no json."""
    return "{" + ", ".join([f"'{name}': {value!r}" for name, value in numbers.items()]) + f", 'arrays': '{' '.join(arrays)}'}}"


def _keywords(options, arrays, sinks):
    given = ast.literal_eval(options)
    given.update(zip(given.pop("arrays").split(), arrays))
    if sinks is not None:
        given["sinks"] = sinks.detach()
    return given


@torch.library.custom_op("ropewalk::attention", mutates_args=())
def _attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, sinks: torch.Tensor | None, arrays: list[torch.Tensor], options: str
) -> tuple[torch.Tensor, torch.Tensor]:
    given = _keywords(options, arrays, sinks)
    return _attend(q.detach(), k.detach(), v.detach(), return_lse=True, **given)


@_attention.register_fake
def _(q, k, v, sinks, arrays, options):
    bhsd = ast.literal_eval(options)["layout"] == "bhsd"
    seq, heads = (q.shape[-2], q.shape[-3]) if bhsd else (q.shape[-3], q.shape[-2])
    out = torch.empty((*q.shape[:-1], v.shape[-1]), dtype=torch.float32)
    return out, torch.empty((*q.shape[:-3], heads, seq), dtype=torch.float32)


@torch.library.custom_op("ropewalk::attention_backward", mutates_args=())
def _backward(
    d_out: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, out: torch.Tensor, lse: torch.Tensor,
    arrays: list[torch.Tensor], options: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    given = [x.detach() for x in (d_out, q, k, v, out, lse)]
    gradients = attention_backward(*given, **_keywords(options, arrays, None))
    return tuple(gradient.to(x.dtype) for gradient, x in zip(gradients, (q, k, v)))


@_backward.register_fake
def _(d_out, q, k, v, out, lse, arrays, options):
    return tuple(torch.empty(x.shape, dtype=x.dtype) for x in (q, k, v))


def _setup(ctx, inputs, output):
    q, k, v, sinks, arrays, ctx.options = inputs
    ctx.save_for_backward(q, k, v, sinks, *output, *arrays)


def _gradients(ctx, d_out, _):
    q, k, v, sinks, out, lse, *arrays = ctx.saved_tensors
    dq, dk, dv = _backward(d_out, q, k, v, out, lse, arrays, ctx.options)
    of_sinks = None
    if sinks is not None and ctx.needs_input_grad[3]:
        # p of the sink is e ** (sink - lse); its value is 0, so that its score gets -p (d_out . out).
        delta = (d_out * out).sum(-1)
        if ast.literal_eval(ctx.options)["layout"] != "bhsd":
            delta = delta.mT
        p = (sinks.to(torch.float32)[:, None] - lse).exp()
        of_sinks = -torch.where(lse == -torch.inf, 0, p * delta).sum(-1).reshape(-1, len(sinks)).sum(0).to(sinks.dtype)
    return dq, dk, dv, of_sinks, [None] * len(arrays), None


_attention.register_autograd(_gradients, setup_context=_setup)


def _bias(q, k, given):
    """What is added to each score, [batch, heads, queries, keys], -inf where a key is hidden: the scores of zeros."""
    given = {name: value for name, value in given.items() if name not in ("scale", "softcap", "cu_seqlens", "cu_seqlens_q", "cu_seqlens_k")}
    return attention_scores(torch.zeros(q.shape), torch.zeros(k.shape), **given)


def _packed_bias(q, k, given):
    starts = [[int(x) for x in given.get(name, given.get("cu_seqlens"))] for name in ("cu_seqlens_q", "cu_seqlens_k")]
    bias = torch.full((q.shape[1], len(q), len(k)), -torch.inf)
    for a, b, c, d in zip(starts[0], starts[0][1:], starts[1], starts[1][1:]):
        if a < b and c < d:
            bias[:, a:b, c:d] = _bias(q[a:b], k[c:d], given)
    return bias


def _in_float64(q, k, v, sinks, given):
    """The same as a formula of torch, whose own autograd differentiates it; every score is written."""
    # What the kernels refuse is refused by them.
    checked = {**given, "attn_mask": None if given.get("attn_mask") is None else _as_float32(given["attn_mask"])}
    _attend(*(x.detach().to(torch.float32) for x in (q, k, v)), sinks=None if sinks is None else sinks.detach(), **checked)
    mask, layout = given.pop("attn_mask", None), given["layout"]
    packed = any(given.get(name) is not None for name in ("cu_seqlens", "cu_seqlens_q"))
    bias = (_packed_bias if packed else _bias)(q.detach(), k.detach(), given).to(torch.float64)
    if layout != "bhsd":
        q, k, v = (x.transpose(-2, -3) for x in (q, k, v))
    group = q.shape[-3] // max(k.shape[-3], 1)
    k, v = (x.repeat_interleave(group, -3) for x in (k, v))
    scores = q @ k.mT * (given.get("scale") or q.shape[-1] ** -0.5)
    if given.get("softcap"):
        scores = given["softcap"] * torch.tanh(scores / given["softcap"])
    if mask is not None:
        bias = bias + mask if mask.is_floating_point() else bias.masked_fill(mask == 0, -torch.inf)
    hidden = bias == -torch.inf
    scores = (scores + bias.masked_fill(hidden, 0)).masked_fill(hidden, -torch.inf)
    if sinks is None:
        nothing = hidden.all(-1, keepdim=True)
        weights = scores.masked_fill(nothing, 0).softmax(-1).masked_fill(nothing, 0)
    else:
        sink = sinks.to(torch.float64)[:, None, None].expand(*scores.shape[:-1], 1)
        weights = torch.cat((scores, sink), -1).softmax(-1)[..., :-1]
    out = weights @ v
    return out if layout == "bhsd" else out.transpose(-2, -3)


def _as_float32(mask):
    return mask.to(torch.float32) if mask.dtype == torch.float64 else mask


def _as_tensor(name, value):
    # A copy: the gradient is computed later, and arrays of NumPy have no version to tell that they were changed.
    value = value if isinstance(value, torch.Tensor) else torch.tensor(value)
    if value.requires_grad:
        raise Error(code="unsupported", message=f"{name}: expected a constant, found a tensor with requires_grad; q, k, v and sinks get gradients")
    if name == "key_mask":
        return value
    return value if value.is_floating_point() or value.dtype in (torch.bool, torch.uint8) else value.to(torch.int64)


def _as_number(name, value):
    value = value.item() if hasattr(value, "item") else value  # of NumPy or torch
    if isinstance(value, float) and not math.isfinite(value):
        raise Error(code="invalid_argument", message=f"{name}: expected a finite number, found {value}")
    return value


def attention(q, k, v, *, layout, sinks=None, **keywords):
    """ropewalk.attention with a gradient for q, k, v and sinks, in the dtype of q.

    q, k, v: tensors on the CPU, of one dtype or each its own of float32, bfloat16 and float16; or all float64, by a plain formula that
    writes every score. layout and the other keywords: as in ropewalk.attention, without q_rows and k_rows (apply_rope has a gradient),
    out and return_lse; masks and biases are constants. The backward pass makes the scores again and never keeps them. Gradients are
    those of reverse mode, of first order (of any order in float64). Raises ropewalk.Error as ropewalk.attention.
    """
    arrays, numbers = {}, {"layout": layout}
    for name, value in keywords.items():
        if name not in _ARRAYS and name not in _NUMBERS:
            raise TypeError(f"attention() got an unexpected keyword argument '{name}'")
        if value is None:
            continue
        if name in _NUMBERS and (name not in _ARRAYS or isinstance(value, int)):
            numbers[name] = _as_number(name, value)
        else:
            arrays[name] = _as_tensor(name, value)
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor):
            raise Error(code="invalid_argument", message=f"{name}: expected a torch tensor, found {type(x).__name__}")
        if (x.dtype == torch.float64) != (q.dtype == torch.float64):
            raise Error(code="unsupported", message=f"{name}: expected float64 in all of q, k and v or in none, found {x.dtype} beside {q.dtype}")
    if sinks is not None:
        sinks = torch.as_tensor(sinks, dtype=None if isinstance(sinks, torch.Tensor) else torch.float32)
    if q.dtype == torch.float64:
        return _in_float64(q, k, v, sinks, {**numbers, **arrays})
    out, _ = _attention(q, k, v, sinks, list(arrays.values()), _text_of(numbers, arrays))
    return out.to(q.dtype)
