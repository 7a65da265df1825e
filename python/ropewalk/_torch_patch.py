"""ropewalk.torch.patch: a loaded model of transformers turns as ropewalk does."""

import inspect
import types

import torch

from ._ropewalk import Error, read_model
from ._torch_alibi import patch_alibi
from ._torch_functions import ROTATIONS, named_functions, rotates_alike, rotation_for, use
from ._torch_lengths import by_length, rope_of_length, text_of

_TRIED = 8  # positions
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
    """Whether two tables are those of one rotation, at the first positions that are tried."""
    ours, theirs = ours[:, :_TRIED], theirs[:, :_TRIED]
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


class _Lengths:
    """The length whose frequencies transformers takes for a call: of the longest sequence of the batch; with a dynamic scaling the
    longest of all calls, until one is shorter than the trained context."""

    def __init__(self, module):
        self.trained = getattr(module, "original_max_seq_len", None)
        self.longest = {}

    def of(self, rope, position_ids, layer_type):
        length = int(position_ids.max()) + 1 if position_ids.numel() else 0
        if "dynamic" not in rope.rope_type or self.trained is None:
            return length
        longest = max(length, self.longest.get(layer_type, self.trained))
        if length < self.trained:
            longest = self.trained
        self.longest[layer_type] = longest
        return longest


class _Tables:
    """forward of a rotary module: cos and sin of ropewalk, in the form and the dtype that the model's own has."""

    def __init__(self, ropes, angles, module):
        self.ropes, self.angles, self.original = ropes, angles, module.forward
        self.texts = {kind: text_of(rope) for kind, rope in ropes.items() if by_length(text_of(rope))}
        self.lengths = _Lengths(module)
        self.form = None
        self.rotate = True

    def rope(self, layer_type):
        return self.ropes[layer_type if layer_type in self.ropes else None]

    def rope_at(self, position_ids, layer_type):
        rope, text = self.rope(layer_type), self.texts.get(layer_type if layer_type in self.ropes else None)
        return rope if text is None else rope_of_length(text, self.lengths.of(rope, position_ids, layer_type))

    def tables(self, rope, x, position_ids):
        cos, sin = _rows(rope, position_ids, self.angles, self.form, _dtype_name(x.dtype))
        return cos.to(x.device, x.dtype), sin.to(x.device, x.dtype)

    def __call__(self, module, x, position_ids, layer_type=None):
        rope = self.rope_at(position_ids, layer_type)
        cos, sin = self.tables(rope, x, position_ids)
        if self.rotate:
            # By float32 rows, whatever dtype the model computes in: the result is rounded once.
            cos._ropewalk = (*_rows(rope, position_ids, self.angles, "half", "float32"), rope.pairing == "interleaved")
        return cos, sin

    def trials(self, layer_type):
        """Positions to try: of several axes where the rotation has them, of a long and a short sequence where that matters."""
        ids = torch.arange(_TRIED)[None]
        axes = int(self.rope(layer_type).axis.max(initial=0)) + 1
        if axes > 1:
            ids = torch.stack([(axis + 1) * ids + axis for axis in range(axes)])
        if self.texts:
            last = torch.full((*ids.shape[:-1], 1), 4 * (self.lengths.trained or 1 << 20))
            yield torch.cat((ids, last), -1)
        yield ids

    def fits(self, layer_type):
        """Finds the form of the model's own tables; False where they are not those of this rotation."""
        keywords = {} if layer_type is None else {"layer_type": layer_type}
        x, forms = torch.zeros(1, 1, 1), list(_FORMS)
        for ids in self.trials(layer_type):
            theirs = self.original(x, ids, **keywords)
            if not (isinstance(theirs, tuple) and len(theirs) == 2):
                return False
            rope = self.rope_at(ids, layer_type)
            forms = [form for form in forms if self.makes(form, rope, x, ids, theirs)]
        self.form = forms[0] if forms else None
        return bool(forms)

    def makes(self, form, rope, x, ids, theirs):
        self.form = form
        try:
            return all(map(_same, self.tables(rope, x, ids), theirs))
        except Error:
            return False


def _fitting_tables(module, ropes, angles):
    """The tables that stand for this module's, or why there are none."""
    original = module.forward
    if hasattr(original, "_ropewalk"):
        return None, "patch replaced it before; restore() of what that returned puts the model's own back"
    if not ropes:
        return None, "the config says that no layer turns"
    names = list(inspect.signature(original).parameters)
    if names[:2] != ["x", "position_ids"] or len(names) > 3:
        return None, f"its forward takes {', '.join(names)}"
    tables = _Tables(ropes, angles, module)
    kinds = [None]
    if len(names) == 3 and names[2] == "layer_type":
        kinds = [kind for kind in ropes if kind is not None]
        if not kinds:
            return None, "its forward takes layer_type, and the config has no layer_types"
    try:
        if all([tables.fits(kind) for kind in kinds]):
            return tables, None
    except Exception as error:  # of the model's own code
        return None, f"its forward says {error}"
    return None, "its cos and sin are not those that the config says for the layers"


def patch(model, *, angles="exact"):
    """Replaces the rotary modules of a loaded transformers model, and the function that turns q and k, by ropewalk's.

    angles: "exact", or "hf_float32" for the angles that transformers computes, bit for bit. The model's config is read as
    ropewalk.read_model reads it. Each module and function is tried beside the model's own first, at eight positions, and left as it
    is where they are not alike (a vision tower, another function): the result says what was replaced and what was left. The
    functions are those of the model's code, apply_rotary_pos_emb, apply_rotary_pos_emb_interleave (DeepSeek) and those that make
    ALiBi's bias (Falcon, BLOOM, MPT); other models of the process still reach their own through them, and they stay until every
    patched one of them is restored. A model that is patched already is left as it is. Frequencies that depend on the length
    (dynamic, longrope) are those of the longest sequence of a batch for all, and dynamic ones keep the longest call's until one is
    shorter than the trained context, as transformers does. Returns Patched, whose restore() puts all back. With a gradient for q
    and k. Raises ropewalk.Error for a config that ropewalk cannot read, or whose layers have neither a rotation nor ALiBi.
    """
    encoding = read_model(model.config)
    config = getattr(model.config, "get_text_config", lambda: model.config)()
    ropes = _ropes_of(encoding, config)
    done = Patched()
    if not ropes and all(layer.alibi_slopes is None for layer in encoding.layers):
        raise Error(f"model: expected layers that rotate or have ALiBi, found {encoding.layers[:1]}", "unsupported")
    found = []
    for name, module in model.named_modules():
        if "Rotary" not in type(module).__name__:
            continue
        tables, why = _fitting_tables(module, ropes, angles)
        if tables is None:
            done.left.append((name or type(module).__name__, why))
            continue
        found.append(tables)
        module.forward = types.MethodType(_forward_of(tables), module)
        done._undo.append(lambda module=module: module.__dict__.pop("forward", None))
        turning = ", ".join(sorted({repr(rope) for rope in ropes.values()}))
        done.replaced.append((name, f"{type(module).__name__}: cos and sin of {turning}, angles {angles}"))
    _patch_functions(model, encoding, found, done)
    patch_alibi(model, encoding, done)
    return done


def _forward_of(tables):
    def forward(self, x, position_ids, layer_type=None):
        return tables(self, x, position_ids, layer_type)

    forward._ropewalk = tables
    return forward


def _patch_functions(model, encoding, found, done):
    heads = (max(encoding.heads, 1), max(encoding.kv_heads, 1))
    turned = False
    for code, name, function in named_functions(model, ROTATIONS) if found else ():
        shown = f"{code.__name__}.{name}"
        if hasattr(function, "_ropewalk"):  # for another model of this code
            original, replacement = function._ropewalk, function
        else:
            original, replacement = function, rotation_for(function)
        if replacement is None:
            done.left.append((shown, f"it takes {', '.join(inspect.signature(original).parameters)}"))
            continue
        if replacement._neighbours_only and any(tables.rope(None).pairing != "interleaved" for tables in found):
            done.left.append((shown, "it turns neighbours, and the config says that halves turn"))
            continue
        try:
            alike = all(rotates_alike(original, replacement, tables.rope(None), tables, heads) for tables in found)
        except Exception as error:
            done.left.append((shown, f"it says {error}"))
            continue
        if not alike:
            done.left.append((shown, "it turns other channels than the rotation of the config, whose rows it gets"))
            continue
        done._undo.append(use(code, name, replacement))
        done.replaced.append((shown, "turns q and k by float32 rows, rounded once"))
        turned = True
    for tables in found:
        tables.rotate = turned
