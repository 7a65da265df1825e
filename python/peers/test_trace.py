"""ropewalk.torch.trace on tiny models of transformers, right ones and ones that were made wrong on purpose. Not part of script/test:

    PYTHONPATH=build/python python -m pytest python/peers
"""

import copy
import types

import pytest
import ropewalk
import ropewalk.torch
import torch
import transformers

SMALL = dict(vocab_size=99, hidden_size=64, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4,
             num_key_value_heads=2, pad_token_id=0, bos_token_id=1, eos_token_id=2)
LENGTH_TYPES = ["sliding_attention", "full_attention"] * 2
LLAMA3 = dict(rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=32)
LONGROPE = dict(rope_type="longrope", rope_theta=1e4, original_max_position_embeddings=32,
                short_factor=[1 + 0.05 * i for i in range(8)], long_factor=[1.0 + 3 * i for i in range(8)])
LATENT = dict(num_key_value_heads=4, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=16, qk_nope_head_dim=16, v_head_dim=16,
              n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1, first_k_dense_replace=1,
              moe_intermediate_size=32, n_shared_experts=1)

# Class, config, what it says besides SMALL, layers that rotate.
MODELS = (
    ("LlamaForCausalLM", "LlamaConfig", {}, 4),
    ("LlamaForCausalLM", "LlamaConfig", dict(rope_parameters=LLAMA3), 4),
    ("Qwen3ForCausalLM", "Qwen3Config", dict(head_dim=32), 4),
    ("Qwen2VLTextModel", "Qwen2VLTextConfig",
     dict(rope_parameters=dict(rope_type="default", rope_theta=1e6, mrope_section=[2, 3, 3])), 4),
    ("Glm4ForCausalLM", "Glm4Config", dict(head_dim=32), 4),
    ("Gemma3ForCausalLM", "Gemma3TextConfig", dict(head_dim=32, sliding_window=16, layer_types=LENGTH_TYPES), 4),
    ("Phi3ForCausalLM", "Phi3Config",
     dict(max_position_embeddings=128, original_max_position_embeddings=32, rope_parameters=LONGROPE), 4),
    ("GptOssForCausalLM", "GptOssConfig",
     dict(head_dim=32, num_local_experts=4, num_experts_per_tok=2, sliding_window=16, layer_types=LENGTH_TYPES), 4),
    ("DeepseekV3ForCausalLM", "DeepseekV3Config", LATENT, 4),
    ("Cohere2ForCausalLM", "Cohere2Config", {}, 3),
    ("ModernBertForMaskedLM", "ModernBertConfig", {}, 4),
    ("FalconForCausalLM", "FalconConfig", dict(new_decoder_architecture=False, multi_query=False), 4),
    ("GPTNeoXForCausalLM", "GPTNeoXConfig", {}, 4),
    ("GPTJForCausalLM", "GPTJConfig", dict(n_embd=64, n_head=4, rotary_dim=8), 4),
    ("SmolLM3ForCausalLM", "SmolLM3Config", {}, 3),
    ("EsmModel", "EsmConfig", dict(position_embedding_type="rotary", mask_token_id=4), 4),
    ("Llama4ForCausalLM", "Llama4TextConfig", dict(num_local_experts=2, intermediate_size_mlp=64, head_dim=16, moe_layers=[]), 3),
    ("PhiForCausalLM", "PhiConfig", dict(partial_rotary_factor=0.5), 4),
    ("BambaForCausalLM", "BambaConfig", dict(attn_layer_indices=[1, 3], mamba_n_heads=8, mamba_d_head=16), 2),
)


def made(name, config, more={}, dtype=torch.float32):
    torch.manual_seed(20210420)
    return getattr(transformers, name)._from_config(getattr(transformers, config)(**SMALL | copy.deepcopy(more)), dtype=dtype)


def llama(**more):
    return made("LlamaForCausalLM", "LlamaConfig", more)


def causes(layer, name):
    return [(cause["hypothesis"], cause["variant"]) for cause in layer.found[name].findings[0]["causes"]]


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16))
@pytest.mark.parametrize("name, config, more, rotating", MODELS)
def test_a_model_as_it_is_turns_as_its_config_says(name, config, more, rotating, dtype):
    traced = ropewalk.torch.trace(made(name, config, more, dtype))
    assert traced.consistent, repr(traced)
    seen = [layer for layer in traced.layers if layer.found]
    assert len(seen) == rotating and all(layer.expected is not None and set(layer.found) == {"q", "k"} for layer in seen)
    assert "q and k turned so by " in repr(traced) and traced.to_dict()["consistent"]


@pytest.mark.parametrize("name, config, more, rotating", MODELS)
def test_a_base_that_was_changed_after_the_model_was_built(name, config, more, rotating):
    model = made(name, config, more)
    keys = model.config.rope_parameters if getattr(model.config, "rope_parameters", None) else None
    if keys is None:
        pytest.skip("its config has no base")
    if keys.get("rope_type") == "longrope":
        pytest.skip("its code reads the config again for each length")
    of_layers = [each for each in keys.values() if isinstance(each, dict)] or [keys]
    for each in of_layers:
        each["rope_theta"] = 31000.0
    traced = ropewalk.torch.trace(model)
    seen = [layer for layer in traced.layers if layer.found]
    assert not traced.consistent and len(seen) == rotating
    for layer in seen:
        for which in "qk":
            cause = layer.found[which].findings[0]["causes"][0]
            assert cause["hypothesis"] == "base" and cause["expected"] == 31000.0, repr(traced)
            assert cause["found"] in (1e4, 5e5, 1e6, 1.5e5, 1.6e5, 2e6), repr(traced)


def test_positions_that_are_shifted():
    model = llama()
    own = model.model.rotary_emb.forward
    model.model.rotary_emb.forward = lambda x, position_ids: own(x, position_ids + 1)
    traced = ropewalk.torch.trace(model)
    assert all(causes(layer, which) == [("positions", "offset")] for layer in traced.layers for which in "qk")
    assert repr(traced).startswith("layers 0-3: rope, theta 10000, 16 of 16 channels half_split; by apply_rotary_pos_emb:\n  q: positions are")


def interleaved(q, k, cos, sin, unsqueeze_dim=1):
    half = cos.shape[-1] // 2
    c, s = (x[..., :half].unsqueeze(unsqueeze_dim) for x in (cos, sin))

    def turned(x):
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * c - b * s, b * c + a * s), -1).flatten(-2)

    return turned(q), turned(k)


@pytest.mark.parametrize("name, config, more", [row[:3] for row in MODELS if row[0] in ("LlamaForCausalLM", "Qwen3ForCausalLM")])
def test_pairs_of_the_other_kind(name, config, more, monkeypatch):
    model = made(name, config, more)
    monkeypatch.setattr(f"{type(model).__module__}.apply_rotary_pos_emb", interleaved)
    traced = ropewalk.torch.trace(model)
    assert all(causes(layer, which) == [("pairing", "interleaved")] for layer in traced.layers for which in "qk")
    assert traced.layers[0].function == "interleaved"


def test_k_that_is_not_rotated(monkeypatch):
    from transformers.models.llama import modeling_llama as code

    own = code.apply_rotary_pos_emb
    monkeypatch.setattr(code, "apply_rotary_pos_emb", lambda q, k, cos, sin: (own(q, k, cos, sin)[0], k))
    traced = ropewalk.torch.trace(llama())
    assert all(layer.found["q"].consistent and causes(layer, "k") == [("not_rotated", "at_all")] for layer in traced.layers)
    assert "q turned so by" in repr(traced) and "\n  k: it was not rotated; " in repr(traced)


def test_layers_of_one_kind_with_the_frequencies_of_the_other():
    model = made("Gemma3ForCausalLM", "Gemma3TextConfig", dict(head_dim=32, sliding_window=16, layer_types=LENGTH_TYPES))
    rotary = model.model.rotary_emb
    rotary.sliding_attention_inv_freq.copy_(rotary.full_attention_inv_freq)
    traced = ropewalk.torch.trace(model)
    assert [layer.consistent for layer in traced.layers] == [False, True, False, True]
    assert causes(traced.layers[0], "q")[0][0] in ("other_layer", "base")


def test_a_layer_that_should_not_rotate():
    model = made("SmolLM3ForCausalLM", "SmolLM3Config")
    model.config.no_rope_layers = [1, 0, 1, 0]  # built with layer 3 alone as it is
    traced = ropewalk.torch.trace(model)
    assert [layer.consistent for layer in traced.layers] == [True, False, True, True]
    assert causes(traced.layers[1], "k") == [("other_layer", "should_not_turn")]
    model.config.no_rope_layers = [1, 1, 1, 1]
    traced = ropewalk.torch.trace(model)
    assert traced.layers[3].why == "no function that is known to turn q and k was called" and traced.layers[3].consistent is None


def test_scaling_that_is_missing():
    model = llama(rope_parameters=LLAMA3)
    model.model.rotary_emb.inv_freq.copy_(5e5 ** (-torch.arange(0, 16, 2, dtype=torch.float64) / 16))
    assert causes(ropewalk.torch.trace(model).layers[0], "q") == [("scaling", "missing")]


def test_buffers_that_were_cast_with_the_whole_model():
    traced = ropewalk.torch.trace(llama(head_dim=64).to(torch.bfloat16))
    assert all(causes(layer, which) == [("angle_precision", "bf16_inv_freq")] for layer in traced.layers for which in "qk")


def test_padding_on_the_left():
    model = llama()
    tokens, mask = torch.randint(3, 99, (2, 20)), torch.ones(2, 20, dtype=torch.int64)
    mask[1, :7] = 0
    ids = (mask.cumsum(-1) - 1).clamp(min=0)
    given = {"input_ids": tokens, "attention_mask": mask, "position_ids": ids}
    assert ropewalk.torch.trace(model, given).consistent
    assert ropewalk.torch.trace(model, tokens).consistent  # 0, 1, 2, ... in each row, as the model counts too
    own = model.model.rotary_emb.forward
    model.model.rotary_emb.forward = lambda x, position_ids: own(x, torch.arange(20)[None])
    assert causes(ropewalk.torch.trace(model, given).layers[0], "q")[0][0] == "positions"


def test_a_patched_model_and_what_is_left_behind():
    from transformers.models.llama import modeling_llama as code

    own = code.apply_rotary_pos_emb
    model = llama().train()
    model.model.layers[1].eval()
    ropewalk.torch.trace(model)
    assert code.apply_rotary_pos_emb is own and model.training and not model.model.layers[1].training
    assert not any(module._forward_pre_hooks or module._forward_hooks for module in model.modules())
    patched = ropewalk.torch.patch(model.eval())
    assert ropewalk.torch.trace(model).consistent
    patched.restore()
    model.model.layers[2].forward = types.MethodType(lambda *_, **__: 1 / 0, model.model.layers[2])
    with pytest.raises(ZeroDivisionError):
        ropewalk.torch.trace(model)
    assert code.apply_rotary_pos_emb is own and not any(module._forward_hooks for module in model.modules())


def test_inputs_without_positions_are_refused():
    with pytest.raises(ropewalk.Error, match="inputs: expected input_ids"):
        ropewalk.torch.trace(llama(), {"attention_mask": torch.ones(1, 4)})
