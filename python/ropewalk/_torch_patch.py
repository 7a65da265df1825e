"""ropewalk.torch.patch: a loaded model of transformers turns as ropewalk does."""

import inspect
import sys
import types

import torch

from ._ropewalk import Error, read_model
from ._torch_lengths import by_length, text_of

_FORMS = ("doubled", "interleaved", "half")


class Patched:
    """What patch(model) replaced, and what it left: print it. `replaced` and `left` are lists of (name, how or why); restore() puts
    everything back."""

    def __init__(self):
        self.replaced, self.left, self._undo = [], [], []

    def restore(self):
        while self._undo:
            self._undo.pop()()

    def __repr__(self):
        lines = [f"replaced {name}: {how}" for name, how in self.replaced] + [f"left {name}: {why}" for name, why in self.left]
        return "\n".join(lines) or "nothing to replace: no rotary module"


def _rows(rope, position_ids, angles, form, dtype):
    ids = position_ids.detach().to("cpu", torch.int64).contiguous()
    return rope.cos_sin(ids, angles=angles, form=form, dtype=dtype)


def _dtype_name(dtype):
    return str(dtype).removeprefix("torch.") if dtype in (torch.float32, torch.bfloat16, torch.float16) else "float32"


def _same(ours, theirs):
    """Whether two tables are those of one rotation, at the few positions that are tried."""
    return ours.shape == theirs.shape and torch.allclose(ours.double(), theirs.double(), rtol=0, atol=2e-3)


def _ropes_of(encoding, config):
    """The rotation of each type of layer, by the name that the module's forward gets, or None for all."""
    types_of = getattr(config, "layer_types", None)
    ropes = {}
    for layer in encoding.layers:
        if layer.rope is None:
            continue
        kind = types_of[layer.index] if types_of and layer.index < len(types_of) else None
        ropes.setdefault(kind, layer.rope)
        ropes.setdefault(None, layer.rope)
    return ropes


class _Tables:
    """forward of a rotary module: cos and sin of ropewalk, in the form and the dtype that the model's own has."""

    def __init__(self, ropes, angles, original):
        self.ropes, self.angles, self.original = ropes, angles, original
        self.form = None
        self.rotate = True

    def rope(self, layer_type):
        return self.ropes[layer_type if layer_type in self.ropes else None]

    def tables(self, x, position_ids, layer_type):
        dtype = _dtype_name(x.dtype)
        cos, sin = _rows(self.rope(layer_type), position_ids, self.angles, self.form, dtype)
        return cos.to(x.device, x.dtype), sin.to(x.device, x.dtype)

    def __call__(self, module, x, position_ids, layer_type=None):
        cos, sin = self.tables(x, position_ids, layer_type)
        if self.rotate:
            rope = self.rope(layer_type)
            # By float32 rows, whatever dtype the model computes in: the result is rounded once.
            cos._ropewalk = (*_rows(rope, position_ids, self.angles, "half", "float32"), rope.pairing == "interleaved")
        return cos, sin

    def fits(self, module, arguments, layer_type):
        """Finds the form of the model's own tables; False where they are not those of this rotation."""
        keywords = {} if layer_type is None else {"layer_type": layer_type}
        theirs = self.original(*arguments, **keywords)
        if not (isinstance(theirs, tuple) and len(theirs) == 2):
            return False
        for form in _FORMS:
            self.form = form
            try:
                ours = self.tables(*arguments, layer_type)
            except Error:
                return False
            if all(map(_same, ours, theirs)):
                return True
        return False


def _fitting_tables(module, ropes, angles, length):
    """The tables that stand for this module's, or why there are none."""
    original = module.forward
    if hasattr(original, "_ropewalk"):
        return None, "patch replaced it before; restore() of what that returned puts the model's own back"
    names = list(inspect.signature(original).parameters)
    if names[:2] != ["x", "position_ids"] or len(names) > 3:
        return None, f"its forward takes {', '.join(names)}"
    if any(by_length(text_of(rope)) for rope in ropes.values()):
        return None, ("its frequencies depend on the length: ropewalk takes that of each sequence, transformers the longest of the "
                      "batch for all")
    tables = _Tables(ropes, angles, original)
    arguments = (torch.zeros(1, 1, 1), torch.arange(length)[None])
    kinds = [None]
    if len(names) == 3 and names[2] == "layer_type":
        kinds = [kind for kind in ropes if kind is not None]
        if not kinds:
            return None, "its forward takes layer_type, and the config has no layer_types"
    try:
        if all(tables.fits(module, arguments, kind) for kind in kinds):
            return tables, None
    except Exception as error:  # of the model's own code
        return None, f"its forward says {error}"
    return None, "its cos and sin are not those that the config says for the layers"


def _apply_function(original):
    from .torch import rotary_embedding_rows

    def apply_rotary_pos_emb(q, k, cos, sin, *arguments, **keywords):
        rows = getattr(cos, "_ropewalk", None)
        unsqueeze_dim = keywords.get("unsqueeze_dim", arguments[0] if arguments else 1)
        if rows is None or unsqueeze_dim != 1:
            return original(q, k, cos, sin, *arguments, **keywords)
        return tuple(rotary_embedding_rows(x, rows[0], rows[1], interleaved=rows[2]) for x in (q, k))

    apply_rotary_pos_emb._ropewalk = original
    apply_rotary_pos_emb._users = 0  # models that are patched and not restored
    return apply_rotary_pos_emb


def _rotates_alike(original, replacement, rope, tables, heads):
    """Whether the replacement turns random q and k as the model's own function does."""
    generator = torch.Generator().manual_seed(20210420)
    q, k = (torch.randn(1, count, 5, rope.head_dim, generator=generator) for count in heads)
    cos, sin = tables(None, torch.zeros(1, 1, 1), torch.arange(5)[None])
    width = min(cos.shape[-1], rope.head_dim)
    q, k = q[..., : rope.head_dim], k[..., : rope.head_dim]
    try:
        theirs = original(q, k, cos, sin)
    except Exception:
        q, k = q[..., :width], k[..., :width]  # the model cuts off what does not turn
        theirs = original(q, k, cos, sin)
    ours = replacement(q, k, cos, sin)
    return all(a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=2e-3) for a, b in zip(theirs, ours))


def _functions_of(model):
    """apply_rotary_pos_emb(q, k, cos, sin, ...) of each file of the model's code: (file, its own, what stands for it)."""
    for name in sorted({type(module).__module__ for module in model.modules()}):
        code = sys.modules.get(name)
        function = getattr(code, "apply_rotary_pos_emb", None)
        if function is None:
            continue
        if hasattr(function, "_ropewalk"):  # for another model of this code
            yield code, function._ropewalk, function
            continue
        parameters = list(inspect.signature(function).parameters)
        if parameters[:4] == ["q", "k", "cos", "sin"] and parameters[4:] in ([], ["unsqueeze_dim"]):
            yield code, function, _apply_function(function)


def _use(code, replacement):
    """Puts the replacement into the file of code; returns what takes it out again once no model uses it."""
    code.apply_rotary_pos_emb = replacement
    replacement._users += 1

    def give_back():
        replacement._users -= 1
        if replacement._users == 0 and code.apply_rotary_pos_emb is replacement:
            code.apply_rotary_pos_emb = replacement._ropewalk

    return give_back


def patch(model, *, angles="exact"):
    """Replaces the rotary modules of a loaded transformers model, and the function that turns q and k, by ropewalk's.

    angles: "exact", or "hf_float32" for the angles that transformers computes, bit for bit. The model's config is read as
    ropewalk.read_model reads it. Each module and function is tried beside the model's own first, at eight positions, and left as it
    is where they are not alike (a vision tower, M-RoPE's tables of three axes, another function): the result says what was
    replaced and what was left. The function is the module-level apply_rotary_pos_emb of the model's code; other models of the
    process still reach their own through it, and it stays until every patched one of them is restored. A model that is patched
    already is left as it is, and so are frequencies that depend on the length (dynamic, longrope). Returns Patched, whose restore() puts all back. With a gradient for q and k.
    Raises ropewalk.Error for a config that ropewalk cannot read, or whose layers do not rotate.
    """
    encoding = read_model(model.config)
    config = getattr(model.config, "get_text_config", lambda: model.config)()
    ropes = _ropes_of(encoding, config)
    done = Patched()
    if not ropes:
        raise Error(f"model: expected layers that rotate, found {encoding.layers[:1]}", "unsupported")
    found = []
    for name, module in model.named_modules():
        if "Rotary" not in type(module).__name__:
            continue
        tables, why = _fitting_tables(module, ropes, angles, 8)
        if tables is None:
            done.left.append((name or type(module).__name__, why))
            continue
        found.append(tables)
        module.forward = types.MethodType(_forward_of(tables), module)
        done._undo.append(lambda module=module: module.__dict__.pop("forward", None))
        turning = ", ".join(sorted({repr(rope) for rope in ropes.values()}))
        done.replaced.append((name, f"{type(module).__name__}: cos and sin of {turning}, angles {angles}"))
    _patch_functions(model, encoding, found, done)
    return done


def _forward_of(tables):
    def forward(self, x, position_ids, layer_type=None):
        return tables(self, x, position_ids, layer_type)

    forward._ropewalk = tables
    return forward


def _patch_functions(model, encoding, found, done):
    heads = (max(encoding.heads, 1), max(encoding.kv_heads, 1))
    turned = False
    for code, original, replacement in _functions_of(model) if found else ():
        name = f"{code.__name__}.apply_rotary_pos_emb"
        try:
            alike = all(_rotates_alike(original, replacement, tables.rope(None), tables, heads) for tables in found)
        except Exception as error:
            done.left.append((name, f"it says {error}"))
            continue
        if not alike:
            done.left.append((name, "it turns other channels than the rotation of the config, whose rows it gets"))
            continue
        done._undo.append(_use(code, replacement))
        done.replaced.append((name, "turns q and k by float32 rows, rounded once"))
        turned = True
    for tables in found:
        tables.rotate = turned
