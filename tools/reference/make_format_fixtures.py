"""Makes testdata/formats/: small files written by NumPy, by PyTorch, by the reference of safetensors and by the gguf package.

Needs gguf==0.19.0, numpy==2.4.6, safetensors==0.8.0, torch==2.15.0.
"""

import collections
import io
import os
import pathlib

import gguf
import numpy as np
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats"


def save(name, array, version=None):
    with open(OUT / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def save_gguf(name, endianess):
    """A value of each type, and tensors as a small Llama 3.1 has them."""
    file = gguf.GGUFWriter(OUT / name, "llama", endianess=endianess)
    file.add_block_count(2)
    file.add_head_count_kv([2, 1])
    file.add_rope_freq_base(500000.0)
    file.add_rope_dimension_count(16)
    file.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    file.add_uint8("test.u8", 200)
    file.add_int8("test.i8", -2)
    file.add_uint16("test.u16", 60000)
    file.add_int16("test.i16", -3)
    file.add_int32("test.i32", -4)
    file.add_uint64("test.u64", 2**40)
    file.add_int64("test.i64", -(2**40))
    file.add_float64("test.f64", 0.1)
    file.add_bool("test.bool", True)
    file.add_array("test.flags", [True, False])
    file.add_token_list(["<s>", "愛", ""])
    file.add_token_scores([0.5, -1.0, 2.0])
    file.add_tensor("rope_freqs.weight", np.array([1, 1, 2.5, 8], np.float32))
    file.add_tensor("half", np.array([[1, 2, 3], [4, 5, -6]], np.float16))
    # As bytes, which the writer does not turn around.
    bf16 = np.array([0x3F80, 0xC000], ">u2" if endianess == gguf.GGUFEndian.BIG else "<u2")
    file.add_tensor("bf16", bf16.view(np.uint8), raw_shape=[4], raw_dtype=gguf.GGMLQuantizationType.BF16)
    blocks = gguf.quants.quantize(np.arange(64, dtype=np.float32).reshape(2, 32), gguf.GGMLQuantizationType.Q8_0)
    file.add_tensor("blk.0.attn_q.weight", blocks, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


class Call:
    """What an attacker saves: whoever unpickles it runs a command."""

    def __reduce__(self):
        return os.system, ("true",)


def save_torch():
    """Tensors as torch.save writes them, and the same as safetensors, which has no views."""
    base = (torch.arange(24, dtype=torch.float32) / 8 - 1).reshape(4, 6)
    tensors = {
        "f32": base,
        "transposed": base.t(),
        "slice": base[1:, 2:5],
        "expanded": base[0].expand(2, 6),
        "parameter": torch.nn.Parameter(base[:1].clone()),
        "bf16": base.bfloat16(),
        "f16": base.half(),
        "f64": base[:1].double() / 3,
        "scalar": torch.tensor(-7),
        "empty": torch.zeros(0, 3),
        "flags": torch.tensor([True, False]),
        "u16": torch.tensor([1, 60000], dtype=torch.uint16),
        "f8": base[0].to(torch.float8_e4m3fn),
    }
    nested = collections.OrderedDict(tensors)
    nested["layers"] = [{"q": base + 1, "k": base - 1}, {"q": base * 2}]
    nested.update({"step": 1000, "model": "tiny", "rate": 0.5, "nothing": None, "complex": torch.ones(2, dtype=torch.complex64)})
    torch.save(nested, OUT / "tensors.pt")
    tensors.update({"layers.0.q": base + 1, "layers.0.k": base - 1, "layers.1.q": base * 2})
    save_file({name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}, OUT / "tensors.safetensors")
    torch.save(base, OUT / "one.pt")
    old = io.BytesIO()
    torch.save(base, old, _use_new_zipfile_serialization=False)
    (OUT / "before_1_6.pt").write_bytes(old.getvalue()[:64])  # the rest holds addresses
    torch.save({"q": base, "more": Call()}, OUT / "call.pt")
    torch.save(torch.conj(torch.ones(1, dtype=torch.complex64)).imag, OUT / "negative_view.pt")
    # precompute_freqs_cis of Meta's LLaMA 3: complex64, rows 2 to 7 of a longer table.
    freqs = 1.0 / (500000.0 ** (torch.arange(0, 128, 2).float() / 128))
    cis = torch.polar(torch.ones(9, 64), torch.outer(torch.arange(9).float(), freqs))[2:8]
    torch.save(cis, OUT / "freqs_cis.pt")
    dumps = OUT.parent / "diagnose" / "llama-3-8b"
    before, right, wrong = (torch.from_numpy(np.load(dumps / f"{name}.npy")) for name in ("before", "right", "base_10000"))
    # As a model holds them: [batch, heads, seq, head_dim] in memory, seen as [batch, seq, heads, head_dim].
    views = [tensor.transpose(1, 2).contiguous().transpose(1, 2) for tensor in (before, right, wrong)]
    torch.save({"layers": [dict(zip(("before", "right", "wrong"), views))], "q": before}, OUT / "dump.pt")
    linear = torch.nn.Linear(2, 2)
    torch.nn.init.constant_(linear.weight, 0.5)
    torch.nn.init.constant_(linear.bias, 2)
    torch.save(linear.state_dict(), OUT / "state_dict.pt")


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
    save("c8.npy", np.array([1 + 2j, 3 - 4j], "<c8"))
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
    save_torch()
    save_gguf("reference.gguf", gguf.GGUFEndian.LITTLE)
    save_gguf("reference_big_endian.gguf", gguf.GGUFEndian.BIG)


if __name__ == "__main__":
    main()
