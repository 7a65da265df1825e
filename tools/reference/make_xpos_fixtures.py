"""q and k of xPos, by rotary-embedding-torch: pairs of neighbours, rotated and scaled."""

import common
import torch
from rotary_embedding_torch import RotaryEmbedding

HEAD_DIM, HEADS, LENGTH = 16, 2, 40


def main():
    arrays = {}
    for scale_base in (512, 64):
        embedding = RotaryEmbedding(dim=HEAD_DIM, use_xpos=True, xpos_scale_base=scale_base, cache_if_possible=False)
        q = torch.from_numpy(common.normal([9, scale_base], 1, HEADS, LENGTH, HEAD_DIM))
        k = torch.from_numpy(common.normal([10, scale_base], 1, HEADS, LENGTH, HEAD_DIM))
        turned_q, turned_k = embedding.rotate_queries_and_keys(q, k)
        for name, value in {"q": q, "k": k, "turned_q": turned_q, "turned_k": turned_k}.items():
            arrays[f"{name}_{scale_base}"] = value.detach().transpose(1, 2).contiguous()
    common.save("xpos", arrays, {"source": "RotaryEmbedding.rotate_queries_and_keys of rotary-embedding-torch 0.8.9"})


if __name__ == "__main__":
    main()
