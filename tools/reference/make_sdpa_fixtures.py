"""sdpa.safetensors: torch's scaled_dot_product_attention and its gradients in float64, from float32 inputs.

Each case is q [B, H, Sq, D], k [B, Hkv, Sk, D], v [B, Hkv, Sk, Dv], d_out and, where there is one, a mask; out, dq, dk and dv
are what float64 gives, rounded to float32. Causal means aligned at the first token, as torch has it: first_query 0.
"""

import torch
from torch.nn.functional import scaled_dot_product_attention

import common

CASES = {
    "plain": {"sizes": (2, 2, 2, 5, 7, 8, 8)},
    "causal": {"sizes": (1, 4, 2, 20, 20, 16, 12), "causal": True},
    "blocks": {"sizes": (1, 2, 1, 9, 140, 8, 8), "scale": 0.25},
    "boolean_mask": {"sizes": (2, 2, 1, 6, 9, 8, 20), "mask": "boolean"},
    "added_mask": {"sizes": (2, 2, 2, 6, 9, 8, 8), "mask": "added"},
    "mask_of_all": {"sizes": (2, 3, 3, 6, 9, 8, 8), "mask": "of_all"},
}


def mask_of(kind, sizes, generator):
    batch, heads, _, queries, keys = sizes[:5]
    if kind == "of_all":
        return torch.randn(1, 1, queries, keys, generator=generator)
    if kind == "added":
        return torch.randn(batch, heads, queries, keys, generator=generator)
    mask = torch.rand(batch, 1, queries, keys, generator=generator) < 0.6
    mask[..., 0] = True  # a row that sees nothing is NaN in some versions
    return mask


def run(name, case):
    generator = torch.Generator().manual_seed(len(name))
    batch, heads, kv_heads, queries, keys, dim, width = case["sizes"]

    def normal(*shape):
        return torch.randn(*shape, generator=generator)

    arrays = {
        "q": normal(batch, heads, queries, dim),
        "k": normal(batch, kv_heads, keys, dim),
        "v": normal(batch, kv_heads, keys, width),
        "d_out": normal(batch, heads, queries, width),
    }
    q, k, v = (arrays[key].double().requires_grad_() for key in "qkv")
    mask = mask_of(case["mask"], case["sizes"], generator) if "mask" in case else None
    exact = mask.double() if mask is not None and mask.dtype != torch.bool else mask
    out = scaled_dot_product_attention(
        q, k, v, attn_mask=exact, is_causal=case.get("causal", False), scale=case.get("scale"), enable_gqa=True
    )
    out.backward(arrays["d_out"].double())
    arrays |= {"out": out.detach().float(), "dq": q.grad.float(), "dk": k.grad.float(), "dv": v.grad.float()}
    if mask is not None:
        arrays["mask"] = mask
    return arrays


arrays = {f"{name}.{key}": value for name, case in CASES.items() for key, value in run(name, case).items()}
common.save("sdpa", arrays, {"cases": CASES})
