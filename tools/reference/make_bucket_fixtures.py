"""T5's buckets of distances and the bias of a layer, by transformers."""

import common
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

REACH = 300
CASES = [(32, 128), (32, 20), (8, 64), (64, 256), (320, 800), (12, 50)]


def main():
    distances = torch.arange(-REACH, REACH + 1)
    arrays = {"distances": distances}
    for buckets, max_distance in CASES:
        for bidirectional in (True, False):
            name = f"buckets_{buckets}_{max_distance}_{'both' if bidirectional else 'before'}"
            arrays[name] = T5Attention._relative_position_bucket(distances, bidirectional, buckets, max_distance)
    torch.manual_seed(5)
    for is_decoder in (False, True):
        config = T5Config(d_model=24, num_heads=3, d_kv=8, is_decoder=is_decoder)
        attention = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
        name = "decoder" if is_decoder else "encoder"
        arrays[f"{name}_table"] = attention.relative_attention_bias.weight.detach().contiguous()
        arrays[f"{name}_bias"] = attention.compute_bias(7, 7)[0].detach().contiguous()
    common.save(
        "buckets",
        arrays,
        {"source": "T5Attention._relative_position_bucket and compute_bias of modeling_t5.py", "cases": CASES},
    )


if __name__ == "__main__":
    main()
