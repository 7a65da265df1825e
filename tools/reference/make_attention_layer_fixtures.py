"""Whole attention layers of transformers' own classes: weights under their names, x, y and the config.

Each case of attention_cases.py is a tiny model, run eagerly in float32 as a whole, so that masks, windows, chunks and
positions are those of its own code. testdata/reference/attention/<case>.safetensors keeps the first layer of each kind:
its weights in bf16, fixture.x.<layer> and fixture.y.<layer> [batch, token, channel], fixture.position_ids and
fixture.attention_mask. Names on the command line choose cases.
"""

import json
import logging
import sys
import tempfile
import warnings
from pathlib import Path

import common
import numpy as np
import safetensors.torch
import torch
import transformers
from attention_cases import CASES
from attention_formulas import FORMULAS
from attention_layers import SEED, attention_modules, class_of, fill, float64_run, inputs_of, run, tiny_config

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
logging.disable(logging.CRITICAL)

# Keys of a config.json that say nothing about attention or positions, and beginnings of such keys.
DROPPED = """_name_or_path bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id dtype torch_dtype
transformers_version use_cache vocab_size initializer_range tie_word_embeddings output_router_logits
router_aux_loss_coef id2label label2id output_attentions attention_dropout hidden_dropout resid_pdrop embd_pdrop
attn_pdrop emb_pdrop embedding_dropout residual_dropout dropout_rate attention_probs_dropout_prob hidden_dropout_prob
return_dict output_hidden_states chunk_size_feed_forward problem_type is_encoder_decoder intermediate_size hidden_act
hidden_activation activation_function mlp_bias num_experts_per_tok norm_topk_prob n_group topk_group topk_method
routed_scaling_factor router_jitter_noise num_experts num_local_experts n_routed_experts n_shared_experts
num_shared_experts shared_expert_intermediate_size shared_intermediate_size mlp_layer_types decoder_sparse_step
mlp_only_layers expert_ffn_hidden_size zero_expert_num first_k_dense_replace swiglu_limit num_nextn_predict_layers
pretraining_tp logits_scaling logit_scale residual_multiplier embedding_multiplier final_logit_softcapping
num_logits_to_keep vision_config audio_config audio_encoder_config depth_decoder_config codec_config vq_config
vocabulary_map per_layer_config ffn_config""".split()
DROPPED_BEGINNINGS = ("moe_", "classifier_", "time_step_", "mtp_", "altup_", "initializer_", "decoder_bias", "sparse_pred")


def layer_of(name):
    """The number in a module's name: model.layers.3.self_attn."""
    return int(next(part for part in name.split(".") if part.isdigit()))


def plain_attributes(module):
    """What a module says of itself in numbers and words."""
    unsaid = ("training", "layer_idx", "block_idx", "layer_index", *DROPPED)
    return {
        key: value for key, value in sorted(vars(module).items())
        if isinstance(value, (bool, int, float, str, type(None))) and key not in unsaid and not key.startswith("_")
    }


def kind_of(config, module, layer):
    """In words, what distinguishes one kind of attention layer of a model from another."""
    said = plain_attributes(module)
    types = getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None) or []
    words = [types[layer] if layer < len(types) else type(module).__name__]
    rotates = getattr(config, "no_rope_layers", None)
    if rotates and not rotates[layer]:
        words.append("no rotation")
    for key in ("sliding_window", "is_sliding", "use_rope", "is_local_attention", "use_bias"):
        if key in said:
            words.append(f"{key} {said[key]}")
    shapes = [list(parameter.shape) for _, parameter in sorted(module.named_parameters())]
    return ", ".join(words), str(shapes)


def probe(module):
    """The module's own statements, its norms and their eps: for a reader who looks for a difference."""
    norms = {
        name: {"class": type(part).__name__, **{k: v for k, v in plain_attributes(part).items() if isinstance(v, float)}}
        for name, part in module.named_modules() if "Norm" in type(part).__name__
    }
    return {"class": type(module).__name__, **plain_attributes(module), "norms": norms}


def saved(model):
    """The tensors and the config that save_pretrained writes."""
    tensors = {}
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        for path in sorted(Path(folder).glob("*.safetensors")):
            tensors.update(safetensors.torch.load_file(path))
        return tensors, json.loads((Path(folder) / "config.json").read_text())


def reduced(config):
    """Without the keys that say nothing about attention or positions, inside objects too."""
    return {
        key: reduced(value) if isinstance(value, dict) else value for key, value in config.items()
        if key not in DROPPED and not key.startswith(DROPPED_BEGINNINGS)
    }


def config_of(written, case):
    """The config as written, and what was given but is written in other words, or not at all."""
    config = {**reduced(case["keys"]), **reduced(written), **case.get("words", {})}
    return {key: value for key, value in config.items() if key not in case.get("drop", ())}


def written(model, modules, case):
    """The same, but only the tensors of `modules`: those that change with them, whatever they are called."""
    tensors, config = saved(model)
    parameters = [parameter for module in modules for parameter in module.parameters()]
    kept = [parameter.data for parameter in parameters]
    for parameter in parameters:
        parameter.data = parameter.data + 1
    changed, _ = saved(model)
    for parameter, data in zip(parameters, kept):
        parameter.data = data
    names = [key for key in sorted(tensors) if not torch.equal(tensors[key], changed[key])]
    found = {key: tensors[key].to(torch.bfloat16) for key in names}
    numbers, expected = sum(value.numel() for value in found.values()), sum(value.numel() for value in kept)
    if numbers != expected:
        raise ValueError(f"{numbers} of {expected} weights found: {sorted(found)}")
    return found, config_of(config, case)


def first_of_each_kind(config, modules, names):
    """{module's name: kind in words}."""
    kinds = {}
    for name in names:
        kinds.setdefault(kind_of(config, modules[name], layer_of(name)), name)
    return {name: kind[0] for kind, name in kinds.items()}


def build(case):
    """The tiny model with its random weights, and {name: module} of its attention."""
    config = tiny_config(case)
    torch.manual_seed(SEED)
    model = class_of(case, config)(config).eval()
    modules = attention_modules(model)
    fill(model, modules, SEED)
    return model, modules


def record(case):
    """Writes one case; gives its largest float32 error, relative to the largest |y|."""
    model, modules = build(case)
    inputs, positions, mask = inputs_of(model, case)
    pairs = run(model, modules, inputs, case)
    names = [name for name in pairs if layer_of(name) in case.get("record", [layer_of(name)])]
    kinds = first_of_each_kind(model.config, modules, names)
    tensors, config = written(model, [modules[name] for name in kinds], case)
    arrays = {"fixture.position_ids": positions, "fixture.attention_mask": mask.astype(np.uint8)}
    exact = float64_run(model, modules, inputs, case, pairs)
    seen = torch.from_numpy(mask).bool()
    layers, errors = [], []
    for name, kind in kinds.items():
        layer, (x, y) = layer_of(name), pairs[name]
        arrays[f"fixture.x.{layer}"], arrays[f"fixture.y.{layer}"] = x, y
        errors.append(float((y.double() - exact[name])[seen].abs().max() / exact[name][seen].abs().max()))
        layers.append({"layer": layer, "kind": kind, "module": name, "probe": probe(modules[name])})
    common.save(f"attention/{case['name']}", {**tensors, **arrays}, {
        "source": f"transformers {type(model).__name__}, eager, float32. Rows whose own key is hidden mean nothing",
        "model_type": case["model_type"], "config": config, "layers": layers, "seed": SEED,
        "reference_error": {"y, relative to its largest": common.rounded(max(errors))},
    })
    return max(errors)


def main():
    wanted = sys.argv[1:]
    errors = {}
    for case in CASES:
        if wanted and case["name"] not in wanted:
            continue
        try:
            errors[case["name"]] = record(case)
        except Exception as error:
            if wanted:
                raise
            print("not made:", case["name"], type(error).__name__, str(error)[:160].replace("\n", " "))
    errors.update({name: formula(name) for name, formula in FORMULAS.items() if not wanted or name in wanted})
    worst = sorted(errors, key=errors.get)[-3:]
    print(len(errors), "cases; largest |y32 - y64| / max |y64|:", ", ".join(f"{name} {errors[name]:.2g}" for name in worst))


if __name__ == "__main__":
    main()
