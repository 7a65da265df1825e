"""The ALiBi biases of Falcon-RW (bf16), MPT (any alibi_bias_max) and BLOOM, by transformers."""

import common
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt

LENGTH = 300
KEYS = [0, 1, 2, 17, 255, 256, 257, 259, 299]  # past 256 bf16 does not hold each position


def main():
    mask = torch.ones(1, LENGTH)
    arrays = {"key_positions": torch.tensor(KEYS)}
    for heads in (8, 12, 71):
        arrays[f"falcon_{heads}"] = falcon(mask.long(), heads, torch.float32).reshape(heads, LENGTH)[:, KEYS]
        arrays[f"bloom_{heads}"] = bloom(mask, heads, torch.float32).reshape(heads, LENGTH)[:, KEYS]
        for bias_max in (4, 8, 16):
            arrays[f"mpt_{heads}_{bias_max}"] = mpt(heads, LENGTH, bias_max).reshape(heads, LENGTH)[:, KEYS]
    padded = torch.tensor([[0, 0, 1, 1, 1, 1]])
    arrays["bloom_padded"] = bloom(padded, 8, torch.float32).reshape(8, 6)
    common.save(
        "alibi_models",
        arrays,
        {
            "source": "build_alibi_tensor of modeling_bloom.py and modeling_falcon.py, build_mpt_alibi_tensor",
            "reference_error": {"slopes of BLOOM and Falcon, float32 pow of a rounded base, units of 2^-24": 8.7},
        },
    )


if __name__ == "__main__":
    main()
