"""Angles as other code computes them: transformers' float32 product, torch's bf16 and f16 products,
and cos and sin of ggml's own rope (the library in the wheel ctransformers 0.2.27, ggml of September
2023), which turns pairs (1, 0).
"""

import ctypes
import importlib.util
from pathlib import Path

import common
import numpy as np
import torch
from transformers import LlamaConfig
from transformers.models.llama import modeling_llama

POSITIONS = [0, 1, 2, 255, 257, 2049, 4096, 65519, 65520, 131071, 1000003, 2**24 + 1, 2**31 + 129, -1, -4097]
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
# name, head_dim, rope_parameters
TRANSFORMERS = [
    ("plain", 128, {"rope_type": "default", "rope_theta": 10000.0}),
    ("llama3", 128, {"rope_theta": 500000.0, **LLAMA3}),
    ("yarn", 64, {"rope_theta": 10000.0, **YARN}),
]
# head_dim, base, freq_scale: powers of two, because this ggml multiplies by it first and a newer one last
GGML = [(128, 10000.0, 1.0), (128, 500000.0, 1.0), (64, 10000.0, 0.25), (256, 1000000.0, 1.0)]
GGML_POSITIONS = [0, 1, 77, 4096, 131071, 1000003, 2**24 + 1]


class InitParams(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


def load_ggml():
    package = Path(importlib.util.find_spec("ctransformers").origin).parent
    library = ctypes.CDLL(str(package / "lib" / "basic" / "libctransformers.so"))
    pointer, integer, real = ctypes.c_void_p, ctypes.c_int, ctypes.c_float
    signatures = {
        "ggml_init": (pointer, [InitParams]),
        "ggml_new_tensor_3d": (pointer, [pointer, integer] + [ctypes.c_int64] * 3),
        "ggml_rope_custom": (pointer, [pointer, pointer] + [integer] * 4 + [real] * 2),
        "ggml_build_forward_ctx": (pointer, [pointer, pointer]),
        "ggml_graph_compute_with_ctx": (None, [pointer, pointer, integer]),
        "ggml_get_data_f32": (ctypes.POINTER(real), [pointer]),
        "ggml_free": (None, [pointer]),
    }
    for name, (result, arguments) in signatures.items():
        getattr(library, name).restype, getattr(library, name).argtypes = result, arguments
    return library


def ggml_cos_sin(ggml, position, dim, base, scale):
    """ggml's rope of the pairs (1, 0): its cos and sin."""
    context = ggml.ggml_init(InitParams(16 << 20, None, False))
    x = ggml.ggml_new_tensor_3d(context, 0, dim, 1, 1)
    data = ggml.ggml_get_data_f32(x)
    for i in range(dim):
        data[i] = 1.0 - i % 2
    y = ggml.ggml_rope_custom(context, x, position, dim, 0, 0, base, scale)
    ggml.ggml_graph_compute_with_ctx(context, ggml.ggml_build_forward_ctx(context, y), 1)
    out = ggml.ggml_get_data_f32(y)
    result = np.array([out[i] for i in range(dim)], np.float32)
    ggml.ggml_free(context)
    return result[0::2], result[1::2]


def transformers_arrays(arrays):
    ids = torch.tensor([POSITIONS])
    for name, head_dim, parameters in TRANSFORMERS:
        config = LlamaConfig(head_dim=head_dim, hidden_size=head_dim, num_attention_heads=1, rope_parameters=parameters)
        embedding = modeling_llama.LlamaRotaryEmbedding(config)
        inv_freq = embedding.inv_freq
        cos, sin = embedding(torch.zeros(1), ids)
        arrays[f"{name}_angle"] = (ids[0, :, None].float() * inv_freq).contiguous()
        arrays[f"{name}_cos"], arrays[f"{name}_sin"] = cos[0, :, : head_dim // 2], sin[0, :, : head_dim // 2]
        if name == "plain":
            t = ids[0, :, None]
            arrays["bf16_frequency"] = t.float() * inv_freq.bfloat16().float()
            arrays["bf16_position"] = (t.to(torch.bfloat16) * inv_freq.bfloat16()).float()
            arrays["fp16"] = (t.half() * inv_freq.half()).float()


def main():
    arrays = {"position_ids": np.array(POSITIONS), "ggml_position_ids": np.array(GGML_POSITIONS)}
    transformers_arrays(arrays)
    ggml = load_ggml()
    for dim, base, scale in GGML:
        rows = [ggml_cos_sin(ggml, position, dim, base, scale) for position in GGML_POSITIONS]
        key = f"ggml_d{dim}_base{int(base)}"
        arrays[f"{key}_cos"] = np.stack([cos for cos, _ in rows])
        arrays[f"{key}_sin"] = np.stack([sin for _, sin in rows])
    case = {
        "source": "LlamaRotaryEmbedding; torch's bf16 and f16 products; ggml_rope_custom of ctransformers 0.2.27",
        "reference_error": {"cos and sin of a float32 angle, ULP": 1},
    }
    common.save("angles", arrays, case)


if __name__ == "__main__":
    main()
