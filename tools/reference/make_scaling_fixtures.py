"""Frequencies of every rope_type, by transformers' own code over published and random configs.

Each is computed twice: with torch's AVX2 kernels, and in a second process with its scalar ones
(ATEN_CPU_CAPABILITY=default), whose pow is the correctly rounded one.
"""

import math
import os
import subprocess
import sys
import tempfile

import common
import numpy as np
import scaling_cases
import torch
from transformers import (
    Gemma4TextConfig,
    HunYuanDenseV1Config,
    LlamaConfig,
    MiniCPM3Config,
    Phi3Config,
    PhimoeConfig,
)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.deepseek_v3 import modeling_deepseek_v3
from transformers.models.hunyuan_v1_dense import modeling_hunyuan_v1_dense
from transformers.models.llama import modeling_llama
from transformers.models.minicpm3 import modeling_minicpm3
from transformers.models.phi3 import modeling_phi3
from transformers.models.phimoe import modeling_phimoe

UTILS = "transformers modeling_rope_utils.py"


def llama_config(case, cls=LlamaConfig):
    parameters = {key: value for key, value in case["parameters"].items() if key != "max_position_embeddings"}
    return cls(
        head_dim=case["rotary_dim"],
        hidden_size=2 * case["rotary_dim"],
        num_attention_heads=2,
        max_position_embeddings=case["parameters"].get("max_position_embeddings", 131072),
        rope_parameters={"rope_type": case["hf_rope_type"], "rope_theta": case["rope_theta"], **parameters},
    )


def by_utils(case):
    """ROPE_INIT_FUNCTIONS, as the model classes call it."""
    seq_len = case["seq_len"] or None
    inv_freq, attention = ROPE_INIT_FUNCTIONS[case["hf_rope_type"]](llama_config(case), "cpu", seq_len=seq_len)
    return inv_freq, attention, 0.0


def by_llama(case):
    """LlamaRotaryEmbedding after one forward over positions up to seq_len - 1."""
    embedding = modeling_llama.LlamaRotaryEmbedding(llama_config(case))
    if case["seq_len"]:
        embedding(torch.zeros(1), torch.tensor([[case["seq_len"] - 1]]))
    return embedding.inv_freq, embedding.attention_scaling, 0.0


def by_hunyuan(case):
    config = llama_config({**case, "parameters": {"factor": 1.0, **case["parameters"]}}, HunYuanDenseV1Config)
    embedding = modeling_hunyuan_v1_dense.HunYuanDenseV1RotaryEmbedding(config)
    return embedding.inv_freq, embedding.attention_scaling, 0.0


def by_deepseek(case):
    inv_freq, attention, _ = by_utils(case)
    config = llama_config(case)
    softmax = modeling_deepseek_v3.yarn_apply_mscale(config.rope_parameters, case["head_dim"] ** -0.5)
    has_scale = case["parameters"].get("mscale_all_dim")
    return inv_freq, attention, softmax if has_scale else 0.0


def by_phimoe(case):
    """The mscale of modeling_phimoe.py: cos at position 0 is the factor itself."""
    config = llama_config(case, PhimoeConfig)
    embedding = modeling_phimoe.PhimoeRotaryEmbedding(config)
    ids = torch.tensor([[0, max(case["seq_len"], 1) - 1]])
    amplitude = embedding(torch.zeros(1), ids)[0][0, 0, 0].item()
    mscales = [case["parameters"][key] for key in ("short_mscale", "long_mscale")]
    inv_freq, _, _ = by_utils(case)
    return inv_freq, next(value for value in mscales if np.float32(value) == amplitude), 0.0


def after_forward(case, cls, config):
    """The model's own class after one forward over positions up to seq_len - 1."""
    embedding = cls(config)
    embedding(torch.zeros(1), torch.tensor([[max(case["seq_len"], 1) - 1]]))
    return embedding.inv_freq, embedding.attention_scaling, 0.0


def longrope_keys(case):
    return {"rope_type": "longrope", "rope_theta": case["rope_theta"],
            **{key: case["parameters"][key] for key in ("short_factor", "long_factor")}}


def lengths(case):
    return {key: case["parameters"][key] for key in ("original_max_position_embeddings", "max_position_embeddings")}


def by_phi3(case):
    """Phi3RotaryEmbedding after one forward over positions up to seq_len - 1."""
    config = Phi3Config(hidden_size=32 * case["rotary_dim"], num_attention_heads=32, num_hidden_layers=1,
                        rope_parameters=longrope_keys(case), **lengths(case))
    return after_forward(case, modeling_phi3.Phi3RotaryEmbedding, config)


def by_minicpm3(case):
    """MiniCPM3RotaryEmbedding after one forward over positions up to seq_len - 1."""
    keys = {**longrope_keys(case), "original_max_position_embeddings": lengths(case)["original_max_position_embeddings"]}
    config = MiniCPM3Config(qk_rope_head_dim=case["rotary_dim"], num_hidden_layers=1, rope_parameters=keys,
                            max_position_embeddings=lengths(case)["max_position_embeddings"])
    return after_forward(case, modeling_minicpm3.MiniCPM3RotaryEmbedding, config)


def by_gemma4(case):
    config = Gemma4TextConfig(
        head_dim=case["rotary_dim"],
        global_head_dim=case["rotary_dim"],
        hidden_size=2 * case["rotary_dim"],
        num_attention_heads=2,
        layer_types=["full_attention"],
        num_hidden_layers=1,
        rope_parameters={
            "full_attention": {"rope_type": "proportional", "rope_theta": case["rope_theta"], **case["parameters"]}
        },
    )
    inv_freq, attention = ROPE_INIT_FUNCTIONS["proportional"](config, "cpu", layer_type="full_attention")
    return inv_freq, attention, 0.0


def default_inv_freq(base, dim):
    return 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float) / dim))


def by_gte(case):
    """The formula of GTE's and vLLM's NTKScalingRotaryEmbedding."""
    dim, factor = case["rotary_dim"], case["parameters"]["factor"]
    b = case["parameters"].get("mixed_b")
    if b is None:
        return default_inv_freq(case["rope_theta"] * factor, dim) / factor ** (2 / dim), 1.0, 0.0
    a = torch.tensor(factor).log() / (dim / 2) ** b
    scale = (a * torch.arange(1, dim // 2 + 1).float() ** b).exp()
    return default_inv_freq(case["rope_theta"], dim) / scale, 1.0, 0.0


def by_qwen(case):
    """The formula of Qwen-1's get_ntk_alpha and RotaryEmbedding."""
    dim = case["rotary_dim"]
    context = math.log(max(case["seq_len"], 1) / case["parameters"]["seq_length"], 2) + 1
    alpha = max(2 ** math.ceil(context) - 1, 1)
    return default_inv_freq(case["rope_theta"] * alpha ** (dim / (dim - 2)), dim), 1.0, 0.0


def by_telechat3(case):
    """YaRN's frequencies with 0.07 in the place of 0.1."""
    inv_freq, _, _ = by_utils(case)
    factor = case["parameters"]["factor"]
    return inv_freq, 1.0 if factor <= 1 else 0.07 * math.log(factor) + 1.0, 0.0


def compute(cases):
    return [globals()[item["how"]](item) for item in cases]


def scalar_inv_freq():
    """The same frequencies by torch's scalar kernels: another process, because torch chooses once."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scalar.pt")
        environment = {**os.environ, "ATEN_CPU_CAPABILITY": "default"}
        subprocess.run([sys.executable, __file__, path], check=True, env=environment)
        return torch.load(path)


def main():
    cases = scaling_cases.published() + scaling_cases.random_cases()
    results = compute(cases)
    if len(sys.argv) > 1:
        torch.save([inv_freq for inv_freq, _, _ in results], sys.argv[1])
        return
    arrays, described = {}, []
    differing = 0
    for index, (item, (inv_freq, attention, softmax), scalar) in enumerate(zip(cases, results, scalar_inv_freq())):
        arrays[f"inv_freq_{index}"] = scalar
        if not torch.equal(inv_freq, scalar):
            arrays[f"avx2_{index}"] = inv_freq
            differing += 1
        item = {key: value for key, value in item.items() if key != "hf_rope_type"}
        item["source"] = globals()[item.pop("how")].__doc__ or UTILS
        described.append({**item, "attention_scaling": float(attention), "softmax_scale": float(softmax)})
    case_text = {
        "source": "transformers' functions and classes; inv_freq_N by scalar kernels, avx2_N where AVX2 differs",
        "cases": described,
        "reference_error": {f"vectors of {len(cases)} that differ between torch's two kernels": differing},
    }
    common.save("scalings", arrays, case_text)


if __name__ == "__main__":
    main()
