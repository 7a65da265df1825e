"""Tiny random models of transformers, as they are and with ropewalk in them (ropewalk.torch.patch): logits, and tokens by greedy
generation."""

import ropewalk.torch
import torch
import transformers

from result import Suite

SMALL = dict(vocab_size=99, hidden_size=64, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4,
             num_key_value_heads=2, pad_token_id=0, bos_token_id=1, eos_token_id=2, initializer_range=0.15)
TOKENS, PROMPT, NEW = 48, 24, 16  # of the logits, of generation
TRAINED = 32  # between PROMPT and PROMPT + NEW: what depends on the length changes while tokens are made
MIXED = ["sliding_attention", "full_attention"] * 2
LONGROPE = dict(rope_type="longrope", rope_theta=1e4, original_max_position_embeddings=TRAINED,
                short_factor=[1 + 0.05 * i for i in range(8)], long_factor=[1.0 + 3 * i for i in range(8)])
LLAMA3 = dict(rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=TRAINED)
YARN = dict(rope_type="yarn", rope_theta=1e4, factor=4.0, original_max_position_embeddings=TRAINED)
DYNAMIC = dict(rope_type="dynamic", rope_theta=1e4, factor=2.0)
MROPE = dict(rope_type="default", rope_theta=1e4, mrope_section=[2, 3, 3])
EXPERTS = dict(num_key_value_heads=4, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=16, qk_nope_head_dim=16, v_head_dim=16,
               n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1, first_k_dense_replace=1,
               moe_intermediate_size=32, n_shared_experts=1)
VISION = dict(depth=1, embed_dim=32, hidden_size=64, num_heads=2)

# What is tried: class, config, what the config says besides SMALL, what the case is called besides its class.
MODELS = (
    ("LlamaForCausalLM", "LlamaConfig", {}, ""),
    ("LlamaForCausalLM", "LlamaConfig", dict(rope_parameters=LLAMA3), "llama3"),
    ("LlamaForCausalLM", "LlamaConfig", dict(rope_parameters=YARN), "yarn"),
    ("LlamaForCausalLM", "LlamaConfig", dict(rope_parameters=DYNAMIC, max_position_embeddings=TRAINED), "dynamic"),
    ("Qwen3ForCausalLM", "Qwen3Config", dict(head_dim=32), ""),
    ("Qwen2VLTextModel", "Qwen2VLTextConfig", dict(rope_parameters=MROPE), "three axes"),
    ("Qwen2VLForConditionalGeneration", "Qwen2VLConfig", dict(rope_parameters=MROPE), "text"),
    ("Glm4ForCausalLM", "Glm4Config", dict(head_dim=32), ""),
    ("Gemma3ForCausalLM", "Gemma3TextConfig", dict(head_dim=32, sliding_window=16, layer_types=MIXED), ""),
    ("Phi3ForCausalLM", "Phi3Config",
     dict(max_position_embeddings=128, original_max_position_embeddings=TRAINED, rope_parameters=LONGROPE), "longrope"),
    ("GptOssForCausalLM", "GptOssConfig",
     dict(head_dim=32, num_local_experts=4, num_experts_per_tok=2, sliding_window=16, layer_types=MIXED), ""),
    ("DeepseekV3ForCausalLM", "DeepseekV3Config", EXPERTS, ""),
    ("DeepseekV3ForCausalLM", "DeepseekV3Config", dict(EXPERTS, rope_interleave=False), "rope_interleave false"),
    ("Cohere2ForCausalLM", "Cohere2Config", dict(sliding_window=16), ""),
    ("ModernBertForMaskedLM", "ModernBertConfig", {}, ""),
    ("Ministral3ForCausalLM", "Ministral3Config", dict(head_dim=32), ""),
    ("GPTNeoXForCausalLM", "GPTNeoXConfig", {}, ""),
    ("FalconForCausalLM", "FalconConfig", dict(alibi=True, new_decoder_architecture=False, multi_query=False), "ALiBi"),
    ("BloomForCausalLM", "BloomConfig", dict(n_layer=4, n_head=4), "ALiBi"),
    ("MptForCausalLM", "MptConfig", dict(d_model=64, n_layers=4, n_heads=4, max_seq_len=64), "ALiBi"),
)
BOUND = 1e-5  # of the largest logit: some roundings of float32 in each of four layers
MOVED = 1e-3  # what one position skipped must change, of the largest logit


def _config(name, keywords):
    config = getattr(transformers, name)
    if name == "Qwen2VLConfig":
        rest = {key: SMALL[key] for key in ("pad_token_id", "bos_token_id", "eos_token_id")}
        return config(text_config={**SMALL, **keywords}, vision_config=VISION, **rest)
    return config(**{**SMALL, **keywords})


def _model(name, config, keywords):
    torch.manual_seed(20210420)
    made = _config(config, keywords)
    made._attn_implementation = "eager"
    return getattr(transformers, name)(made).eval()


def _tokens(model):
    tokens = torch.randint(3, 99, (2, TOKENS), generator=torch.Generator().manual_seed(20210420))
    if type(model).__name__ != "Qwen2VLTextModel":
        return tokens, {}
    ids = torch.arange(TOKENS)  # eight of text, an image of 4 x 8, eight of text
    image = ((ids >= 8) & (ids < 40)).long()
    row, column = (ids - 8) // 8, (ids - 8) % 8
    text = torch.where(ids < 40, ids, ids - 24)
    axes = [torch.where(image == 1, of_image, text) for of_image in (torch.full_like(ids, 8), 8 + row, 8 + column)]
    return tokens, dict(position_ids=torch.stack(axes)[:, None].expand(3, 2, TOKENS))


def _outputs(model):
    """Logits (or the last hidden state), and the tokens that greedy decoding gives, or the likeliest ones."""
    tokens, keywords = _tokens(model)
    with torch.no_grad():
        out = model(tokens, **keywords)
        logits = out.logits if "logits" in out else out.last_hidden_state
        if not model.can_generate():
            return logits, logits.argmax(-1)
        return logits, model.generate(tokens[:, :PROMPT], max_new_tokens=NEW, min_new_tokens=NEW, do_sample=False)


def _moved(model):
    """The model's own logits where it thinks that one position was skipped (ALiBi: that keys are twice as far)."""
    hooks = []

    def skip(module, arguments, keywords):
        arguments = list(arguments)
        ids = keywords.pop("position_ids") if "position_ids" in keywords else arguments.pop(1)
        return (arguments[0], ids + (ids > 20), *arguments[1:]), keywords

    for module in model.modules():
        if "Rotary" in type(module).__name__:
            hooks.append(module.register_forward_pre_hook(skip, with_kwargs=True))
    code = __import__(type(model).__module__, fromlist=["x"])
    names = [name for name in ("build_alibi_tensor", "_get_alibi_slopes", "build_mpt_alibi_tensor") if hasattr(code, name)]
    kept = {name: getattr(code, name) for name in names}
    for name, own in kept.items():
        setattr(code, name, lambda *arguments, own=own, **keywords: 2 * own(*arguments, **keywords))
    try:
        return _outputs(model)[0]
    finally:
        for hook in hooks:
            hook.remove()
        for name, own in kept.items():
            setattr(code, name, own)


def _patched(model, suite, case, angles, before):
    patched = ropewalk.torch.patch(model, angles=angles)
    try:
        if not patched.replaced:
            suite.exclude(case, "patch replaces nothing of it: " + "; ".join(f"{name}: {why}" for name, why in patched.left))
            return
        logits, tokens = _outputs(model)
    finally:
        patched.restore()
    largest = before[0].abs().max()
    if (_outputs(model)[0] - before[0]).abs().max() > BOUND * largest:
        suite.fail(case, "restore() does not put the model back")
    elif not (tokens == before[1]).all():
        suite.fail(case, "other tokens than the model itself")
    else:
        suite.check(case, logits / largest, before[0] / largest, atol=BOUND)
    if angles == "exact":
        files = [name.rsplit(".", 1)[-1] if "modeling_" in name else name for name, _ in patched.replaced]
        left = [f"left {name.rsplit('.', 1)[-1]}: {why}" for name, why in patched.left]
        suite.notes.append(f"{case}: " + "; ".join([f"replaced {', '.join(files)}", *left]) + ".")


def run():
    torch.set_num_threads(1)  # two threads wait longer for each other than these sizes take, minutes on a busy machine
    bound = f"the same tokens; logits {BOUND:g} of the largest"
    suites = {angles: Suite(f"transformers' models, angles {angles}", bound) for angles in ("hf_float32", "exact")}
    for name, config, keywords, what in MODELS:
        case = f"{name} ({what})" if what else name
        model = _model(name, config, keywords)
        before = _outputs(model)
        if (_moved(model) - before[0]).abs().max() < MOVED * before[0].abs().max():
            suites["exact"].fail(case, "its logits hardly depend on positions: the case says nothing")
        for angles, suite in suites.items():
            _patched(model, suite, case, angles, before)
    return list(suites.values())
