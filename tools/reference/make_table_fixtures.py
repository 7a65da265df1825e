"""Tables of cos and sin as the rotary classes of transformers hand them to their layers, in each form: halves twice
(Llama, Phi-3, GPT-NeoX, Qwen3-VL), each number twice in a row (Cohere), complex numbers (Llama 4)."""

import common
import numpy as np
import torch
from transformers import CohereConfig, GPTNeoXConfig, Llama4TextConfig, LlamaConfig, Phi3Config
from transformers.models.cohere import modeling_cohere
from transformers.models.gpt_neox import modeling_gpt_neox
from transformers.models.llama import modeling_llama
from transformers.models.llama4 import modeling_llama4
from transformers.models.phi3 import modeling_phi3
from transformers.models.qwen3_vl import configuration_qwen3_vl, modeling_qwen3_vl

POSITIONS = [[0, 1, 2, 255, 4095], [7, 0, -3, 1000003, 131071]]
SHORT, LONG = [[0, 1, 2, 77, 4095]], [[0, 1, 2, 77, 4096]]  # the scaling changes past 4096 tokens
AXES = [[[0, 1, 2, 3, 90]], [[0, 5, 6, 7, 91]], [[0, 9, 10, 11, 92]]]
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}  # fmt: skip
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 4096}
LONGROPE = {"rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 4096,
            "short_factor": [1 + i / 64 for i in range(16)], "long_factor": [1 + i / 4 for i in range(16)]}  # fmt: skip
PLAIN = {"rope_type": "default", "rope_theta": 10000.0}
SIZE = {"hidden_size": 32, "num_attention_heads": 1}


def run(arrays, name, embedding, positions, dtype=torch.float32):
    out = embedding(torch.zeros(1, dtype=dtype), torch.tensor(positions))
    if isinstance(out, tuple):
        arrays[f"{name}_cos"], arrays[f"{name}_sin"] = (part.float() for part in out)
    else:
        arrays[f"{name}_cis"] = torch.view_as_real(out)


def main():
    arrays = {"positions": np.array(POSITIONS), "short": np.array(SHORT), "long": np.array(LONG), "axes": np.array(AXES)}
    llama = modeling_llama.LlamaRotaryEmbedding
    llama3 = llama(LlamaConfig(**SIZE, rope_parameters=LLAMA3))
    run(arrays, "llama3", llama3, POSITIONS)
    run(arrays, "llama3_bf16", llama3, POSITIONS, torch.bfloat16)
    run(arrays, "yarn", llama(LlamaConfig(**SIZE, rope_parameters=YARN)), POSITIONS)
    cohere = CohereConfig(**SIZE, rope_parameters=PLAIN)
    run(arrays, "cohere", modeling_cohere.CohereRotaryEmbedding(cohere), POSITIONS)
    neox = GPTNeoXConfig(**SIZE, rope_parameters={**PLAIN, "partial_rotary_factor": 0.25})
    run(arrays, "gpt_neox", modeling_gpt_neox.GPTNeoXRotaryEmbedding(neox), POSITIONS)
    llama4 = Llama4TextConfig(**SIZE, head_dim=32, rope_parameters=LLAMA3)
    run(arrays, "llama4", modeling_llama4.Llama4TextRotaryEmbedding(llama4), POSITIONS)
    phi3 = Phi3Config(**SIZE, pad_token_id=0, max_position_embeddings=131072, rope_parameters=LONGROPE,
                      original_max_position_embeddings=4096)  # fmt: skip
    for name, positions in [("short", SHORT), ("long", LONG)]:
        run(arrays, f"longrope_{name}", modeling_phi3.Phi3RotaryEmbedding(phi3), positions)
    qwen = configuration_qwen3_vl.Qwen3VLTextConfig(
        **SIZE, head_dim=32, rope_parameters={**PLAIN, "mrope_section": [6, 5, 5], "mrope_interleaved": True})
    run(arrays, "qwen3_vl", modeling_qwen3_vl.Qwen3VLTextRotaryEmbedding(qwen), AXES)
    case = {
        "source": "rotary classes of transformers, head_dim 32",
        "reference_error": {"cos and sin of a float32 angle, ULP": 1},
    }
    common.save("tables", arrays, case)


if __name__ == "__main__":
    main()
