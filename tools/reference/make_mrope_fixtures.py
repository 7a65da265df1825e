"""Which position axis turns each pair, and how fast, by the M-RoPE classes of transformers.

One axis at a time is at position 2^-20, the others at 0: there sin(x) is x in float32, so that the
rows of sin are the frequencies, exactly, and where they are not 0 is the axis.
"""

import common
import numpy as np
import torch
from transformers import (
    Ernie4_5_VLMoeTextConfig,
    Glm4vMoeTextConfig,
    Glm4vTextConfig,
    Qwen2VLTextConfig,
    Qwen3_5TextConfig,
    Qwen3VLTextConfig,
)
from transformers.models.ernie4_5_vl_moe.modeling_ernie4_5_vl_moe import Ernie4_5_VLMoeTextRotaryEmbedding
from transformers.models.glm4v.modeling_glm4v import Glm4vTextRotaryEmbedding
from transformers.models.glm4v_moe.modeling_glm4v_moe import Glm4vMoeTextRotaryEmbedding
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding
from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5TextRotaryEmbedding
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
# name, embedding, config, head_dim, rope_parameters, order, pairing
CASES = [
    ("qwen2_vl", Qwen2VLRotaryEmbedding, Qwen2VLTextConfig, 128, {"mrope_section": [16, 24, 24]}, "contiguous", "half"),
    ("qwen3_vl", Qwen3VLTextRotaryEmbedding, Qwen3VLTextConfig, 128, {"mrope_section": [24, 20, 20]}, "interleaved",
     "half"),
    ("qwen3_5", Qwen3_5TextRotaryEmbedding, Qwen3_5TextConfig, 256,
     {"mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25}, "interleaved", "half"),
    ("qwen3_5_yarn", Qwen3_5TextRotaryEmbedding, Qwen3_5TextConfig, 256,
     {"mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25, **YARN}, "interleaved", "half"),
    ("ernie4_5_vl", Ernie4_5_VLMoeTextRotaryEmbedding, Ernie4_5_VLMoeTextConfig, 128, {"mrope_section": [22, 22, 20]},
     "height_width_first", "interleaved"),
    ("glm4v", Glm4vTextRotaryEmbedding, Glm4vTextConfig, 128,
     {"mrope_section": [8, 12, 12], "partial_rotary_factor": 0.5}, "contiguous", "interleaved"),
    ("glm4v_moe", Glm4vMoeTextRotaryEmbedding, Glm4vMoeTextConfig, 128,
     {"mrope_section": [8, 12, 12], "partial_rotary_factor": 0.5}, "contiguous", "half"),
]  # fmt: skip
SMALL = 2.0**-20


def measure(embedding, pairing):
    """inv_freq and axis of each pair."""
    embedding.attention_scaling = 1.0
    rows = []
    for axis in range(3):
        ids = torch.zeros(3, 1, 1)
        ids[axis] = SMALL
        cos, sin = embedding(torch.zeros(1), ids)
        sin = sin[0, 0].numpy()
        half = len(sin) // 2
        rows.append(sin[:half] if pairing == "half" else sin[0::2])
    sin = np.stack(rows) / np.float32(SMALL)
    assert (np.count_nonzero(sin, axis=0) == 1).all()
    return sin.max(axis=0), np.argmax(sin != 0, axis=0)


def main():
    arrays, described = {}, []
    for name, embedding, config, head_dim, parameters, order, pairing in CASES:
        text = config(
            head_dim=head_dim,
            hidden_size=2 * head_dim,
            num_attention_heads=2,
            rope_parameters={"rope_type": "default", "rope_theta": 1000000.0, **parameters},
        )
        inv_freq, axis = measure(embedding(text), pairing)
        arrays[f"{name}_inv_freq"], arrays[f"{name}_axis"] = inv_freq, axis
        yarn = YARN if "factor" in parameters else {}
        described.append(
            {
                "name": name,
                "rope_theta": 1000000.0,
                "rope_type": yarn.get("rope_type", "default"),
                "parameters": {key: value for key, value in yarn.items() if key != "rope_type"},
                "rotary_dim": 2 * len(axis),
                "mrope_section": parameters["mrope_section"],
                "mrope_order": order,
            }
        )
    common.save("mrope_axes", arrays, {"source": "M-RoPE classes of transformers", "cases": described,
                                       "reference_error": {"ULP of a frequency, torch's pow": 1}})  # fmt: skip


if __name__ == "__main__":
    main()
