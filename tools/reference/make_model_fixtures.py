"""Rotations of published configs and of the defaults of each model class, by transformers' own code.

For every testdata/models/*/config.json whose model_type transformers has, and for every class of
DEFAULTS with its own defaults: the frequencies and the attention scaling of each kind of layer, and a
random q turned by the class's own function. A config is also written as transformers 5 saves it
(config_v5.json beside it).
"""

import copy
import importlib
import inspect
import json
import logging
import warnings
from pathlib import Path

import common
import torch
from transformers import AutoConfig

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

MODELS = Path(__file__).resolve().parents[2] / "testdata" / "models"
POSITIONS = {1: [[1, 77, 4000]], 4: 4 * [[1, 77, 4000]], 3: [[1, 77, 1000], [2, 50, 3], [5, 7, 900]]}
SEED = 401
GEMMA4 = ("gemma4_text", "gemma4_unified_text", "diffusion_gemma_text")

# Classes that no published config above stands for.
DEFAULTS = """
afmoe apertus arcee aria_text beam bitnet chameleon cohere2 csm cwm deepseek_v3 diffllama doge dots1
ernie4_5_vl_moe_text esmc eurobert falcon_h1 flex_olmo flint gemma3n_text gemma4_text glm4_moe_lite
glm4v_moe_text glm_moe_dsa gpt_neox_japanese gte hrm_text hunyuan_v1_moe hy_v3 hyperclovax idefics jais2
jetmoe jina_embeddings_v3 kolibri1 kyutai_speech_to_text laguna lfm2_moe longcat_flash mellum mimi
mimo_v2_flash minicpm3 minimax ministral ministral3 mistral4 mllama_text_model modernbert-decoder
moonshine_streaming moshi nanochat nemotron neucodec olmo_hybrid openai_privacy_filter phi4_multimodal phimoe
qwen3_5_moe_text qwen3_5_text qwen3_vl_moe_text recurrent_gemma solar_open timesfm2_5 ultrabert vaultgemma
voxtral_realtime_text xcodec2 youtu zaya emu3_text_model granite granitemoe granitemoeshared axk1 exaone_moe
apertus1p5_text axk2 bailing_hybrid blt_global_transformer blt_local_decoder blt_local_encoder blt_patcher cohere2_moe
csm_depth_decoder_model deepseek_ocr2_text dia_decoder dia_encoder diffusion_gemma_text
gemma4_unified_text glm_image_text glmasr_encoder granite4_vision_text granite_docling_text granite_swa granitemoe_swa higgs_audio_v2
hy_v4 lara_mini lasr_encoder lfm3 minimax_m3_vl_text mistral_large4_text molmo2_text moonshine muse_glimmer_assistant
muse_glimmer_text muse_spark_text pe_audio_encoder pe_video_encoder step3p5 t5_gemma_module t5gemma2_decoder
t5gemma2_text voxtral_realtime_encoder qwen4_exp_text unlimited_ocr_text
""".split()
# What a class needs to be built at all, or has by a wish of its own.
EXTRA = {
    "glm4v_moe_text": {"hidden_size": 4096, "head_dim": 128, "num_attention_heads": 32},
    "ernie4_5_vl_moe_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0,
                                                 "mrope_section": [22, 22, 20]}},
}
EXTRA["qwen4_exp_text"] = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25,
                                               "mrope_section": [11, 11, 10]}}
EXTRA["glm_image_text"] = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5,
                                               "mrope_section": [8, 12, 12]}}
EXTRA["glm4v_moe_text"]["rope_parameters"] = {
    "rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [8, 12, 12]}
LLAMA3 = {"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 1.0, "high_freq_factor": 32.0,
          "original_max_position_embeddings": 131072}
RISING = [[round(1 + last * (i / 47) ** 3, 2) for i in range(48)] for last in (1.8, 63.0)]
# In the words of the published files, which these classes save in others: small, but of every kind of layer.
AS_PUBLISHED = {
    "step3p5": {"hidden_size": 4096, "num_attention_heads": 64, "num_attention_groups": 8, "num_hidden_layers": 4,
                "head_dim": 128, "max_position_embeddings": 262144, "num_nextn_predict_layers": 1,
                "layer_types": ["full_attention"] + 3 * ["sliding_attention"] + ["full_attention"],
                "rope_theta": [5000000.0, 10000.0, 10000.0, 10000.0, 5000000.0],
                "partial_rotary_factors": [0.5, 1.0, 1.0, 1.0, 0.5], "rope_scaling": LLAMA3},
    "hunyuan_vl_text": {"hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
                        "num_hidden_layers": 2, "max_position_embeddings": 32768, "rope_theta": 10000.0,
                        "rope_scaling": {"type": "xdrope", "alpha": 1000.0, "factor": 1.0,
                                         "xdrope_section": [16, 16, 16, 16]}},
    # The lists are made up: those of the files are not at hand.
    "phi3": {"hidden_size": 3072, "num_attention_heads": 32, "num_hidden_layers": 2, "max_position_embeddings": 131072,
             "original_max_position_embeddings": 4096, "rope_theta": 10000.0, "rope_scaling": {
                 "type": "longrope", "short_factor": RISING[0], "long_factor": RISING[1]}},
    "minicpm3": {"hidden_size": 2560, "num_attention_heads": 40, "num_hidden_layers": 2, "rope_theta": 10000.0,
                 "max_position_embeddings": 262144, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32, "rope_scaling": {
                     "type": "longrope", "original_max_position_embeddings": 32768,
                     "short_factor": RISING[0][:16], "long_factor": RISING[1][:16]}},
}
# Published under keys that the class of transformers does not know, so that it cannot write them either.
OTHER_NAMES = ("dbrx", "nomic_bert")
# Keys that a written config keeps; all others say nothing about positions.
KEPT = """hidden_size num_attention_heads num_key_value_heads num_hidden_layers head_dim max_position_embeddings
rope_parameters layer_types layers_block_type model_type qk_nope_head_dim qk_rope_head_dim rope_interleave
rotary_dim kv_channels attention_head_dim global_head_dim sliding_window no_rope_layers use_qk_norm
query_pre_attn_scalar attention_multiplier position_embedding_type index_head_dim block_types n_embd n_head
n_layer n_positions full_attn_idxs original_max_position_embeddings qk_layernorm alibi multi_query
new_decoder_architecture num_kv_heads num_layers layer_rope_theta layer_group_size rotary_dim
decoder_num_attention_heads decoder_num_key_value_heads decoder_num_hidden_layers""".split()


def modeling_of(config):
    return importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))


def get(config, key, default=None):
    try:
        value = getattr(config, key)
    except Exception:  # gemma4 forbids what differs between layers
        return default
    return default if value is None else value


def rotary_class(module, config):
    """The class of the text's rotary embedding in a file that may have several."""
    classes = [
        cls for name, cls in vars(module).items()
        if inspect.isclass(cls) and cls.__module__ == module.__name__ and name.endswith("RotaryEmbedding")
    ]
    wrong = ("Vision", "Audio", "DiT", "Conformer", "Code2Wav", "Talker")
    classes = [cls for cls in classes if not any(word in cls.__name__ for word in wrong)]
    return classes[0] if classes else None


def kinds_of(config):
    nested = [k for k, v in (get(config, "rope_parameters") or {}).items() if isinstance(v, dict) or v is None]
    return [k for k in nested if isinstance(config.rope_parameters[k], dict) and k in config.layer_types] or [""]


def head_dim_of(config, kind):
    if get(config, "qk_nope_head_dim") is not None:
        return config.qk_nope_head_dim + config.qk_rope_head_dim
    if kind == "full_attention" and get(config, "global_head_dim"):
        return config.global_head_dim
    return get(config, "head_dim") or config.hidden_size // config.num_attention_heads


def rotate(module, config, q, cos_sin):
    """q [1, 1, S, D] through the function that the attention calls."""
    if not isinstance(cos_sin, tuple):  # complex: [B, S, H, D] for llama4, [B, H, S, D] for deepseek_v2
        llama4 = config.model_type == "llama4_text"
        x = q.transpose(1, 2) if llama4 else q
        y = module.apply_rotary_emb(x, x, cos_sin)[0]
        return y.transpose(1, 2) if llama4 else y
    cos, sin = cos_sin
    name = "apply_rotary_pos_emb"
    interleave = f"{name}_interleave"
    latent = get(config, "qk_nope_head_dim") is not None
    if latent and hasattr(module, interleave) and get(config, "rope_interleave", True):
        name = interleave
    function = getattr(module, name)
    if list(inspect.signature(function).parameters)[0] == "x":
        return function(q, cos, sin)
    return function(q, q, cos, sin)[0]


def turned(module, config, q, cos_sin, rotary_dim):
    """The same on the channels that the attention passes: all, the first, or the last of MLA."""
    if get(config, "qk_nope_head_dim") is not None:
        nope = config.qk_nope_head_dim
        return torch.cat([q[..., :nope], rotate(module, config, q[..., nope:], cos_sin)], -1)
    try:
        y = rotate(module, config, q, cos_sin)
        if y.shape == q.shape:
            return y
    except RuntimeError:
        pass
    return torch.cat([rotate(module, config, q[..., :rotary_dim], cos_sin), q[..., rotary_dim:]], -1)


def measure_gptj(config, module, name):
    """GPT-J and CodeGen keep a table of sines and cosines, and no frequencies."""
    dim, head_dim = config.rotary_dim, config.n_embd // config.n_head
    positions = torch.tensor(POSITIONS[1])
    table = module.create_sinusoidal_positions(int(positions.max()) + 1, dim)
    sin, cos = table[positions].split(dim // 2, dim=-1)
    q = torch.from_numpy(common.normal(SEED, 1, 1, 3, 1024))[..., :head_dim]
    first = module.apply_rotary_pos_emb(q[..., :dim].transpose(1, 2), sin, cos).transpose(1, 2)
    arrays = {f"{name}//inv_freq": 1.0 / (10000 ** (torch.arange(0, dim, 2, dtype=torch.int64) / dim)),
              f"{name}//q_out": torch.cat([first, q[..., dim:]], -1)[0, 0]}
    return [{"name": name, "kind": "", "positions": positions.tolist(), "head_dim": head_dim,
             "attention_scaling": 1.0, "class": "create_sinusoidal_positions", "layers": []}], arrays


def measure(config, name):
    """The arrays and the description of each kind of layer of one config."""
    module = modeling_of(config)
    if config.model_type in ("gptj", "codegen"):
        return measure_gptj(config, module, name)
    cls = rotary_class(module, config)
    if cls is None:
        return [], {}
    if config.model_type in GEMMA4:
        config.allow_global_per_layer_attribute_access = True
    module_rotary = cls(config)
    items, arrays = [], {}
    for kind in kinds_of(config):
        buffer = f"{kind}_inv_freq" if kind else "inv_freq"
        inv_freq = getattr(module_rotary, buffer).float()
        axes = 3 if "mrope_section" in inspect.getsource(cls) else 1
        if config.model_type == "hunyuan_vl_text":
            axes = 4  # all alike, as in text: else its two channels of a pair turn by different angles
        positions = torch.tensor(POSITIONS[axes])
        head_dim = 2 * inv_freq.numel() if config.model_type in GEMMA4 else head_dim_of(config, kind)
        q = torch.from_numpy(common.normal(SEED, 1, 1, 3, 1024))[..., :head_dim]
        ids = positions[:, None] if axes > 1 else positions
        kwargs = {"layer_type": kind} if kind else {}
        cos_sin = module_rotary(q[:, 0], ids, **kwargs)
        q_out = turned(module, config, q, cos_sin, 2 * inv_freq.numel())
        scaling = getattr(module_rotary, f"{kind}_attention_scaling" if kind else "attention_scaling", 1.0)
        key = f"{name}/{kind}"
        arrays[f"{key}/inv_freq"], arrays[f"{key}/q_out"] = inv_freq, q_out[0, 0]
        items.append({
            "name": name, "kind": kind, "positions": positions.tolist(), "head_dim": head_dim,
            "attention_scaling": float(scaling), "class": cls.__name__,
            "layers": [i for i, t in enumerate(get(config, "layer_types") or []) if t == kind] if kind else [],
        })
    return items, arrays


def written(config):
    """What transformers 5 saves of the keys that matter."""
    full = config.to_dict()
    return {key: full[key] for key in sorted(full) if key in KEPT and full[key] is not None or key == "sliding_window"
            and key in full}


def text_of(config):
    try:
        return config.get_text_config(decoder=True)
    except Exception:
        return config


def main():
    items, arrays, skipped = [], {}, []
    sources = [(path.parent.name, json.loads(path.read_text())) for path in sorted(MODELS.glob("*/config.json"))]
    sources += [(f"default of {name}", {"model_type": name, **EXTRA.get(name, {})}) for name in DEFAULTS]
    sources += [(f"words of {name}", {"model_type": name, **data}) for name, data in AS_PUBLISHED.items()]
    for name, data in sources:
        model_type = data["model_type"]
        if model_type == "dbrx":  # transformers 5 no longer reads the base where the published file has it
            data["rope_parameters"] = {"rope_type": "default", "rope_theta": data["attn_config"]["rope_theta"]}
        try:
            config = text_of(AutoConfig.for_model(**copy.deepcopy(data)))
            if model_type == "mpt" or get(config, "alibi", False) is True:
                continue
            found, tensors = measure(config, name)
        except Exception as error:
            skipped.append(f"{name}: {type(error).__name__} {str(error)[:90]}")
            continue
        v5 = written(config)
        if name.startswith(("default of ", "words of ")):
            for item in found:
                item["config"] = v5 if name.startswith("default") else data
        elif found and model_type not in OTHER_NAMES:
            (MODELS / name / "config_v5.json").write_text(json.dumps(v5, indent=2) + "\n")
        items += found
        arrays.update(tensors)
    common.save("models", {**arrays, "q": common.normal(SEED, 1, 1, 3, 1024)[0, 0]}, {"items": items, "seed": SEED, "reference_error": {}})
    print(len(items), "kinds of layers of", len({item["name"] for item in items}), "configs")
    for line in skipped:
        print("not in transformers, or not built:", line)


if __name__ == "__main__":
    main()
