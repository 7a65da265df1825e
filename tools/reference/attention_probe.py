"""Runs a model of transformers with its own forward and writes down what its attention is given.

Nothing is multiplied: a Linear answers ones, feed-forward blocks and mixers without attention answer their input,
tensors of more than LIMIT numbers have no memory. What is left is the class's own control flow: which norm is called
before or after which rotation, the mask of each layer, and the arguments of the attention function. A mask is read by
asking its own function about a query far from both ends.
"""

import importlib
import inspect
import re

import common  # noqa: F401  one thread, offline
import torch
from torch.overrides import TorchFunctionMode
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

NAME = "eager"
LIMIT = 1 << 18
FAR = 1 << 18  # further than any published window
TOKENS = 8
FEED_FORWARD = ("MLP", "Mlp", "Moe", "MoE", "Experts", "FeedForward", "SparseBlock", "FFN")
KEEP = ("Layer", "Model", "Attention", "Norm", "Rotary", "MoA")
NO_ATTENTION = ("Mamba", "DeltaNet", "DeltaAttention", "LightningAttention", "ShortConv", "RecurrentBlock", "Mixer")

made = []  # what the masks of this forward are
events = []  # of the model that runs: (what, scope, details)
_scope, _quiet = [], [0]


class EmptyMask(Exception):
    """A window of 0, made but given to no layer."""


def window_of(mask_function):
    """How many keys a far query sees to either side (-1: all), and whether its window stands still (a chunk)."""
    batch, keys = torch.tensor(0), torch.arange(2 * FAR)

    def edges(query):
        seen = mask_function(batch, batch, torch.tensor(query), keys)
        seen = torch.as_tensor(seen).expand(keys.shape).nonzero().flatten()
        if not len(seen):
            raise EmptyMask
        assert int(seen[-1]) - int(seen[0]) + 1 == len(seen), "a mask with holes"
        return int(seen[0]), int(seen[-1])

    (first, last), (again, _) = edges(FAR + 1), edges(FAR + 2)
    mask = {"left": -1 if first == 0 else FAR + 1 - first, "right": -1 if last == 2 * FAR - 1 else last - FAR - 1}
    if first and again == first:  # two neighbours in one chunk: it is the distance between two starts
        start = next(edge for edge in (edges(q)[0] for q in range(FAR + 1, 2 * FAR, 64)) if edge > first)
        mask = {"left": -1, "right": mask["right"], "chunk": start - first}
    return mask


def mask_interface(batch_size, q_length, kv_length, mask_function=None, **_):
    mask = torch.zeros(batch_size, 1, q_length, kv_length)
    with _Quiet():
        try:
            mask.facts = window_of(mask_function)
        except EmptyMask:
            mask.facts = "empty"
    if mask.facts != "empty" and mask.facts not in made:
        made.append(mask.facts)
    return mask


def attention(module, query, key, value, attention_mask, scaling=None, dropout=0.0, **kwargs):
    score = None
    if query.shape[-1] == key.shape[-1]:
        with _Quiet():  # of the first token, where nothing is turned, over head_dim: all factors of q and k
            score = float((query[0, 0, 0] * key[0, 0, 0]).mean())
    events.append(("attend", _scope[-1] if _scope else None, {
        "q": tuple(query.shape), "k": tuple(key.shape), "v": tuple(value.shape), "scaling": scaling, "score": score,
        "mask": None if attention_mask is None else getattr(attention_mask, "facts", "changed"),
        "softcap": kwargs.get("softcap"), "sinks": kwargs.get("s_aux") is not None,
        "sliding_window": kwargs.get("sliding_window")}))
    with _Quiet():
        return torch.ones(query.shape[0], query.shape[2], query.shape[1], value.shape[-1]), None


ALL_ATTENTION_FUNCTIONS.register(NAME, attention)
ALL_MASK_ATTENTION_FUNCTIONS.register(NAME, mask_interface)


class _Quiet:
    def __enter__(self):
        _quiet[0] += 1

    def __exit__(self, *_):
        _quiet[0] -= 1


class BigIsMeta(TorchFunctionMode):
    """Tensors of more than LIMIT numbers are made without memory."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in (torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn, torch.full):
            first = args[0] if args else kwargs.get("size", ())
            size = first if isinstance(first, (tuple, list)) else [a for a in args if isinstance(a, int)]
            if torch.Size([n or 1 for n in size]).numel() > LIMIT:
                kwargs["device"] = "meta"
        return func(*args, **kwargs)


class Trace(TorchFunctionMode):
    """Calls of torch inside an attention module, but not inside its norms, rotations and projections."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if _scope and not _quiet[0]:
            name = getattr(func, "__name__", "")
            if name in ("softmax", "sigmoid", "softplus", "tanh", "log", "log1p", "clamp", "clamp_", "mul"):
                details = {**(kwargs or {}), "shape": [tuple(a.shape) for a in args if isinstance(a, torch.Tensor)]}
                if name == "softmax":
                    x = args[0]
                    details = {"first": float(x[0, 0, 0, 0]) if x.ndim == 4 else None,
                               "last": float(x[0, 0, -1, -1]) if x.ndim == 4 else None, "shape": [tuple(x.shape)]}
                if name == "mul":
                    details = {"shape": [tuple(a.shape) if isinstance(a, torch.Tensor) else () for a in args]}
                events.append((name, _scope[-1], details))
        return out


def is_attention(module):
    """Also what has norms, rotations and a softmax of its own, so that they are not taken for the layer's."""
    name = type(module).__name__
    return any(word in name for word in ("Attention", "Attn", "MLA", "Indexer", "Compressor")) and "Layer" not in name


def _stub(model):
    prefix = re.sub("(Text|Encoder|Decoder)?(Model|Module)?$", "", type(model).__name__)
    for module in model.modules():
        name = type(module).__name__.removeprefix(prefix)
        if any(word in name for word in NO_ATTENTION) or (
                any(word in name for word in FEED_FORWARD) and not any(word in name for word in KEEP)):
            source = inspect.getsource(type(module).forward)
            pair = re.search(r"^\s+return \(?\w+, \w", source, re.M)
            module.forward = _answer_input_and_more if pair else _answer_input
        elif isinstance(module, torch.nn.Linear):
            module.forward = lambda x, *_, m=module, **__: torch.ones(*x.shape[:-1], m.out_features)
        elif name == "Conv1D":
            module.forward = lambda x, *_, m=module, **__: torch.ones(*x.shape[:-1], m.nf)
        elif isinstance(module, torch.nn.Embedding) and module.weight.is_meta:
            module.forward = lambda x, *_, m=module, **__: torch.ones(*x.shape, m.embedding_dim)


def _answer_input(*args, **kwargs):
    return args[0] if args else next(iter(kwargs.values()))


def _answer_input_and_more(*args, **kwargs):
    return _answer_input(*args, **kwargs), None


def _hook_norm(name, module):
    def before(_, args, kwargs):
        if not _quiet[0]:
            x = args[0] if args else next(iter(kwargs.values()))
            events.append(("norm", _scope[-1] if _scope else None, {
                "name": name, "module": module, "shape": tuple(x.shape)}))
        _quiet[0] += 1

    module.register_forward_pre_hook(before, with_kwargs=True)
    module.register_forward_hook(lambda *_: _quiet.__setitem__(0, _quiet[0] - 1))


def _hook_attention(name, module):
    def before(_, args, kwargs):
        mask = kwargs.get("attention_mask")
        mask = next((a for a in (mask, *args) if hasattr(a, "facts")), mask)
        _scope.append((name, module))
        events.append(("enter", _scope[-1], {"mask": getattr(mask, "facts", None)}))

    module.register_forward_pre_hook(before, with_kwargs=True)
    module.register_forward_hook(lambda *_: events.append(("leave", _scope.pop(), {})))


def _hook_linear(name, module):
    def before(*_):
        if _scope:
            events.append(("linear", _scope[-1], {"name": name.split(".")[-1], "bias": module.bias is not None}))
        _quiet[0] += 1

    module.register_forward_pre_hook(before)
    module.register_forward_hook(lambda *_: _quiet.__setitem__(0, _quiet[0] - 1))


def _hook_rotations(file):
    """The functions of a model's file that turn q and k."""
    for name, function in list(vars(file).items()):
        turns = callable(function) and not inspect.isclass(function) and re.search("rotary|rotate", name)
        if turns and not hasattr(function, "watched"):
            def watched(*args, _function=function, **kwargs):
                if _scope and not _quiet[0]:
                    events.append(("rotate", _scope[-1], {}))
                with _Quiet():
                    return _function(*args, **kwargs)

            watched.watched = True
            setattr(file, name, watched)


def run(model, inputs):
    """The events of one forward."""
    events.clear(), _scope.clear(), made.clear()
    _quiet[0] = 0
    _stub(model)
    for name, module in model.named_modules():
        if "Norm" in type(module).__name__ and not is_attention(module):
            _hook_norm(name, module)
        elif is_attention(module):
            _hook_attention(name, module)
        elif isinstance(module, torch.nn.Linear) or type(module).__name__ == "Conv1D":
            _hook_linear(name, module)
    _hook_rotations(importlib.import_module(type(model).__module__))
    with torch.no_grad(), Trace():
        model(**inputs)
    return list(events)
