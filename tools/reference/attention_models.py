"""Which class of transformers to build for a config, and what its forward wants to be given."""

import importlib
import inspect

import torch
from attention_probe import NAME, TOKENS, BigIsMeta
from make_model_fixtures import EXTRA, get
from transformers import MODEL_MAPPING, AutoConfig, PreTrainedModel

# What a class needs to be built beyond its defaults; `head_dim` where the class takes null for no number.
NEEDS = {
    "bamba": {"attn_layer_indices": [9, 18, 27]},  # else no layer has attention
    "granitemoehybrid": {"layer_types": 4 * (7 * ["linear_attention"] + ["full_attention"])},
    "chameleon": {"vocabulary_map": {"<image>": 8711}},
    "dbrx": {"attn_config": {"kv_n_heads": 1, "rope_theta": 10000.0, "clip_qkv": 8.0}},
    "deepseek_ocr2_text": {"mlp_layer_types": 40 * ["dense"]},
    "diffusion_gemma_text": {"num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 64},
    "dots1": {"n_routed_experts": 8, "n_shared_experts": 1},
    "esm": {"vocab_size": 33, "pad_token_id": 1, "position_embedding_type": "rotary"},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "hunyuan_vl_text": {"head_dim": 128, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0,
                                                             "mrope_section": [16, 16, 16, 16]}},
    "lfm2_moe": {"layer_types": 32 * ["full_attention"]},
    "ministral": {"head_dim": 128},
    "moonshine_streaming": {"num_key_value_heads": 8},
    "nemotron": {"num_key_value_heads": 48},
    "step3p5": {"sliding_window": 512},
    "qwen3_omni_moe_text": {"head_dim": 128},
    "t5_gemma_module": {"cross_attention_hidden_size": 2304, "dropout_rate": 0.0},
    "t5gemma2_text": {"dropout_rate": 0.0},
    "t5gemma2_decoder": {"dropout_rate": 0.0},
    "qwen4_exp_text": {"indexer_n_heads": 4, "indexer_kv_heads": 1, "indexer_head_dim": 128, "indexer_budget": 2048,
                       "indexer_compress_ratio": 4},
    "glm4v_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5,
                                       "mrope_section": [8, 12, 12]}},
    "glm_ocr_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [8, 12, 12]}},
}
# The class where its name does not follow from the config's.
CLASSES = {
    "diffusion_gemma_text": "DiffusionGemmaEncoderTextModel",
    "mimi": "MimiTransformerModel",
    "neucodec": "NeuCodecDecoder",
    "qwen3_omni_moe_text": "Qwen3OmniMoeThinkerTextModel",
    "t5_gemma_module": "T5GemmaDecoder",
    "t5gemma2_text": "T5Gemma2TextEncoder",
    "xcodec2": "Xcodec2Decoder",
}
NOT_MAPPED = ("voxtral_realtime_text",)  # the mapping names a class that its file has not


# What a published file leaves out that does not matter here, but that the class cannot do without.
LEFT_OUT = {"esm": {"vocab_size": 33, "pad_token_id": 1}, "marian": {"vocab_size": 58101, "decoder_vocab_size": 58101}}


def default_config(model_type, **changes):
    """The class's own defaults; of a model of several parts, those of its text."""
    config = AutoConfig.for_model(model_type)
    text = config.get_text_config(decoder=True)
    name = text.model_type
    return type(text)(**{**NEEDS.get(name, {}), **EXTRA.get(name, {}), **changes})


def find_lists(value):
    """Whether a list of one entry per layer is among what a class needs."""
    return any(isinstance(v, list) and len(v) > 8 for v in value.values())


def class_of(config):
    """The class of the text's decoder or encoder, without a head."""
    model_type = config.model_type
    if model_type not in CLASSES and model_type not in NOT_MAPPED and type(config) in MODEL_MAPPING:
        return MODEL_MAPPING[type(config)]
    file = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    if model_type in CLASSES:
        return getattr(file, CLASSES[model_type])
    found = [c for c in vars(file).values() if inspect.isclass(c) and c.__module__ == file.__name__
             and issubclass(c, PreTrainedModel) and is_of(c, config)]
    found = [c for c in found if "For" not in c.__name__ and "PreTrained" not in c.__name__]
    order = ("TextModel", "Model", "Decoder", "Encoder", "Transformer", "Patcher")
    found.sort(key=lambda c: next((i for i, end in enumerate(order) if c.__name__.endswith(end)), 9))
    if not found:
        raise LookupError(f"no class for {type(config).__name__}")
    return found[0]


def is_of(cls, config):
    wanted = (type(config), type(config).__name__)
    annotations = getattr(cls.__init__, "__annotations__", {})
    return vars(cls).get("config_class") is type(config) or annotations.get("config") in wanted


def build(config):
    config._attn_implementation = NAME
    with BigIsMeta():
        return class_of(config)(config).eval()


def inputs_of(model, config):
    """Zeros for each argument that the forward cannot do without."""
    hidden = next((get(config, k) for k in ("hidden_size", "d_model", "n_embd") if get(config, k)), 1)
    ids = torch.zeros(1, TOKENS, dtype=torch.long)
    embeds = torch.ones(1, TOKENS, hidden)
    known = {
        "input_ids": ids, "inputs_embeds": embeds, "hidden_states": embeds, "decoder_input_ids": ids,
        "input_features": torch.zeros(1, get(config, "num_mel_bins", 128), 64),
        "input_values": torch.zeros(1, 1, 16000),
        "past_values": torch.zeros(1, 512), "noise_embeds": embeds, "context_hidden_states": embeds,
        "encoder_hidden_states": embeds,
    }
    parameters = inspect.signature(model.forward).parameters
    required = [n for n, p in parameters.items() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    names = set(required)
    names |= {"input_ids"} if "input_ids" in parameters else set()
    if get(config, "is_encoder_decoder", False) and "decoder_input_ids" in parameters:
        names |= {"decoder_input_ids"}
    if not names & {"input_ids", "inputs_embeds", "hidden_states", "input_features", "input_values", "past_values"}:
        names |= {next(n for n in known if n in parameters)}
    given = {name: known[name] for name in sorted(names)}
    given.update(special_inputs(config))
    if "use_cache" in parameters:
        given["use_cache"] = False
    return given


def special_inputs(config):
    ids = torch.zeros(1, TOKENS, dtype=torch.long)
    return {
        "mllama_text_model": lambda: {"cross_attention_states": torch.ones(1, 16, config.hidden_size)},
        "whisper": lambda: {"input_features": torch.zeros(1, config.num_mel_bins, 2 * config.max_source_positions)},
        "idefics": lambda: {"image_attention_mask": torch.ones(1, TOKENS, 1),
                            "image_encoder_embeddings": torch.zeros(1, 1, 4, config.vision_config.embed_dim)},
        "kyutai_speech_to_text": lambda: {"input_ids": ids[..., None].expand(1, TOKENS, config.num_codebooks + 1)},
        "musicgen_decoder": lambda: {"input_ids": ids.expand(config.num_codebooks, TOKENS)},
        "glmasr_encoder": lambda: {"input_features": torch.zeros(1, config.num_mel_bins, 16)},
        "lasr_encoder": lambda: {"input_features": torch.zeros(1, 64, config.num_mel_bins)},
        "voxtral_realtime_encoder": lambda: {"inputs_embeds": torch.ones(1, TOKENS, config.hidden_size)},
        "moonshine": lambda: {"input_values": torch.zeros(1, 16000), "attention_mask": torch.ones(1, 16000)},
        "moonshine_streaming": lambda: {"input_values": torch.zeros(1, 16000), "attention_mask": torch.ones(1, 16000)},
        "dia_decoder": lambda: {"input_ids": ids[..., None].expand(1, TOKENS, config.num_channels),
                                "encoder_hidden_states": torch.ones(1, TOKENS, config.cross_hidden_size)},
        "t5_gemma_module": lambda: {"encoder_hidden_states": torch.ones(1, TOKENS, config.hidden_size)},
        "t5gemma2_decoder": lambda: {"encoder_hidden_states": torch.ones(1, TOKENS, config.hidden_size)},
        "voxtral_realtime_text": lambda: {"t_cond": torch.ones(1, 1, config.hidden_size)},
    }.get(config.model_type, dict)()
