"""PyTorch, eager: apply_rotary_pos_emb as in Hugging Face transformers (half_split, cos and sin of full width in the
type of q), and complex numbers as in Meta's llama (interleaved, in float32), out of place as both are.

Temporaries of 32 MB and more come from the system and go back to it at each operation, and each page of them costs a
fault. The entries *_warm are measured in a process of their own whose malloc keeps its memory.
"""

import os
import subprocess
import sys

import race
from race import np

try:
    import torch
except ImportError as error:
    race.absent("torch_eager", error)

# Entries of an old torch, such as Debian's, bear its version: torch1.13_complex.
VERSION = ".".join(torch.__version__.split(".")[:2])
NAME = "torch" if int(VERSION.split(".")[0]) >= 2 else f"torch{VERSION}"

WARM = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def half_split(workload, dtype):
    """Functions of q and k, [batch, heads, seq, head_dim]."""
    angles = torch.from_numpy(np.concatenate([workload.angles()] * 2, axis=-1))
    cos, sin = angles.cos().to(DTYPES[dtype])[:, None], angles.sin().to(DTYPES[dtype])[:, None]
    rotary_dim = workload.rotary_dim

    def rotate(x):
        if rotary_dim == workload.head_dim:
            return x * cos + rotate_half(x) * sin
        turned, kept = x[..., :rotary_dim], x[..., rotary_dim:]
        return torch.cat((turned * cos + rotate_half(turned) * sin, kept), dim=-1)

    return rotate


def interleaved(workload, dtype):
    """Functions of q and k, [batch, seq, heads, head_dim]."""
    turns = torch.polar(torch.ones(()).double(), torch.from_numpy(workload.angles())).to(torch.complex64)[:, :, None]

    def rotate(x):
        pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)

    return rotate


def run(options, workload, dtype, pairing, suffix):
    values = race.values(workload, dtype)
    if values.dtype == np.uint16:
        values = values.view(np.int16)  # an old torch knows no uint16
    q, k = (torch.from_numpy(x).view(DTYPES[dtype]) for x in race.split(workload, values))
    if pairing == "half_split":
        rotate, entry = half_split(workload, dtype), f"{NAME}_rotate_half"
        q, k = q.transpose(1, 2), k.transpose(1, 2)  # seen as the model sees them; memory stays
    else:
        rotate, entry = interleaved(workload, dtype), f"{NAME}_complex"

    def both():
        return rotate(q), rotate(k)

    def result():
        outs = [x.transpose(1, 2) if pairing == "half_split" else x for x in both()]
        return torch.cat([x.float().flatten() for x in outs]).numpy()

    race.race(options, workload, dtype, pairing, {entry + suffix: lambda n: race.measured(both, n)}, result)


def main():
    options = race.arguments(__doc__)
    torch.set_num_threads(options.threads)
    is_warm = all(name in os.environ for name in WARM)
    if not is_warm:
        if not hasattr(torch.nn.functional, "rotary_embedding"):
            print(f"absent: torch.nn.functional.rotary_embedding: torch {torch.__version__} does not ship it")
        sys.stdout.flush()
    workloads = [race.DECODE, race.BATCH, race.PREFILL, race.PARTIAL] + ([race.LONG] if options.long else [])
    with torch.inference_mode():
        for workload in workloads:
            for dtype in DTYPES:
                run(options, workload, dtype, "half_split", "_warm" * is_warm)
                if workload.rotary_dim == workload.head_dim:
                    run(options, workload, dtype, "interleaved", "_warm" * is_warm)
    if not is_warm:
        sys.exit(subprocess.run([sys.executable, *sys.argv], env={**os.environ, **WARM}).returncode)


if __name__ == "__main__":
    main()
