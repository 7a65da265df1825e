"""Position ids by transformers' own code: get_rope_index of the M-RoPE models on random layouts, padding, vision grids.

With transformers 5 (requirements.txt) writes positions.json. With transformers 4.57.3 and what it needs
(huggingface_hub==0.36.0, tokenizers==0.22.1) writes positions_transformers4.json, which has the M-RoPE models as they
were published: the text after a long video goes on elsewhere.
"""

import importlib
import json
import random
import types

import torch
import transformers

from common import OUTPUT, VERSIONS

TEXT, IMAGE, VIDEO = 0, 1, 2
VERSION_4 = transformers.__version__.startswith("4.")
# Module, class, and what its vision_config says.
MODELS = {
    "qwen2_vl": ("Qwen2VLModel", {}),
    "qwen2_5_vl": ("Qwen2_5_VLModel", {"tokens_per_second": 2}),
    "qwen2_5_vl_25": ("Qwen2_5_VLModel", {"tokens_per_second": 25}),
    "qwen3_vl": ("Qwen3VLModel", {"frames_apart": True}),
    "qwen3_5": ("Qwen3_5Model", {"frames_apart": True}),
    "glm4v": ("Glm4vModel", {"frames_apart": True}),
    "ernie4_5_vl_moe": ("Ernie4_5_VLMoeModel", {"temporal_merge_size": 2}),
}
MODELS_4 = ("qwen2_vl", "qwen2_5_vl", "qwen2_5_vl_25")
SECONDS = (0.5, 1.0, 2.0, 1 / 3, 1 / 12, 0.0417, 1.7)


def random_row(rng, rules):
    """Kinds of the tokens of one row, and its images and videos."""
    kinds, images, videos = [TEXT] * rng.randint(0, 4), [], []
    for _ in range(rng.randint(0, 3)):
        frames, h, w = rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 4)
        if rng.random() < 0.5:
            images.append([1, 2 * h, 2 * w])
            kinds += [IMAGE] * h * w
        else:
            merge = rules.get("temporal_merge_size", 1)
            videos.append([frames * merge, 2 * h, 2 * w])
            for frame in range(frames):
                kinds += [VIDEO] * h * w
                if rules.get("frames_apart") and frame + 1 < frames:
                    kinds += [TEXT] * rng.randint(1, 3)
        kinds += [TEXT] * rng.randint(1, 4)
    return kinds or [TEXT], images, videos


def random_case(rng, rules):
    rows = [random_row(rng, rules) for _ in range(rng.randint(1, 3))]
    seq = max(len(kinds) for kinds, _, _ in rows) + rng.randint(0, 2)
    case = {"kinds": [], "mask": [], "images": [], "videos": []}
    for kinds, images, videos in rows:
        left = rng.randint(0, seq - len(kinds))
        right = seq - len(kinds) - left
        case["kinds"].append([TEXT] * left + kinds + [TEXT] * right)
        case["mask"].append([0] * left + [1] * len(kinds) + [0] * right)
        case["images"] += images
        case["videos"] += videos
    if "tokens_per_second" in rules:
        choices = (1, 2, 3) if VERSION_4 else SECONDS  # version 4 makes an integer of them
        case["second_per_grid"] = [rng.choice(choices) for _ in case["videos"]]
    return case


def tensor(values):
    return torch.tensor(values) if values else None


def rope_index(model_class, rules, case):
    vision = types.SimpleNamespace(spatial_merge_size=2, **rules)
    config = types.SimpleNamespace(vision_config=vision, image_token_id=11, video_token_id=12, vision_start_token_id=10)
    model = types.SimpleNamespace(config=config)
    if hasattr(model_class, "get_vision_position_ids"):
        model.get_vision_position_ids = types.MethodType(model_class.get_vision_position_ids, model)
    kinds, mask = torch.tensor(case["kinds"]), torch.tensor(case["mask"])
    inputs = {"image_grid_thw": tensor(case["images"]), "video_grid_thw": tensor(case["videos"]), "attention_mask": mask}
    if "second_per_grid" in case:
        inputs["second_per_grid_ts"] = tensor(case["second_per_grid"])
    if VERSION_4:
        # It finds vision by the token before it, and takes other paths where there is none.
        ids = torch.where(kinds == TEXT, 1, kinds + 10)
        starts = (kinds != TEXT) & (torch.nn.functional.pad(kinds, (1, 0))[:, :-1] == TEXT)
        ids[:, :-1][starts[:, 1:]] = 10
        return model_class.get_rope_index(model, ids, **inputs)
    return model_class.get_rope_index(model, kinds, mm_token_type_ids=kinds, **inputs)


def mrope(rng, name):
    class_name, rules = MODELS[name]
    module = name.removesuffix("_25")
    modeling = importlib.import_module(f"transformers.models.{module}.modeling_{module}")
    cases = []
    while len(cases) < 6:
        case = random_case(rng, rules)
        # Version 4 needs a token before each vision, and one vision at least.
        if VERSION_4 and (not case["images"] + case["videos"] or any(
            kinds[mask.index(1)] != TEXT for kinds, mask in zip(case["kinds"], case["mask"])
        )):
            continue
        positions, deltas = rope_index(getattr(modeling, class_name), rules, case)
        case["positions"] = positions.tolist()
        case["deltas"] = deltas.flatten().tolist()
        cases.append(case)
    return {**rules, "cases": cases}


def mrope_batches():
    """Prompts of one batch, padded on either side, by Qwen2-VL."""
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

    rows = [
        {"kinds": [TEXT] * 4 + [IMAGE] * 6 + [TEXT] * 2, "images": [[1, 4, 6]]},
        {"kinds": [TEXT] * 3, "images": []},
        {"kinds": [IMAGE] * 2 + [TEXT], "images": [[1, 2, 4]]},
    ]
    seq, cases = 12, []
    for side in ("left", "right"):
        case = {"kinds": [], "mask": [], "images": [image for row in rows for image in row["images"]], "videos": []}
        for row in rows:
            missing = [0] * (seq - len(row["kinds"]))
            ones = [1] * len(row["kinds"])
            case["kinds"].append(missing + row["kinds"] if side == "left" else row["kinds"] + missing)
            case["mask"].append(missing + ones if side == "left" else ones + missing)
        positions, deltas = rope_index(Qwen2VLModel, {}, case)
        cases.append({"side": side, "positions": positions.tolist(), "deltas": deltas.flatten().tolist()})
    return {"rows": rows, "cases": cases}


# What makes a tower small; sizes that it has not are left out.
SMALL = {"hidden_size": 64, "embed_dim": 64, "num_heads": 2, "num_attention_heads": 2, "depth": 1, "num_hidden_layers": 1,
         "intermediate_size": 32, "out_hidden_size": 32, "head_dim": 32, "patch_size": 2, "image_size": 16,
         "in_channels": 3, "num_channels": 3, "temporal_patch_size": 1, "fullatt_block_indexes": [0],
         "deepstack_visual_indexes": []}  # fmt: skip
GRID = [1, 4, 6]


class Seen(Exception):
    pass


def ids_that_rotary_gets(tower, *inputs, **named):
    """The position ids that a tower gives to its rotary embedding, [axes, tokens]."""
    seen = []

    def look(module, args, kwargs):
        seen.append(kwargs.get("position_ids", args[-1]))
        raise Seen

    module = next(m for n, m in tower.named_modules() if "Rotary" in type(m).__name__)
    module.register_forward_pre_hook(look, with_kwargs=True)
    try:
        tower(*inputs, **named)
    except Seen:
        return seen[0]
    raise AssertionError("no rotary embedding was called")


def patches():
    """Order of the patches of a 4 x 6 picture in towers of transformers, and what they are counted from."""
    from transformers import AutoConfig, AutoModel
    from transformers.models.llama4.modeling_llama4 import Llama4VisionRotaryEmbedding

    grid, cases = torch.tensor([GRID]), []

    def add(config, ids):
        cases.append({"config": {k: v for k, v in config.to_dict().items() if v is not None and (
            k in SMALL or "merge" in k or k in ("model_type", "rope_parameters"))}, "ids": ids.tolist()})

    for name in TOWERS:
        full = AutoConfig.for_model(name).to_dict()
        config = AutoConfig.for_model(name, **{k: v for k, v in SMALL.items() if k in full and k != "image_size"})
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
        tower = getattr(module, TOWERS[name])._from_config(config)
        embedder = next(m for n, m in tower.named_modules() if n.split(".")[-1] in ("patch_embed", "patch_embedder", "embeddings"))
        hidden = torch.zeros(24, getattr(config, "embed_dim", config.hidden_size))
        embedder.forward = lambda *args, out=hidden, **kwargs: out  # what the pixels are does not matter
        tower.window_size = 16 * config.patch_size  # one window: they change the order of the patches, ids and all
        ids = ids_that_rotary_gets(tower, torch.zeros(24, 1), grid)
        add(config, ids.T if name != "kimi_k25_vision" else ids.T.flip(0))  # that class flips its angles
    from transformers import PixtralVisionConfig, PixtralVisionModel

    config = PixtralVisionConfig(**{k: SMALL[k] for k in ("hidden_size", "num_attention_heads", "num_hidden_layers",
                                                          "intermediate_size", "head_dim", "patch_size", "image_size")})
    picture = torch.zeros(1, 3, 8, 12)
    add(config, ids_that_rotary_gets(PixtralVisionModel(config), picture, torch.tensor([[8, 12]])).T)
    config = AutoConfig.for_model("llama4_vision_model", hidden_size=64, num_attention_heads=2, image_size=8, patch_size=2)
    angles = Llama4VisionRotaryEmbedding(config)(torch.zeros(1))[:, 0].angle() % (2 * torch.pi)
    # The first pair of each axis turns by 1 a position.
    add(config, torch.stack([angles[:, 0], angles[:, angles.shape[1] // 2]]).round().long())
    cases[-1]["grid"] = [1, 4, 4]
    return {"grid": GRID, "cases": cases}


TOWERS = {
    "qwen2_vl_vision": "Qwen2VisionTransformerPretrainedModel",
    "qwen3_vl_vision": "Qwen3VLVisionModel",
    "glm4v_vision": "Glm4vVisionModel",
    "muse_glimmer_vision": "MuseGlimmerVisionModel",
    "kimi_k25_vision": "Kimi_K25VisionModel",
    "minimax_m3_vl_vision": "MiniMaxM3VLVisionModel",
    "paddleocr_vl_vision": "PaddleOCRVisionModel",
    "muse_spark_vision": "MuseSparkVisionModel",
}


def padding(rng):
    """Rows of learned tables, and the positions of generate, for random masks."""
    from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
    from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

    mask = torch.tensor([[rng.randint(0, 1) for _ in range(9)] for _ in range(4)])
    ids = torch.where(mask == 1, torch.randint(5, 90, mask.shape, generator=torch.Generator().manual_seed(1)), 1)
    table = OPTLearnedPositionalEmbedding(32, 1)
    table.weight.data = torch.arange(34.0)[:, None]
    return {
        "mask": mask.tolist(),
        "ids": ids.tolist(),
        "opt": table(mask)[..., 0].long().tolist(),
        "roberta": RobertaEmbeddings.create_position_ids_from_input_ids(ids, 1).tolist(),
        "roberta_cache_5": RobertaEmbeddings.create_position_ids_from_input_ids(ids, 1, 5).tolist(),
    }


def grids():
    from transformers.vision_utils import get_vision_position_ids

    cases = []
    for merge, grid in ((2, [[1, 2, 4], [3, 6, 4]]), (1, [[1, 3, 5]]), (3, [[2, 6, 3]])):
        ids = get_vision_position_ids(torch.tensor(grid), merge, include_temporal=True)
        cases.append({"merge": merge, "grids": grid, "thw": ids.T.tolist()})
    return cases


def main():
    rng = random.Random(20261129)
    out = {"versions": VERSIONS, "mrope": {name: mrope(rng, name) for name in (MODELS_4 if VERSION_4 else MODELS)}}
    if not VERSION_4:
        out |= {"padding": padding(rng), "grids": grids(), "batches": mrope_batches(), "patches": patches()}
    name = "positions_transformers4.json" if VERSION_4 else "positions.json"
    (OUTPUT / name).write_text(json.dumps(out, separators=(",", ":"), sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
