"""What the classes that have no positions do when the places of their input are exchanged or moved.

    sets          the places are exchanged: the outputs follow
    recurrent     the first two tokens are exchanged: the last one's output tells it; position_ids, where taken, change nothing
    rolls         a picture is rolled by some strides: the output rolls with it, which that of no class with a table does
"""

import inspect

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100, "pad_token_id": 0}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 64}
EXPERTS = {"num_experts": 2, "num_experts_per_tok": 1, "n_routed_experts": 2, "moe_intermediate_size": 16, "n_group": 1,
           "topk_group": 1}  # fmt: skip
MAMBA = {"mamba_d_state": 8, "mamba_dt_rank": 8, "use_mamba_kernels": False}
RECURRENT = {
    "falcon_mamba": {"intermediate_size": 128},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_offset": 0, **HEADS, **EXPERTS, **MAMBA},
    "mamba": {"intermediate_size": 128},
    "mamba2": {"num_heads": 4, "head_dim": 32, "state_size": 16, "n_groups": 1},
    "nemotron_h": {"layers_block_type": ["mamba", "attention"], "ssm_state_size": 8, "mamba_num_heads": 4, "mamba_head_dim": 16,
                   "n_groups": 1, "head_dim": 16, "moe_shared_expert_intermediate_size": 16, **HEADS, **EXPERTS},
    "rwkv": {"attention_hidden_size": 64, "intermediate_size": 128},
    "xlstm": {"hidden_size": 128, "embedding_dim": 128, "num_heads": 4, "num_blocks": 2, "chunk_size": 16},
    "zamba": {"num_hidden_layers": 4, "layers_block_type": ["mamba", "hybrid"] * 2, "n_mamba_heads": 2, **HEADS, **MAMBA},
}  # fmt: skip
# Of pictures, whose edges are those of nn.Conv2d; the last ones have a table, which shows that the trial finds one.
PICTURES = (
    "convnext convnextv2 dinov3_convnext focalnet glpn mobilevitv2 poolformer pp_lcnet pp_lcnet_v3 pvt_v2 regnet segformer "
    "swiftformer textnet"
).split()
WITH_A_TABLE = ("pvt", "vit")
SIDE, STEP = 128, 64  # of a picture, and how far it is rolled


def seeded(cls, config):
    """Of weights that neither vanish nor explode, as some classes' own do."""
    torch.manual_seed(7)
    model = cls(config).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.kaiming_normal_(parameter, nonlinearity="linear")
    return model


def run(model, *args, **inputs):
    with torch.no_grad():
        return model(*args, **inputs)


def exchanged(model, name, shape, **others):
    """Of all places in the reversed order: whether the outputs follow, and whether they move."""
    values, order = torch.randn(shape), torch.arange(shape[1] - 1, -1, -1)
    one, two = (run(model, **{name: x}, **others)[0][0] for x in (values, values[:, order]))
    return {"follows": (one[order] - two).abs().max().item() < 1e-4, "moves": (one - two).abs().max().item() > 1e-3}


def context_exchanged(model, shape):
    """The outputs, each for a learned query, do not tell the order of what they look at."""
    values = torch.randn(shape)
    one, two = (run(model, x, torch.ones(shape[:2]))[0] for x in (values, values.flip(1)))
    return {"follows": (one - two).abs().max().item() < 1e-4, "moves": False}


def sets():
    small = {"num_hidden_layers": 2}
    blip = seeded(transformers.Blip2QFormerModel, CONFIG_MAPPING["blip_2_qformer"](**small))
    flava = seeded(transformers.FlavaMultimodalModel, CONFIG_MAPPING["flava_multimodal_model"](**small, use_cls_token=False))
    from transformers.models.idefics2.modeling_idefics2 import Idefics2PerceiverResampler

    perceiver = CONFIG_MAPPING["idefics2_perceiver"](hidden_size=32, resampler_n_latents=4, resampler_depth=2, resampler_n_heads=2,
                                                     resampler_head_dim=8, num_key_value_heads=1)  # fmt: skip
    perceiver._attn_implementation = "eager"
    return {
        "blip_2_qformer": exchanged(blip, "query_embeds", (1, 8, 768), encoder_hidden_states=torch.randn(1, 5, 1408)),
        "flava_multimodal_model": exchanged(flava, "hidden_states", (1, 8, 768)),
        "idefics2_perceiver": context_exchanged(seeded(Idefics2PerceiverResampler, perceiver), (1, 6, 32)),
    }


def told(model):
    """Whether the last token's output tells the order of the first two, and depends on the numbers of the positions."""
    ids = torch.arange(1, 17)[None]
    exchanged_ids = ids[:, [1, 0, *range(2, 16)]]
    last = run(model, input_ids=ids)[0][0, -1]
    found = {"order_counts": (last - run(model, input_ids=exchanged_ids)[0][0, -1]).abs().max().item() > 1e-6}
    if "position_ids" in inspect.signature(type(model).forward).parameters:
        other = run(model, input_ids=ids, position_ids=7 * torch.arange(16)[None] + 3)[0][0, -1]
        found["position_ids_count"] = (last - other).abs().max().item() > 1e-6
    return found


def floats(output):
    if isinstance(output, torch.Tensor):
        return [output] if output.is_floating_point() else []
    values = output.values() if hasattr(output, "values") else output
    return [x for value in values for x in floats(value)] if isinstance(values, (list, tuple)) or hasattr(output, "values") else []


def thin(config_class):
    """One block in each stage, where that may be said."""
    defaults = config_class().to_dict()
    depths = {key: [1] * len(value) for key, value in defaults.items() if key in ("depths", "depth") and isinstance(value, list)}
    return config_class(**depths, **({"image_size": SIDE} if "image_size" in defaults else {}))


def moved(model):
    """How far the map of a picture that was rolled is from the rolled map, of how far it is from the map as it was.

    Convolutions roll too, so that there are no edges.
    """
    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d) and any(module._reversed_padding_repeated_twice):
            module.padding_mode = "circular"
    picture = torch.randn(1, 3, SIDE, SIDE)
    maps = []
    for x in (picture, picture.roll(STEP, -1)):
        found = floats(run(model, x))
        maps.append(next((y for y in found if y.dim() == 4), found[0]))
    if maps[0].dim() == 3:  # tokens
        side = int(maps[0].shape[1] ** 0.5)
        maps = [y[:, -side * side :].reshape(1, side, side, -1) for y in maps]
    if maps[0].shape[1] == maps[0].shape[2]:  # the channels last
        maps = [y.permute(0, 3, 1, 2) for y in maps]
    one, two = maps
    apart = (one.roll(STEP * one.shape[-1] // SIDE, -1) - two).abs().max()
    return (apart / (one - two).abs().max()).item()


def positionless(model_class):
    """All three kinds; model_class is that of make_learned_fixtures."""
    shares = {name: moved(seeded(model_class(name), thin(CONFIG_MAPPING[name]))) for name in (*PICTURES, *WITH_A_TABLE)}
    return {
        "sets": sets(),
        "recurrent": {
            name: told(seeded(model_class(name), CONFIG_MAPPING[name](**{**SMALL, **own}))) for name, own in RECURRENT.items()
        },
        "rolls": {name: share < 1e-4 for name, share in shares.items()},
    }
