"""ropewalk.torch.trace: what the rotations of a loaded model of transformers really are, beside what its config says."""

import contextlib
import inspect
import re
import sys
from collections import namedtuple

import torch

from ._ropewalk import Error, diagnose, read_model

_APPLIES = re.compile(r"_?apply_(\w+_)?(rotary|rope)\w*$")
_LENGTHS = (61, 67, 71, 73, 31, 29, 23, 19, 17, 13, 11, 7, 5, 3)

# One array that a layer turned: "q", before and after, and by which function.
_Call = namedtuple("_Call", "name before after function")


class LayerTrace:
    """One layer of trace(model): index; expected, the Rope of its config or None; found, {"q": Diagnosis, "k": Diagnosis} of what was
    turned; function, what turned it; why, where nothing could be compared. consistent is None where that says nothing."""

    def __init__(self, index, expected):
        self.index, self.expected, self.found, self.function, self.why = index, expected, {}, None, None

    @property
    def consistent(self):
        if self.found:
            return all(diagnosis.consistent for diagnosis in self.found.values())
        return None if self.why else True

    def _said(self):
        """The layer in words but for its index: those with the same words are printed together."""
        expected = "not rotated" if self.expected is None else repr(self.expected).removeprefix("<ropewalk.Rope: ").removesuffix(">")
        if self.why:
            return f"{expected}: {self.why}"
        if not self.found:
            return f"{expected}: as it is"
        wrong = [name for name, diagnosis in self.found.items() if not diagnosis.consistent]
        right = [name for name in self.found if name not in wrong]
        right = " and ".join(sorted(right, reverse=True))
        lines = [f"{expected}: {right} turned so by {self.function}" if right else f"{expected}; by {self.function}:"]
        for name in wrong:
            lines += self._faults(name)
        return "\n".join(lines)

    def _faults(self, name):
        findings = self.found[name].findings
        lines = [f"  {'or' if place else name}: {finding['in_words']}; {finding['change']}" for place, finding in enumerate(findings)]
        return lines or [f"  {name}: not as the config says, and no fault that is known explains it"]


class Traced:
    """What trace(model) saw; print it. layers: a LayerTrace each. consistent: whether every layer that was seen turned as the config
    says, and some layer was seen; to_dict() has all as data."""

    def __init__(self, name, layers):
        self.name, self.layers = name, layers

    @property
    def consistent(self):
        seen = [layer.consistent for layer in self.layers]
        return False not in seen and True in seen

    def to_dict(self):
        return {"model": self.name, "consistent": self.consistent,
                "layers": [{"layer": layer.index, "expected": layer.expected and layer.expected.to_dict(), "function": layer.function,
                            "why": layer.why, "consistent": layer.consistent,
                            "found": {name: diagnosis.to_dict() for name, diagnosis in layer.found.items()}} for layer in self.layers]}

    def __repr__(self):
        groups = {}
        for layer in self.layers:
            groups.setdefault(layer._said(), []).append(layer.index)
        return "\n".join(f"layer{'s' if len(indices) > 1 else ''} {_ranges(indices)}: {said}" for said, indices in groups.items())


def _ranges(indices):
    """"0-3, 5" of 0, 1, 2, 3, 5."""
    runs = []
    for i in indices:
        if runs and runs[-1][1] == i - 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _attentions(model):
    """The modules of the layers, each with its index: layer_idx, or, in models that have none (ESM), the one number in the name."""
    found = [(module.layer_idx, module) for module in model.modules() if isinstance(getattr(module, "layer_idx", None), int)]
    if found:
        return found
    for name, module in model.named_modules():
        numbers = [part for part in name.split(".") if part.isdigit()]
        if "Attention" in type(module).__name__ and len(numbers) == 1:
            found.append((int(numbers[0]), module))
    return found


class _Recorder:
    """Wraps the functions that rotate, for as long as the prompt runs, and keeps what each layer gave them and got."""

    def __init__(self, model):
        self.model, self.calls, self._layers, self._inside = model, {}, [], False

    @contextlib.contextmanager
    def recording(self):
        with contextlib.ExitStack() as stack:
            for index, module in _attentions(self.model):
                stack.callback(module.register_forward_pre_hook(lambda *_, index=index: self._layers.append(index)).remove)
                stack.callback(module.register_forward_hook(self._leave, always_call=True).remove)
            for name in sorted({type(module).__module__ for module in self.model.modules()}):
                code = sys.modules.get(name)
                for attribute, function in list(vars(code).items() if code else ()):
                    if _APPLIES.match(attribute) and inspect.isfunction(function):
                        setattr(code, attribute, self._wrapped(function))
                        stack.callback(setattr, code, attribute, function)
            yield self

    def _leave(self, *_):
        self._layers.pop()

    def _wrapped(self, function):
        def traced(*arguments, **keywords):
            if self._inside or not self._layers:
                return function(*arguments, **keywords)
            bound = inspect.signature(function).bind(*arguments, **keywords).arguments
            before = [x.detach().clone() for x in bound.values() if isinstance(x, torch.Tensor)]
            self._inside = True
            try:
                out = function(*arguments, **keywords)
            finally:
                self._inside = False
            self._keep(before, out, function.__name__)
            return out

        return traced

    def _keep(self, before, out, function):
        """The first arrays of a call are what it turns."""
        calls = self.calls.setdefault(self._layers[-1], [])
        for place, after in enumerate(out if isinstance(out, tuple) else (out,)):
            if place == 2 or place == len(before):
                break
            x = before[place]
            if isinstance(after, torch.Tensor) and x.ndim >= 3 and x.shape == after.shape:
                calls.append(_Call("qk"[place] if isinstance(out, tuple) else None, x, after.detach().clone(), function))


def _named(calls, length):
    """The calls by what they turned: of two that were turned each by a call of its own, q has more heads, or comes last (GPT-J)."""
    if len(calls) == 2 and not any(call.name for call in calls):
        heads = [call.before.numel() // call.before.shape[-1] // length for call in calls]
        names = ("q", "k") if heads[0] > heads[1] else ("k", "q")
        return [call._replace(name=name) for call, name in zip(calls, names)]
    return [call._replace(name=call.name or f"x{place}") for place, call in enumerate(calls)]


def _layout(x, length):
    if x.ndim == 3:
        return "thd" if x.shape[0] == length else None
    if x.ndim == 4 and (x.shape[2] == length) != (x.shape[1] == length):
        return "bhsd" if x.shape[2] == length else "bshd"
    return None  # as the heads say


def _compare(layer, encoding, calls, positions):
    length = positions.shape[-1]
    for call in _named(calls, length):
        name = call.name if call.name not in layer.found else f"{call.name}, call {len(layer.found)}"
        before, after = (x.cpu() for x in (call.before, call.after))
        try:
            layer.found[name] = diagnose(encoding, before=before, after=after, position_ids=positions, layer=layer.index,
                                         layout=_layout(before, length), name="k" if call.name == "k" else "q")
        except Error as error:
            layer.found, layer.why = {}, f"{call.function}: {error}"
            return
        layer.function = call.function


def _prompt(model, encoding):
    """Tokens whose number is no count of heads, so that arrays say which axis is which."""
    counts = {count for layer in encoding.layers for count in (layer.heads, layer.kv_heads)}
    most = encoding.max_positions or _LENGTHS[0]
    length = next(n for n in _LENGTHS if n not in counts and n <= max(most, _LENGTHS[-1]))
    config = getattr(model.config, "get_text_config", lambda: model.config)()
    words = min(getattr(config, "vocab_size", None) or 100, 100)
    tokens = torch.randint(min(3, words - 1), words, (1, length), generator=torch.Generator().manual_seed(20210420))
    return {"input_ids": tokens.to(next(model.parameters()).device)}


def _positions(inputs):
    """Those of the inputs, else 0, 1, 2, ... for each token."""
    given = inputs.get("position_ids")
    if given is not None:
        return given.detach().to("cpu", torch.int64).contiguous()
    for key in ("input_ids", "inputs_embeds", "decoder_input_ids"):
        if inputs.get(key) is not None:
            return torch.arange(inputs[key].shape[1])
    raise Error("inputs: expected input_ids, inputs_embeds or position_ids, from which the positions follow, found none of them",
                "invalid_argument")


def trace(model, inputs=None):
    """Runs one prompt through a loaded model of transformers and says what the rotation of each layer really was, beside what
    its config says.

    The functions that turn q and k (apply_rotary_pos_emb and the like, in the file of the model's code) are wrapped while the
    prompt runs; q and k of each layer, before and after, go to ropewalk.diagnose. So it sees what the config cannot say: buffers
    of another base, a patched function, positions that are shifted. The config is read as ropewalk.read_model reads it.

    inputs: a tensor of token ids [batch, seq], or a dict of what model(...) takes; None: some 60 tokens. Without position_ids
    among them the tokens are at 0, 1, 2, ...: with padding on the left, give the position_ids too. Returns Traced: print it.
    Nothing of the model is changed once it returns. Raises ropewalk.Error for a config that ropewalk cannot read, and what
    the model itself raises.
    """
    encoding = read_model(model.config)
    if inputs is None:
        inputs = _prompt(model, encoding)
    inputs = {"input_ids": inputs} if isinstance(inputs, torch.Tensor) else dict(inputs)
    positions = _positions(inputs)
    modes = [(module, module.training) for module in model.modules()]
    recorder = _Recorder(model)
    try:
        model.eval()
        with torch.no_grad(), recorder.recording():
            model(**inputs)
    finally:
        for module, training in modes:
            module.training = training
    layers = []
    for layer in encoding.layers:
        traced = LayerTrace(layer.index, layer.rope)
        calls = recorder.calls.get(layer.index, [])
        if calls:
            _compare(traced, encoding, calls, positions)
        elif layer.rope is not None:
            traced.why = "no function that is known to turn q and k was called"
        layers.append(traced)
    return Traced(encoding.name, layers)
