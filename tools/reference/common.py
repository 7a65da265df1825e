"""What the fixture generators share: seeds, exact rotation, exact rounding, writing."""

import json
import os
from pathlib import Path

# The same kernels on every x86 machine, so that the bytes of the fixtures repeat.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import mpmath
import numpy as np
import safetensors
import safetensors.torch
import torch
import transformers

torch.set_num_threads(1)

OUTPUT = Path(__file__).resolve().parents[2] / "testdata" / "reference"
VERSIONS = {
    "torch": torch.__version__.split("+")[0],
    "transformers": transformers.__version__,
    "numpy": np.__version__,
    "mpmath": mpmath.__version__,
}
HALF_ULP = 2.0**-24  # of a float32 in [0.5, 1): the unit of every figure below


def normal(seed, *shape):
    """Seeded standard normal float32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def save(name, arrays, case):
    """Writes OUTPUT/<name>.safetensors; `case` (with the versions) is the JSON under the key "case"."""
    tensors = {
        key: (value if isinstance(value, torch.Tensor) else torch.from_numpy(np.asarray(value))).contiguous()
        for key, value in arrays.items()
    }
    text = json.dumps({**case, "versions": VERSIONS}, sort_keys=True)
    data = safetensors.torch.save(tensors, metadata={"case": text})
    path = OUTPUT / f"{name}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def inv_freq_float32(base, dim, dtype=np.float32):
    """1 / base^(2i/dim), each step correctly rounded to float32 as the models do, then to `dtype`."""
    exponent = (np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)).astype(np.float32)
    power = np.power(np.float64(base), exponent.astype(np.float64)).astype(np.float32)
    return (np.float32(1) / power).astype(dtype)


def half_split(offset, dim):
    """Channels (a, b) of each pair: i and i + dim/2."""
    first = offset + np.arange(dim // 2)
    return first, first + dim // 2


def interleaved(offset, dim):
    """Channels (a, b) of each pair: 2i and 2i + 1."""
    first = offset + np.arange(0, dim, 2)
    return first, first + 1


def rotate(x, angle, pairs):
    """x [..., head_dim] with each pair turned by angle [..., pairs], in float64."""
    a, b = pairs
    x = np.asarray(x, dtype=np.float64)
    out = x.copy()
    cos, sin = np.cos(angle), np.sin(angle)
    out[..., a] = x[..., a] * cos - x[..., b] * sin
    out[..., b] = x[..., b] * cos + x[..., a] * sin
    return out


def angles(position_ids, inv_freq):
    """position * inv_freq, exact in float64 while |position| < 2^29 and inv_freq is a float32."""
    return np.asarray(position_ids, np.float64)[..., None] * np.asarray(inv_freq, np.float64)


def rotation_error(reference, exact, x, pairs, angle=0.0, unit=HALF_ULP):
    """Largest |reference - exact| / |pair| over all channels, in units of 2^-24 (or `unit`).

    With `angle`, what a float32 product p * inv_freq may be off, |angle| 2^-24, is taken off first.
    """
    a, b = pairs
    x = np.asarray(x, np.float64)
    length = np.hypot(x[..., a], x[..., b])
    error = np.abs(np.asarray(reference, np.float64) - exact)
    worst = np.maximum(error[..., a], error[..., b]) / np.maximum(length, 2.0**-40)
    return rounded((worst - np.abs(angle) * HALF_ULP).max() / unit)


def mpmath_rotation(x, position_ids, inv_freq, pairs):
    """The rotation of x [B, S, H, D] in 120-bit arithmetic, rounded once to float64."""
    out = np.asarray(x, np.float64).copy()
    with mpmath.workprec(120):
        for b, s in np.ndindex(x.shape[:2]):
            for i, (first, second) in enumerate(zip(*pairs)):
                cos, sin = mpmath.cos_sin(int(position_ids[b, s]) * mpmath.mpf(float(inv_freq[i])))
                for h in range(x.shape[2]):
                    u, v = float(x[b, s, h, first]), float(x[b, s, h, second])
                    out[b, s, h, first], out[b, s, h, second] = u * cos - v * sin, v * cos + u * sin
    return out


def max_error(reference, exact):
    """Largest |reference - exact|, in units of 2^-24."""
    return rounded(np.abs(np.asarray(reference, np.float64) - exact).max() / HALF_ULP)


def nearest_float32(value):
    """The float32 nearest to a nonzero mpf, ties to even, subnormals too."""
    return nearest_float(value, 24, -126)


def nearest_float(value, digits, least_exponent):
    """The number of so many binary digits nearest to a nonzero mpf, ties to even; below 2^least_exponent they are
    subnormal. Decided with integers alone."""
    sign, mantissa, exponent, bits = value._mpf_
    last = max(exponent + bits - digits, least_exponent - digits + 1)  # exponent of the last bit kept
    shift = last - exponent
    if shift <= 0:
        kept = mantissa << -shift
    else:
        kept, rest = mantissa >> shift, mantissa & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        kept += rest > half or (rest == half and kept & 1)
    result = float(kept) * 2.0**last
    return -result if sign else result


def rounded(value):
    """Three digits: enough for a report, and the same in every run."""
    return float(f"{float(value):.3g}")
