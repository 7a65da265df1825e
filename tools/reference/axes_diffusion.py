"""The transformers of diffusion models that make_axes_fixtures.py runs: how diffusers turns q, and with which configs."""

import importlib

import common  # noqa: F401  first: it sets what torch computes with
import torch
from diffusers.models import embeddings as diffusers_embeddings

POSITIONS = [[1, 77, 1000], [2, 50, 3], [5, 7, 900], [9, 0, 30]]
TRANSFORMERS = "diffusers.models.transformers."


def rows(axes):
    return torch.tensor(POSITIONS[:axes])


def grid_rows(cos, sin, sizes, axes):
    """The rows of a table over a whole grid that belong to the positions."""
    index = torch.zeros(3, dtype=torch.long)
    for size, ids in zip(sizes, rows(axes)):
        index = index * size + ids
    return cos.reshape(-1, cos.shape[-1])[index], sin.reshape(-1, sin.shape[-1])[index]


def real(q, cos, sin, unbind=-1):
    """q [1, 1, S, D] by diffusers' apply_rotary_emb on its first channels."""
    d = cos.shape[-1]
    turned = diffusers_embeddings.apply_rotary_emb(q[..., :d], (cos, sin), use_real_unbind_dim=unbind)
    return torch.cat([turned, q[..., d:]], -1)


def complex_numbers(q, cis):
    return diffusers_embeddings.apply_rotary_emb(q.transpose(1, 2), cis[None], use_real=False).transpose(1, 2)


def flux(module, cls):
    def turn(q, c):
        theta = c.get("rope_theta", 10000)
        axes = c["axes_dims_rope"]
        return real(q, *getattr(importlib.import_module(TRANSFORMERS + module), cls)(theta, axes)(rows(len(axes)).T))
    return turn


def bria(q, c):
    from diffusers.models.transformers.transformer_bria import BriaEmbedND
    cos, sin = BriaEmbedND(c["rope_theta"], c["axes_dims_rope"])(rows(3).T)
    return real(q, cos, sin)


def hidream(q, c):
    from diffusers.models.transformers.transformer_hidream_image import HiDreamImageEmbedND, apply_rope
    freqs = HiDreamImageEmbedND(10000, c["axes_dims_rope"])(rows(len(c["axes_dims_rope"])).T[None])
    d = sum(c["axes_dims_rope"])
    turned = apply_rope(q[..., :d].transpose(1, 2), q[..., :d].transpose(1, 2), freqs)[0].transpose(1, 2)
    return torch.cat([turned, q[..., d:]], -1)


def qwen_image(q, c):
    from diffusers.models.transformers.transformer_qwenimage import QwenEmbedRope, apply_rotary_emb_qwen
    table = QwenEmbedRope(10000, c["axes_dims_rope"]).pos_freqs.split([d // 2 for d in c["axes_dims_rope"]], dim=1)
    cis = torch.cat([part[ids] for part, ids in zip(table, rows(3))], -1)
    return apply_rotary_emb_qwen(q.transpose(1, 2), cis, use_real=False).transpose(1, 2)


def by_grid(module, cls):
    """Classes that make the table of a whole grid of patches of size 1."""
    def turn(q, c):
        dims = c["rope_axes_dim"]
        patch = ([1] * len(dims),) if cls == "HunyuanImageRotaryPosEmbed" else (1, 1)
        rotary = getattr(importlib.import_module(TRANSFORMERS + module), cls)(*patch, dims, c["rope_theta"])
        out = []
        for s in range(3):  # the grid that ends with the token's own place
            place = [int(ids[s]) for ids in rows(len(dims))]
            line = [torch.empty(1, 1, *[p + 1 if j == axis else 1 for j, p in enumerate(place)])
                    for axis in range(len(dims))]
            tables = [rotary(grid) for grid in line]
            bounds = [sum(dims[:a]) for a in range(len(dims) + 1)]
            cos, sin = (torch.cat([t[k][-1:, bounds[a]:bounds[a + 1]] for a, t in enumerate(tables)], 1)
                        for k in range(2))
            out.append(real(q[:, :, s:s + 1], cos, sin))
        return torch.cat(out, 2)
    return turn


def wan(module, cls):
    def turn(q, c):
        rotary = getattr(importlib.import_module(TRANSFORMERS + module), cls)(c["attention_head_dim"], (1, 1, 1), 1024)
        tables = [t.split([rotary.t_dim, rotary.h_dim, rotary.w_dim], 1) for t in (rotary.freqs_cos, rotary.freqs_sin)] \
            if hasattr(rotary, "t_dim") else None
        cos, sin = (torch.cat([part[ids] for part, ids in zip(t, rows(3))], -1) for t in tables)
        return real(q, cos, sin)
    return turn


def lumina2(q, c):
    from diffusers.models.transformers.transformer_lumina2 import Lumina2RotaryPosEmbed
    rotary = Lumina2RotaryPosEmbed(10000, c["axes_dim_rope"], [1024] * 3)
    return complex_numbers(q, rotary._get_freqs_cis(rows(3).T[None])[0])


def lumina_next(q, c):
    table = diffusers_embeddings.get_2d_rotary_pos_embed_lumina(c["hidden_size"] // c["num_attention_heads"], 1001, 60)
    return complex_numbers(q, table[rows(2)[0], rows(2)[1]])


def z_image(q, c):
    from diffusers.models.transformers.transformer_z_image import RopeEmbedder
    return complex_numbers(q, RopeEmbedder(c["rope_theta"], c["axes_dims"], [1024] * 3)(rows(3).T))


def cogvideox(q, c):
    cos, sin = diffusers_embeddings.get_3d_rotary_pos_embed(
        c["attention_head_dim"], ((0, 0), (64, 64)), (64, 64), 64, grid_type="slice", max_size=(64, 64))
    place = torch.tensor(POSITIONS[:3]) % 64
    index = (place[0] * 64 + place[1]) * 64 + place[2]
    return real(q, cos[index], sin[index])


def cogview4(q, c):
    from diffusers.models.transformers.transformer_cogview4 import CogView4RotaryPosEmbed
    rotary = CogView4RotaryPosEmbed(c["attention_head_dim"], 1, (1024, 64))
    cos, sin = rotary(torch.empty(1, 1, 1024, 64))
    return real(q, *grid_rows(cos, sin, (1024, 64), 2), unbind=-2)


def stable_audio(q, c):
    cos, sin = diffusers_embeddings.get_1d_rotary_pos_embed(
        c["attention_head_dim"] // 2, rows(1)[0], use_real=True, repeat_interleave_real=False)
    return real(q, cos, sin, unbind=-2)


def omnigen(q, c):
    from diffusers.models.transformers.transformer_omnigen import OmniGenSuScaledRotaryEmbedding
    rotary = OmniGenSuScaledRotaryEmbedding(
        q.shape[-1], c["max_position_embeddings"], c["original_max_position_embeddings"], c["rope_base"], c["rope_scaling"])
    return real(q, *rotary(q, rows(1)), unbind=-2)


def heads(head_dim, **more):
    return {"num_attention_heads": 4, "attention_head_dim": head_dim, "num_layers": 2, **more}


DIFFUSION = [
    ("FluxTransformer2DModel", flux("transformer_flux", "FluxPosEmbed"),
     [heads(128, axes_dims_rope=[16, 56, 56], num_single_layers=3), heads(24, axes_dims_rope=[4, 12, 8])]),
    ("Flux2Transformer2DModel", flux("transformer_flux2", "Flux2PosEmbed"),
     [heads(128, axes_dims_rope=[32, 32, 32, 32], rope_theta=2000), heads(36, axes_dims_rope=[4, 12, 8, 10], rope_theta=77)]),
    ("ChromaTransformer2DModel", flux("transformer_chroma", "FluxPosEmbed"), [heads(128, axes_dims_rope=[16, 56, 56])]),
    ("OvisImageTransformer2DModel", flux("transformer_ovis_image", "OvisImagePosEmbed"),
     [heads(128, axes_dims_rope=[16, 56, 56])]),
    ("LongCatImageTransformer2DModel", flux("transformer_longcat_image", "LongCatImagePosEmbed"),
     [heads(128, axes_dims_rope=[16, 56, 56])]),
    ("BriaTransformer2DModel", bria, [heads(128, axes_dims_rope=[16, 56, 56], rope_theta=10000)]),
    ("Krea2Transformer2DModel", flux("transformer_krea2", "Krea2RotaryPosEmbed"),
     [heads(128, axes_dims_rope=[32, 48, 48], rope_theta=1000.0, num_key_value_heads=2)]),
    ("HiDreamImageTransformer2DModel", hidream,
     [heads(128, axes_dims_rope=[64, 32, 32]), heads(128, axes_dims_rope=[32, 32])]),
    ("QwenImageTransformer2DModel", qwen_image, [heads(128, axes_dims_rope=[16, 56, 56]), heads(32, axes_dims_rope=[8, 12, 12])]),
    ("HunyuanVideoTransformer3DModel", by_grid("transformer_hunyuan_video", "HunyuanVideoRotaryPosEmbed"),
     [heads(128, rope_axes_dim=[16, 56, 56], rope_theta=256.0)]),
    ("HunyuanVideo15Transformer3DModel", by_grid("transformer_hunyuan_video15", "HunyuanVideo15RotaryPosEmbed"),
     [heads(128, rope_axes_dim=[16, 56, 56], rope_theta=256.0)]),
    ("HunyuanImageTransformer2DModel", by_grid("transformer_hunyuanimage", "HunyuanImageRotaryPosEmbed"),
     [heads(128, rope_axes_dim=[64, 64], rope_theta=256.0), heads(128, rope_axes_dim=[16, 56, 56], rope_theta=256.0)]),
    ("WanTransformer3DModel", wan("transformer_wan", "WanRotaryPosEmbed"), [heads(128), heads(40)]),
    ("WanVACETransformer3DModel", wan("transformer_wan_vace", "WanRotaryPosEmbed"), [heads(128)]),
    ("SkyReelsV2Transformer3DModel", wan("transformer_skyreels_v2", "SkyReelsV2RotaryPosEmbed"), [heads(128)]),
    ("Lumina2Transformer2DModel", lumina2,
     [{"hidden_size": 2304, "num_attention_heads": 24, "num_kv_heads": 8, "num_layers": 2, "axes_dim_rope": [32, 32, 32]},
      {"hidden_size": 96, "num_attention_heads": 4, "num_layers": 2, "axes_dim_rope": [4, 12, 8]}]),
    ("LuminaNextDiT2DModel", lumina_next,
     [{"hidden_size": 2304, "num_attention_heads": 32, "num_layers": 2}, {"hidden_size": 64, "num_attention_heads": 4, "num_layers": 1}]),
    ("ZImageTransformer2DModel", z_image,
     [{"dim": 3840, "n_heads": 30, "n_kv_heads": 30, "n_layers": 2, "axes_dims": [32, 48, 48], "rope_theta": 256.0}]),
    ("CogVideoXTransformer3DModel", cogvideox, [heads(64, use_rotary_positional_embeddings=True)]),
    ("CogView4Transformer2DModel", cogview4, [heads(128), heads(40)]),
    ("OmniGenTransformer2DModel", omnigen,
     [{"hidden_size": 128, "num_attention_heads": 4, "num_key_value_heads": 4, "num_layers": 2, "rope_base": 10000,
       "max_position_embeddings": 131072, "original_max_position_embeddings": 4096, "rope_scaling": {
           "type": "su", "short_factor": [1 + i / 10 for i in range(16)], "long_factor": [1.0 + i for i in range(16)]}}]),
    ("StableAudioDiTModel", stable_audio, [heads(64, num_key_value_attention_heads=2)]),
]
