"""New arrays of the kind that the caller uses: NumPy, PyTorch or JAX. Called from the compiled part."""

import sys

import numpy as np


def _is_torch(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def _is_jax(x):
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(x, jax.Array)


def _bfloat16():
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError("bfloat16 in NumPy needs the package ml_dtypes: pip install ml_dtypes") from error
    return ml_dtypes.bfloat16


def _numpy_dtype(x):
    """The dtype of any array that has one, in NumPy's words."""
    name = str(x.dtype).rsplit(".", 1)[-1]
    return np.dtype(_bfloat16() if name == "bfloat16" else name)


def empty_like(x):
    """A row-major array with the shape, dtype and kind of x, its numbers not set."""
    if _is_torch(x):
        return sys.modules["torch"].empty(x.shape, dtype=x.dtype)
    if hasattr(x, "dtype"):
        return np.empty(tuple(x.shape), _numpy_dtype(x))
    view = memoryview(x)
    return np.empty(view.shape, np.dtype(view.format))


def finished(out, like):
    """What is handed back for `like` where `out` was filled for it."""
    return sys.modules["jax"].numpy.asarray(out) if _is_jax(like) else out


def result(array, is_bfloat16, like):
    """A NumPy array as the kind of `like`; the numbers of a bfloat16 one are its bits."""
    if array.dtype == np.int64:
        array = array.view(np.int64)  # as NumPy itself spells it, where C has two names for it
    if _is_torch(like):
        torch = sys.modules["torch"]
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if is_bfloat16 else torch.from_numpy(array)
    if is_bfloat16:
        array = array.view(_bfloat16())
    return finished(array, like)
