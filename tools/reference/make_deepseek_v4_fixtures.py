"""The two rotations of DeepSeek-V4, by transformers' own code: plain in layers that see a window, YaRN with an amplitude
of 1 in layers that compress their keys."""

import common
import torch
from transformers import AutoConfig
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as v4

CONFIG = {
    "model_type": "deepseek_v4", "hidden_size": 4096, "num_attention_heads": 64, "num_key_value_heads": 1,
    "num_hidden_layers": 4, "head_dim": 512, "qk_rope_head_dim": 64, "max_position_embeddings": 1048576,
    "compress_ratios": [0, 0, 4, 128], "rope_theta": 10000.0, "compress_rope_theta": 160000.0,
    "rope_scaling": {"type": "yarn", "factor": 16, "beta_fast": 32, "beta_slow": 1,
                     "original_max_position_embeddings": 65536},
}
POSITIONS = [[1, 77, 4000]]
SEED = 402


def main():
    config = AutoConfig.for_model(**{key: value for key, value in CONFIG.items()})
    rotary = v4.DeepseekV4RotaryEmbedding(config)
    q = torch.from_numpy(common.normal(SEED, 1, 1, 3, 512))
    arrays, scaling = {"q": q[0, 0]}, {}
    for kind in ("main", "compress"):
        cos, sin = rotary(q[:, 0], torch.tensor(POSITIONS), layer_type=kind)
        arrays[f"{kind}/inv_freq"] = getattr(rotary, f"{kind}_inv_freq").float()
        arrays[f"{kind}/q_out"] = v4.apply_rotary_pos_emb(q, cos, sin)[0, 0]
        scaling[kind] = float(getattr(rotary, f"{kind}_attention_scaling"))
    common.save("deepseek_v4", arrays, {
        "config": CONFIG, "layer_types": config.layer_types, "positions": POSITIONS[0], "attention_scaling": scaling,
        "seed": SEED, "reference_error": {}})
    print("deepseek_v4:", config.layer_types, scaling)


if __name__ == "__main__":
    main()
