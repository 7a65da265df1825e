"""ALiBi in a model's code, and what stands for it: of ropewalk.torch.patch. The bias of head h is slope_h times the position of a key,
and what a row of scores has in common drops out of the softmax."""

import inspect

import torch

from ._torch_functions import named_functions, stands_for, use

_DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def _build_alibi_tensor(slopes):
    """Falcon's and BLOOM's: [batch * heads, 1, keys]; padding gets 0 and is not counted."""

    def build(attention_mask, num_heads, dtype):
        position = ((attention_mask.cumsum(-1) - 1) * attention_mask)[:, None, :]
        bias = slopes.to(attention_mask.device)[:, None] * position
        return bias.reshape(-1, 1, attention_mask.shape[-1]).to(dtype)

    mask = torch.ones(2, 40, dtype=torch.int64)
    mask[1, :7] = 0
    return build, (mask, len(slopes), torch.float32)


def _get_alibi_slopes(slopes):
    """BLOOM's without a mask: [heads]."""

    def build(num_heads, device):
        return slopes.to(device)

    return build, (len(slopes), torch.device("cpu"))


def _build_mpt_alibi_tensor(slopes):
    """MPT's: [heads, 1, keys], 0 at the last key."""

    def build(num_heads, sequence_length, alibi_bias_max=8, device=None):
        position = torch.arange(1 - sequence_length, 1, dtype=torch.int32, device=device)
        return slopes.to(device)[:, None, None] * position

    return build, (len(slopes), 40)


# Each gives what stands for the function of its name, and arguments to try both with.
_MAKERS = {
    "build_alibi_tensor": _build_alibi_tensor,
    "_get_alibi_slopes": _get_alibi_slopes,
    "build_mpt_alibi_tensor": _build_mpt_alibi_tensor,
}


def _same(ours, theirs, dtype):
    """Slopes are powers, which torch does not round correctly; bfloat16 has 8 bits."""
    step = 2e-6 if dtype == torch.float32 else 2.0**-8
    return ours.shape == theirs.shape and torch.allclose(ours.double(), theirs.double(), rtol=step, atol=0)


def _replacement(original, build, slopes):
    signature = inspect.signature(build)

    def alibi(*arguments, **keywords):
        given = signature.bind(*arguments, **keywords).arguments
        if given["num_heads"] != len(slopes) or given.get("alibi_bias_max", 8) != 8:  # of another model
            return original(*arguments, **keywords)
        return build(*arguments, **keywords)

    alibi._slopes = slopes
    return stands_for(alibi, original)


def patch_alibi(model, encoding, done):
    """Replaces the functions that make the bias of the model's ALiBi layers."""
    layers = [layer for layer in encoding.layers if layer.alibi_slopes is not None]
    if not layers:
        return
    slopes, facts = torch.from_numpy(layers[0].alibi_slopes), layers[0].positions
    dtype = _DTYPES[facts["dtype"]]
    slopes = slopes.to(dtype)
    found = False
    for code, name, function in named_functions(model, _MAKERS):
        found = True
        shown = f"{code.__name__}.{name}"
        how = f"ALiBi of {len(slopes)} heads, slopes and bias in {facts['dtype']}"
        if hasattr(function, "_ropewalk"):  # for another model of this code
            if not torch.equal(function._slopes, slopes):
                done.left.append((shown, f"it stands for that of a patched model of {len(function._slopes)} heads and other slopes"))
                continue
            done._undo.append(use(code, name, function))
            done.replaced.append((shown, how))
            continue
        build, trial = _MAKERS[name](slopes)
        if not _same(build(*trial), function(*trial), dtype):
            done.left.append((shown, "its bias is not that which the config says for the layers"))
            continue
        done._undo.append(use(code, name, _replacement(function, build, slopes)))
        done.replaced.append((shown, how))
    if not found:
        done.left.append((type(model).__name__, f"no function of its code makes ALiBi's bias: expected {', '.join(_MAKERS)}"))
