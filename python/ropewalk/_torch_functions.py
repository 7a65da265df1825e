"""The functions of a model's code that turn q and k, and what stands for them: of ropewalk.torch.patch."""

import inspect
import sys

import torch

ROTATIONS = ("apply_rotary_pos_emb", "apply_rotary_pos_emb_interleave")


def named_functions(model, names):
    """Each function of one of the names in the files of the model's code: (file, name, function)."""
    for file in sorted({type(module).__module__ for module in model.modules()}):
        code = sys.modules.get(file)
        for name in names:
            if callable(getattr(code, name, None)):
                yield code, name, getattr(code, name)


def use(code, name, replacement):
    """Puts the replacement into the file of code; returns what takes it out again once no model uses it."""
    setattr(code, name, replacement)
    replacement._users += 1

    def give_back():
        replacement._users -= 1
        if replacement._users == 0 and getattr(code, name) is replacement:
            setattr(code, name, replacement._ropewalk)

    return give_back


def stands_for(replacement, original):
    """Marks a replacement; the models that are patched and not restored are counted."""
    replacement._ropewalk, replacement._users = original, 0
    return replacement


def rotation_for(original):
    """What stands for apply_rotary_pos_emb(q, k, cos, sin, ...), or None where it takes something else."""
    parameters = list(inspect.signature(original).parameters)
    if parameters[:4] != ["q", "k", "cos", "sin"] or not set(parameters[4:]) <= {"position_ids", "unsqueeze_dim"}:
        return None
    from .torch import rotary_embedding_rows

    # The interleaved ones of DeepSeek read neighbours and write halves: y = [a_0 .. a_P-1, b_0 .. b_P-1].
    halves = original.__name__.endswith("_interleave")

    def turned(x, cos, sin, interleaved):
        y = rotary_embedding_rows(x, cos, sin, interleaved=interleaved)
        return torch.cat((y[..., 0::2], y[..., 1::2]), -1) if halves else y

    def apply_rotary_pos_emb(q, k, cos, sin, *arguments, **keywords):
        rows = getattr(cos, "_ropewalk", None)
        unsqueeze_dim = {**dict(zip(parameters[4:], arguments)), **keywords}.get("unsqueeze_dim", 1)
        if rows is None or unsqueeze_dim != 1 or (halves and not rows[2]):
            return original(q, k, cos, sin, *arguments, **keywords)
        return tuple(turned(x, *rows) for x in (q, k))

    apply_rotary_pos_emb._neighbours_only = halves
    return stands_for(apply_rotary_pos_emb, original)


def rotates_alike(original, replacement, rope, tables, heads):
    """Whether the replacement turns random q and k as the model's own function does."""
    generator = torch.Generator().manual_seed(20210420)
    q, k = (torch.randn(1, count, 5, rope.head_dim, generator=generator) for count in heads)
    cos, sin = tables(None, torch.zeros(1, 1, 1), torch.arange(5)[None])
    width = min(cos.shape[-1], rope.head_dim)
    try:
        theirs = original(q, k, cos, sin)
    except Exception:
        q, k = q[..., :width], k[..., :width]  # the model cuts off what does not turn
        theirs = original(q, k, cos, sin)
    ours = replacement(q, k, cos, sin)
    return all(a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=2e-3) for a, b in zip(theirs, ours))
