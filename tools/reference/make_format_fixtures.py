"""Makes testdata/formats/: small files written by NumPy and by the reference of safetensors.

Needs numpy==2.4.6, safetensors==0.8.0, torch==2.15.0.
"""

import io
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats"


def save(name, array, version=None):
    with open(OUT / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    small = np.arange(6, dtype="<f4").reshape(2, 3)
    save("f4_v1.npy", small, (1, 0))
    save("f4_v2.npy", small, (2, 0))
    save("f4_v3.npy", small, (3, 0))
    save("f8_big_endian.npy", (np.arange(6) / 2).astype(">f8"))
    cube = np.arange(24, dtype="<i4").reshape(2, 3, 4)
    save("i4_c.npy", cube)
    save("i4_fortran.npy", np.asfortranarray(cube))
    save("f2_scalar.npy", np.array(1.5, "<f2"))
    save("i8_empty.npy", np.zeros((0, 3), "<i8"))
    save("b1.npy", np.array([True, False, True]))
    save("structured.npy", np.zeros(1, [("a", "<f4")]))
    save("object.npy", np.array([None], dtype=object))
    archive = io.BytesIO()
    np.savez(archive, a=np.zeros(1, "<f4"))
    (OUT / "archive.npz").write_bytes(archive.getvalue())
    save_file(
        {
            "weight": torch.arange(6, dtype=torch.float32).reshape(2, 3),
            "scalar": torch.tensor(7, dtype=torch.int64),
            "empty": torch.zeros(0, 3, dtype=torch.float16),
            "愛": torch.ones(3, dtype=torch.bfloat16),
            "complex": torch.ones(2, dtype=torch.complex64),
            "flags": torch.tensor([True, False]),
        },
        OUT / "reference.safetensors",
        metadata={"format": "pt"},
    )


if __name__ == "__main__":
    main()
