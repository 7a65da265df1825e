"""A random q turned on several position axes: transformers of diffusion models, by diffusers' own rotary
classes, and vision towers, by transformers'. Each with its own defaults and with a random small config.
"""

import importlib
import inspect
import logging
import warnings

import common  # first: it sets what torch computes with
import diffusers
import torch
from axes_diffusion import DIFFUSION, POSITIONS, rows
from transformers import AutoConfig

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

SEED = 402

CONFORMERS = ("wav2vec2-conformer", "wav2vec2-bert")


def turn_conformer(config, q):
    """The rotation of hidden states in heads; q [1, 1, S, D] is one head of a model of one."""
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    prefix = "Wav2Vec2Bert" if config.model_type == "wav2vec2-bert" else "Wav2Vec2Conformer"
    table = getattr(module, f"{prefix}RotaryPositionalEmbedding")(config)(torch.empty(1, 1001, 1))
    heads_of = type("Heads", (), {"num_heads": 1, "head_size": q.shape[-1]})
    turn = getattr(module, f"{prefix}SelfAttention")._apply_rotary_embedding
    return turn(heads_of, q[0], table[:, rows(1)[0]])[None]


TOWERS = """qwen2_vl_vision qwen2_5_vl_vision qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision
glm4v_vision glm4v_moe_vision glm_ocr_vision paddleocr_vl_vision mlcd_vision_model video_llama_3_vision exaone4_5_vision
muse_glimmer_vision muse_spark_vision pixtral gemma4_vision kimi_k25_vision minimax_m3_vl_vision""".split()
# Sizes that no tower has; head_dim 28 leaves channels of three axes over.
SMALL = {"hidden_size": 112, "embed_dim": 112, "num_heads": 4, "num_attention_heads": 4, "depth": 2, "num_hidden_layers": 2,
         "head_dim": 28, "rope_parameters": {"rope_type": "axial", "rope_theta": 500.0}}


def turn_patch(config, q):
    """By the tower's own class and function; q [1, 1, S, D]."""
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    name = next(n for n, c in vars(module).items() if inspect.isclass(c) and c.__module__ == module.__name__
                and n.endswith("RotaryEmbedding") and ("Vision" in n or "MLCD" in n))
    axes = 3 if config.model_type.startswith("minimax") else 2
    ids = rows(axes)
    rotary = getattr(module, name)(config)
    if config.model_type == "gemma4_vision":
        cos, sin = rotary(q[0], ids.T[None])
        return module.apply_multidimensional_rope(q.transpose(1, 2), cos, sin, ids.T[None]).transpose(1, 2)
    cos, sin = rotary(q[0], ids.T if not config.model_type == "pixtral" else ids.T)
    if config.model_type == "pixtral":
        return module.apply_rotary_pos_emb(q, q, cos[None], sin[None])[0]
    x = q[0].transpose(0, 1)
    return module.apply_rotary_pos_emb_vision(x, x, cos, sin)[0].transpose(0, 1)[None]


MEMORY = ("sam2_video", "sam3_tracker_video", "edgetam_video")


def turn_memory(config, q):
    """The attention to memory of SAM 2 on video; positions are column, row."""
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    prefix = type(config).__name__.removesuffix("Config")
    cos, sin = getattr(module, f"{prefix}VisionRotaryEmbedding")(config)(q, rows(2).T)
    apply = getattr(module, "apply_rotary_pos_emb_2d", None) or module.apply_rotary_pos_emb_2d_self_attn
    return apply(q, q, cos, sin)[0]


def turn_llama4(config, q):
    from transformers.models.llama4.modeling_llama4 import Llama4VisionRotaryEmbedding, vision_apply_rotary_emb
    table = Llama4VisionRotaryEmbedding(config)(q)
    side = config.image_size // config.patch_size
    places = torch.tensor([[1, 3, side], [2, side, 1]])  # column + 1, row + 1
    x = q.transpose(1, 2)
    out = vision_apply_rotary_emb(x, x, table[(places[1] - 1) * side + places[0] - 1])[0].transpose(1, 2)
    return out, places


def kept(config, given):
    full = config.to_dict()
    keys = set(given) | {"hidden_size", "embed_dim", "num_heads", "num_attention_heads", "depth", "num_hidden_layers",
                         "head_dim", "rope_parameters", "model_type"}
    return {key: full[key] for key in sorted(full) if key in keys and full[key] is not None}


def main():
    items, arrays = [], {}

    def add(name, config, head_dim, positions, out):
        key = f"{name} {len(items)}"
        arrays[f"{key}/q_out"] = out[0, 0]
        items.append({"name": key, "config": config, "head_dim": head_dim, "positions": positions,
                      "layers": []})

    q = torch.from_numpy(common.normal(SEED, 1, 1, 3, 1024))
    for name, turn, configs in DIFFUSION:
        for config in configs:
            head_dim = config.get("attention_head_dim") or config.get("hidden_size", config.get("dim")) // config.get(
                "num_attention_heads", config.get("n_heads"))
            positions = POSITIONS if name != "CogVideoXTransformer3DModel" else (torch.tensor(POSITIONS) % 64).tolist()
            add(name, {"_class_name": name, **config}, head_dim, positions, turn(q[..., :head_dim], config))
    for name in TOWERS:
        for given in ({}, {k: v for k, v in SMALL.items() if k in AutoConfig.for_model(name).to_dict()}):
            config = AutoConfig.for_model(name, **given)
            head_dim = getattr(config, "head_dim", None) or getattr(config, "embed_dim", config.hidden_size) // config.num_attention_heads
            # positions are row, column; these towers take the column first, as x before y
            swap = name == "kimi_k25_vision"
            positions = [POSITIONS[1], POSITIONS[0], *POSITIONS[2:]] if swap else POSITIONS
            add(name, kept(config, given), head_dim, positions, turn_patch(config, q[..., :head_dim]))
    for name in CONFORMERS:
        given = {"position_embeddings_type": "rotary", "rotary_embedding_base": 5000}
        config = AutoConfig.for_model(name, **given)
        head_dim = config.hidden_size // config.num_attention_heads
        add(name, {**kept(config, given), **given}, head_dim, POSITIONS, turn_conformer(config, q[..., :head_dim]))
    for name in MEMORY:
        for given in ({}, {"memory_attention_hidden_size": 112, "memory_attention_num_attention_heads": 2,
                           "memory_attention_downsample_rate": 2,
                           "rope_parameters": {"rope_type": "axial", "rope_theta": 500.0}}):
            config = AutoConfig.for_model(name, **given)
            head_dim = config.memory_attention_hidden_size // (
                config.memory_attention_downsample_rate * config.memory_attention_num_attention_heads)
            add(name, {"model_type": name, **given}, head_dim, POSITIONS, turn_memory(config, q[..., :head_dim]))
    for given in ({}, {"hidden_size": 96, "num_attention_heads": 4}):
        config = AutoConfig.for_model("llama4_vision_model", **given)
        head_dim = config.hidden_size // config.num_attention_heads
        out, places = turn_llama4(config, q[..., :head_dim])
        add("llama4_vision_model", kept(config, given), head_dim, places.tolist(), out)
    common.save("axes", {**arrays, "q": q[0, 0]}, {"items": items, "seed": SEED, "reference_error": {},
                                                   "diffusers": diffusers.__version__})
    print(len(items), "configs of", len({item["name"].split()[0] for item in items}), "classes")


if __name__ == "__main__":
    main()
