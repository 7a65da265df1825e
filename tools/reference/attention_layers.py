"""Tiny models of transformers with random weights, and what their attention modules get and give."""

import importlib
import inspect

import numpy as np
import torch
import transformers
from torch.overrides import TorchFunctionMode
from transformers import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_MAPPING_NAMES

import common

BATCH, SEQ, LEFT_PADDING, SEED = 2, 12, 3, 801

# Small sizes under all the names that the config classes have for them; a class takes those that it knows. eps is large,
# so that the wrong one is seen.
TINY = {
    "hidden_size": 32, "d_model": 32, "n_embd": 32, "num_attention_heads": 4, "n_head": 4, "n_heads": 4,
    "num_key_value_heads": 2, "head_dim": 12, "intermediate_size": 32, "n_inner": 32, "ffn_hidden_size": 32,
    "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16, "shared_intermediate_size": 16,
    "num_hidden_layers": 1, "n_layer": 1, "n_layers": 1, "num_layers": 1, "vocab_size": 32,
    "num_experts": 2, "num_local_experts": 2, "n_routed_experts": 2, "moe_num_experts": 2, "num_experts_per_tok": 1,
    "num_experts_per_token": 1, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "n_shared_experts": 1,
    "sliding_window": 4, "attention_chunk_size": 4, "local_attention": 8, "max_position_embeddings": 128,
    "n_positions": 128, "max_seq_len": 128, "kv_lora_rank": 12, "q_lora_rank": 20, "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4, "v_head_dim": 6, "rms_norm_eps": 0.01, "layer_norm_eps": 0.01, "layer_norm_epsilon": 0.01,
    "layernorm_epsilon": 0.01, "norm_eps": 0.01, "norm_epsilon": 0.01, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}
# Modules that mix tokens, but not by softmax, or with other tokens.
NO_ATTENTION = ("Lightning", "LinearAttention", "Delta", "CrossAttention")


def tiny_config(case):
    """The config of a case: TINY as far as the class knows its keys, then the case's own."""
    cls = CONFIG_MAPPING[case["model_type"]]
    known = set(cls.__dataclass_fields__) | set(cls.attribute_map)
    keys = {key: value for key, value in TINY.items() if key in known and cls.attribute_map.get(key) not in TINY}
    if getattr(cls, "head_dim", None) is None:
        keys.pop("head_dim", None)  # it follows from the others
    else:
        keys["hidden_size"] = 16  # no multiple of the heads' width
    counts = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    config = cls(**{**keys, **{key: case["layers"] for key in counts if key in keys}, **case["keys"]})
    config._experts_implementation = "eager"
    # Falcon's eager code adds its ALiBi bias twice.
    config._attn_implementation = case.get("attention", "eager")
    return config


def class_of(case, config):
    """The class that a published checkpoint has, or the text model alone."""
    model_type = case["model_type"]
    name = case.get("class") or MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(model_type) or MODEL_MAPPING_NAMES[model_type]
    try:
        return getattr(transformers, name)
    except AttributeError:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
        return getattr(module, name)


def attention_modules(model):
    """{name: module} of the outermost attention modules, in order."""
    found = {}
    for name, module in model.named_modules():
        kind = type(module).__name__
        inner = any(name.startswith(outer + ".") for outer in found)
        other = any(word in kind for word in NO_ATTENTION) and kind != "KimiLinearAttention"
        if kind.endswith(("Attention", "MLA")) and not inner and not other:
            found[name] = module
    return found


def fill(model, modules, seed):
    """Random weights, those of attention in bf16. A norm's first value, 1 or 0, tells where its weights are centred."""
    for index, (name, parameter) in enumerate(sorted(model.named_parameters())):
        owner = type(model.get_submodule(name.rpartition(".")[0])).__name__
        shape = tuple(parameter.shape)
        value = torch.from_numpy(common.normal([seed, index], *shape))
        if "Sinusoidal" in owner:
            continue  # RoFormer keeps its cos and sin as a parameter
        if not any(name.startswith(module + ".") for module in modules):
            if len(shape) > 1:
                parameter.data = value / shape[-1] ** 0.5
            continue
        if "Norm" in owner and name.endswith("weight"):
            value = parameter.data.flatten()[0].round() + 0.5 * value
        elif "lambda" in name:
            value = 0.1 * value
        elif len(shape) > 1:
            value = value / float(np.prod(shape[1:])) ** 0.5
        parameter.data = value.to(torch.bfloat16).float()


class Doubled(TorchFunctionMode):
    """Runs a model in float64 where its code asks for float32."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        args = [torch.float64 if value is torch.float32 else value for value in args]
        kwargs = {key: torch.float64 if value is torch.float32 else value for key, value in (kwargs or {}).items()}
        if function is torch.Tensor.float:
            function = torch.Tensor.double
        return function(*args, **kwargs)


def inputs_of(model, case):
    """Keyword arguments of forward, positions and mask: sequence 1 is padded on the left by 3, as generate pads."""
    mask = np.ones((BATCH, SEQ), np.int64)
    mask[1, : case.get("padding", LEFT_PADDING)] = 0
    accepted = inspect.signature(model.forward).parameters
    positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    inputs = {"attention_mask": torch.from_numpy(mask)}
    if "position_ids" in accepted and not case.get("indices"):
        inputs["position_ids"] = torch.from_numpy(positions)
    elif not case.get("counts_mask"):
        positions = np.tile(np.arange(SEQ), (BATCH, 1))
    if "inputs_embeds" in accepted:
        inputs["inputs_embeds"] = torch.from_numpy(common.normal([SEED, 1], BATCH, SEQ, model.config.hidden_size))
    else:
        inputs["input_ids"] = torch.from_numpy(np.random.default_rng(SEED).integers(3, 32, (BATCH, SEQ)))
    if "use_cache" in accepted:
        inputs["use_cache"] = False
    for key in case.get("also", ()):
        inputs[key] = torch.from_numpy(common.normal([SEED, 2], BATCH, SEQ, model.config.hidden_size))
    return inputs, positions, mask


def run(model, modules, inputs, case, given=None):
    """{name: (x, y)} of the attention modules; `given` replaces their x. A residual that a module adds is made zero."""
    first, last = case.get("parts", ("", ""))
    seen, handles = {}, []

    def before(name):
        def hook(module, args, kwargs):
            kwargs = {**dict(zip(inspect.signature(module.forward).parameters, args)), **kwargs}
            if given is not None:
                kwargs["hidden_states"] = given[name].to(kwargs["hidden_states"].dtype)
            if "residual" in kwargs:
                kwargs["residual"] = torch.zeros_like(kwargs["residual"])
            seen[name] = kwargs["hidden_states"].detach().clone()
            return (), kwargs
        return hook

    def after(name):
        def hook(module, args, kwargs, output):
            y = output[0] if isinstance(output, tuple) else output
            if case.get("bias_beside") and output[-1] is not None:
                y = y + output[-1]
            pairs[name] = (seen[name], y.detach().clone())
        return hook

    pairs = {}
    for name, module in modules.items():
        handles.append(module.get_submodule(first).register_forward_pre_hook(before(name), with_kwargs=True))
        handles.append(module.get_submodule(last).register_forward_hook(after(name), with_kwargs=True))
    with torch.no_grad():
        model(**inputs)
    for handle in handles:
        handle.remove()
    return pairs


def float64_run(model, modules, inputs, case, pairs):
    """The same modules in float64, from the same x. The cosines start from the float32 frequencies, as everywhere."""
    doubled = {
        key: value.double() if torch.is_tensor(value) and value.is_floating_point() else value
        for key, value in inputs.items()
    }
    model.double()
    with Doubled():
        exact = run(model, modules, doubled, case, {name: x for name, (x, _) in pairs.items()})
    model.float()
    return {name: y for name, (_, y) in exact.items()}
