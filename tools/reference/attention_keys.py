"""Which key of a config decides which fact: each key is changed alone, and what differs is written down.

A key is tried only where the class has it as its own; the values tried say nothing about published models.
"""

import inspect
import sys

from attention_models import NEEDS, class_of, default_config, find_lists

ALL_LAYERS = ("gemma3n_text",)  # so many of its last layers share k and v that 12 are too few
LAYERS = 12  # enough for every default pattern, and quick
OTHERS = {
    "attention_bias": None, "attention_chunk_size": 64, "attention_in_multiplier": 2.0, "attention_k_eq_v": None,
    "attention_multiplier": 0.125, "attention_out_bias": None, "attention_out_multiplier": 2.0,
    "attention_value_scale": 0.5, "attention_window_size": 64, "attn_logit_softcapping": 25.0, "attn_scale": 0.25,
    "attn_temperature_tuning": None, "bias": None, "clip_qkv": 4.0, "cross_layer_interval": 2, "floor_scale": 64,
    "full_attention_interval": 3, "gating": "per-element", "global_attn_every_n_layers": 2, "is_decoder": None,
    "key_multiplier": 2.0, "layer_group_size": 3, "layer_norm_eps": 3e-4, "layer_norm_epsilon": 3e-4,
    "local_attention": 64, "local_attention_window_len": 64, "max_window_layers": 3, "multi_query": None,
    "new_decoder_architecture": None, "no_rope_layer_interval": 3, "norm_eps": 3e-4, "num_kv_shared_layers": 2,
    "position_embedding_type": None, "prefix_dense_sliding_window_pattern": 2, "qk_layer_norms": None,
    "qk_layernorm": None, "qk_norm_type": "olmo", "qk_scale_factor": 2.0, "qkv_bias": None,
    "query_pre_attn_scalar": 64, "rms_norm_eps": 3e-4, "rotary_value": None, "sliding_window": 64,
    "sliding_window_pattern": 3, "use_attention_gate": None, "use_bias": None, "use_bidirectional_attention": True,
    "use_mem_rope": None, "use_qk_norm": None, "use_qkv_bias": None, "use_sliding_window": None, "v_head_dim": 32,
}
EXTRA_KEYS = ("sliding_window_pattern", "full_attention_interval", "query_pre_attn_scalar", "gating")  # may be no field
OFF_BY_NULL = ("sliding_window", "attention_chunk_size", "attn_logit_softcapping", "clip_qkv", "attention_multiplier",
               "query_pre_attn_scalar", "attention_window_size", "local_attention", "attention_value_scale")
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 1024}
NESTED = {"mpt": {"attn_config": {"softmax_scale": 0.5, "clip_qkv": 4.0, "qk_ln": True, "prefix_lm": True}},
          "dbrx": {"attn_config": {"clip_qkv": 4.0}}}
ROPES = {"rope_parameters.mscale_all_dim": {**YARN, "mscale_all_dim": 1.0},
         "rope_parameters.llama_4_scaling_beta": {**YARN, "llama_4_scaling_beta": 0.5}}


def keys_of(model_type, facts_of):
    """{key: {"default", "tried", what changed: [before, after, first layer]}} of the class's own defaults."""
    few = {} if find_lists(NEEDS.get(model_type, {})) or model_type in ALL_LAYERS else layers_key(model_type)
    base_config = default_config(model_type, **few)
    base = by_layer(facts_of(base_config))
    found = {}
    for key, default, tried, changes in trials(base_config):
        try:
            after = by_layer(facts_of(default_config(model_type, **{**few, **changes})))
        except Exception as error:
            if tried is not None or key not in OFF_BY_NULL:
                continue
            found.setdefault(key, {"default": default})["null"] = f"{type(error).__name__}"
            continue
        difference = compared(base, after)
        if tried is None and key in OFF_BY_NULL:
            if difference:
                found.setdefault(key, {"default": default})["null"] = difference
        elif difference:
            found.setdefault(key, {"default": default}).update({"tried": tried, **difference})
    return found


def layers_key(model_type):
    config = default_config(model_type)
    key = next((k for k in ("num_hidden_layers", "n_layer", "n_layers") if k in config.to_dict()), None)
    if key is None or getattr(config, key) <= LAYERS:
        return {}
    try:
        default_config(model_type, **{key: LAYERS})
    except Exception:
        return {}
    return {key: LAYERS}


def trials(config):
    """(key, default, value tried, arguments) for each key that the class has."""
    fields = config.to_dict()
    for key, other in OTHERS.items():
        if key not in fields and key not in EXTRA_KEYS:
            continue
        default = fields.get(key)
        if isinstance(default, (dict, list)):
            continue
        value = not default if other is None else other
        if key == "position_embedding_type":
            value = "rope" if default != "rope" else None
        if key == "use_bidirectional_attention" and config.model_type.startswith(("gemma4", "diffusion")):
            value = "all"  # their words are all and vision
        yield key, default, value, {key: value}
        if key in OFF_BY_NULL and default is not None:
            yield key, default, None, {key: None}
    for outer, keys in NESTED.get(config.model_type, {}).items():
        for key, value in keys.items():
            inner = {**NEEDS.get(config.model_type, {}).get(outer, {}), key: value}
            yield f"{outer}.{key}", fields[outer].get(key), value, {outer: inner}
    if fields.get("use_sliding_window") is False:
        for key in ("max_window_layers", "sliding_window"):
            if key in fields:
                both = {"use_sliding_window": True, "sliding_window": 128, key: OTHERS[key]}
                yield f"{key} (with use_sliding_window)", fields[key], OTHERS[key], both
    types = fields.get("layer_types")
    for kind in ("sliding_attention", "full_attention"):
        if types and set(types) <= {"sliding_attention", "full_attention"} and set(types) != {kind}:
            yield f"layer_types (all {kind})", None, kind, {"layer_types": len(types) * [kind]}
    if isinstance(fields.get("no_rope_layers"), list):
        yield "no_rope_layers (all 0)", None, 0, {"no_rope_layers": len(fields["no_rope_layers"]) * [0]}
    if isinstance(fields.get("rope_parameters"), dict) and "rope_type" in fields["rope_parameters"]:
        source = inspect.getsource(sys.modules[class_of(config).__module__])
        for key, rope in ROPES.items():
            if key.split(".")[1] not in source:
                continue
            yield key, fields["rope_parameters"].get(key.split(".")[1]), rope[key.split(".")[1]], {
                "rope_parameters": {**fields["rope_parameters"], **rope}}


def by_layer(facts):
    found = {}
    for kind in facts["kinds"]:
        rest = {k: v for k, v in kind.items() if k not in ("layers", "stack", "module", "class")}
        for first, last in kind["layers"]:
            for i in range(first, last + 1):
                found[(kind["stack"], i, kind.get("module", "").split(".")[-1])] = rest
    return found


def compared(before, after):
    """{fact: [before, after, the first layer that differs, how many do]}"""
    changed = {}
    for where in [w for w in before if w in after]:
        for fact in list(dict.fromkeys([*before[where], *after[where]])):
            old, new = before[where].get(fact), after[where].get(fact)
            if old != new:
                if isinstance(old, dict) and isinstance(new, dict):
                    names = [n for n in new if old.get(n) != new[n]]
                    old, new = {n: old.get(n) for n in names}, {n: new[n] for n in names}
                changed.setdefault(fact, [old, new, where[1], 0])[3] += 1
    return changed
