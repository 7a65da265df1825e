"""ropewalk.torch.patch with torch and transformers: by script/peers."""

import pytest
import ropewalk
import ropewalk.torch
import torch
import transformers


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(20170612)


SMALL = dict(vocab_size=99, hidden_size=64, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4,
             num_key_value_heads=2, pad_token_id=0, bos_token_id=1, eos_token_id=2)


@pytest.mark.parametrize(
    "model, config, keywords",
    (
        ("LlamaForCausalLM", "LlamaConfig", {}),
        ("Gemma3ForCausalLM", "Gemma3TextConfig", dict(head_dim=32)),
        ("Glm4ForCausalLM", "Glm4Config", dict(head_dim=32)),
        ("CohereForCausalLM", "CohereConfig", {}),
    ),
)
def test_patch(model, config, keywords):
    config = getattr(transformers, config)(**SMALL, **keywords)
    model = getattr(transformers, model)(config).eval()
    tokens = torch.randint(0, 99, (2, 40))
    with torch.no_grad():
        before = model(tokens).logits
        patched = ropewalk.torch.patch(model, angles="hf_float32")
        assert len(patched.replaced) == 2 and not patched.left and "replaced model.rotary_emb" in repr(patched)
        assert torch.allclose(model(tokens).logits, before, rtol=0, atol=3e-6)
        patched.restore()
        assert (model(tokens).logits == before).all()
    ropewalk.torch.patch(model)
    model(tokens, labels=tokens).loss.backward()
    grads = [parameter.grad.clone() for parameter in model.parameters()]
    assert all(grad.isfinite().all() for grad in grads)


def test_patch_of_two_models_of_one_family():
    config = transformers.LlamaConfig(**SMALL)
    a, b = (transformers.LlamaForCausalLM(config).eval() for _ in range(2))
    tokens = torch.randint(0, 99, (1, 9))
    code = transformers.models.llama.modeling_llama
    own = code.apply_rotary_pos_emb
    with torch.no_grad():
        before = b(tokens).logits
        of_a, of_b = ropewalk.torch.patch(a), ropewalk.torch.patch(b)
        assert [name for name, _ in of_a.replaced] == [name for name, _ in of_b.replaced] and len(of_b.replaced) == 2
        patched, ours = b(tokens).logits, code.apply_rotary_pos_emb
        again = ropewalk.torch.patch(b)
        assert not again.replaced and "left model.rotary_emb: patch replaced it before" in repr(again)
        assert (b(tokens).logits == patched).all()
        of_a.restore()
        of_a.restore()
        assert code.apply_rotary_pos_emb is ours and (b(tokens).logits == patched).all()
        of_b.restore()
        assert code.apply_rotary_pos_emb is own and (b(tokens).logits == before).all()


@pytest.mark.parametrize("angles", ("hf_float32", "exact"))
def test_patch_takes_the_length_that_transformers_takes(angles):
    dynamic = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}
    longrope = {"rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 64,
                "short_factor": [1.0 + 0.1 * i for i in range(8)], "long_factor": [2.0 + 3 * i for i in range(8)]}
    for rope in (dynamic, longrope):
        model = transformers.LlamaModel(transformers.LlamaConfig(**SMALL, max_position_embeddings=64, rope_parameters=rope)).eval()
        rotary, x = model.rotary_emb, torch.zeros(1)
        # Of a batch the longest; dynamic frequencies stay those of the longest call until one is shorter than 64.
        calls = [torch.arange(20)[None], torch.stack((torch.arange(9), torch.arange(192, 201))), torch.arange(100)[None],
                 torch.arange(64)[None], torch.arange(63)[None], torch.arange(100)[None]]
        expected = [rotary(x, ids) for ids in calls]
        patched = ropewalk.torch.patch(model, angles=angles)
        assert len(patched.replaced) == 2 and not patched.left
        for ids, theirs in zip(calls, expected):
            for ours, their in zip(rotary(x, ids), theirs):
                assert torch.allclose(ours, their, rtol=0, atol=1e-4)
        assert not torch.allclose(expected[2][0][:, :64], expected[4][0][:, :1], rtol=0, atol=1e-2)


def test_patch_of_deepseek(monkeypatch):
    config = transformers.DeepseekV3Config(**{**SMALL, "num_key_value_heads": 4}, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=16,
                                           qk_nope_head_dim=16, v_head_dim=16, n_routed_experts=4, num_experts_per_tok=2, n_group=1,
                                           topk_group=1, first_k_dense_replace=4, moe_intermediate_size=32)
    turned, own = [], ropewalk.torch.rotary_embedding_rows
    monkeypatch.setattr(ropewalk.torch, "rotary_embedding_rows", lambda x, *rest, **how: turned.append(how) or own(x, *rest, **how))
    tokens = torch.randint(0, 99, (2, 40))
    for interleaved, name in ((True, "apply_rotary_pos_emb_interleave"), (False, "apply_rotary_pos_emb")):
        config.rope_interleave = interleaved
        model = transformers.DeepseekV3ForCausalLM(config).eval()
        with torch.no_grad():
            before = model(tokens).logits
            patched = ropewalk.torch.patch(model, angles="hf_float32")
            assert [full.rsplit(".", 1)[-1] for full, _ in patched.replaced] == ["rotary_emb", name]
            turned.clear()
            assert torch.allclose(model(tokens).logits, before, rtol=0, atol=3e-6)
            assert turned == [{"interleaved": interleaved}] * 8
            patched.restore()
            assert (model(tokens).logits == before).all() and len(turned) == 8


def test_patch_of_three_axes():
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}
    model = transformers.Qwen2VLTextModel(transformers.Qwen2VLTextConfig(**SMALL, rope_parameters=rope)).eval()
    tokens, ids = torch.randint(0, 99, (2, 40)), torch.randint(0, 500, (3, 2, 40))
    with torch.no_grad():
        before = model(tokens, position_ids=ids).last_hidden_state
        assert len(ropewalk.torch.patch(model, angles="hf_float32").replaced) == 2
        after = model(tokens, position_ids=ids).last_hidden_state
        assert torch.allclose(after, before, rtol=0, atol=5e-5)
        assert not torch.allclose(model(tokens, position_ids=ids.flip(0)).last_hidden_state, before, rtol=0, atol=1e-3)


def _bloom(heads):
    return transformers.BloomModel(transformers.BloomConfig(vocab_size=99, hidden_size=48, n_layer=2, n_head=heads)).eval()


def test_patch_of_alibi():
    code = transformers.models.bloom.modeling_bloom
    own = code.build_alibi_tensor, code._get_alibi_slopes
    six, twelve = _bloom(6), _bloom(12)
    tokens, mask = torch.randint(0, 99, (2, 30)), torch.ones(2, 30, dtype=torch.int64)
    mask[1, :5] = 0
    with torch.no_grad():
        before = [model(tokens, attention_mask=mask).last_hidden_state for model in (six, twelve)]
        patched = ropewalk.torch.patch(six)
        assert "build_alibi_tensor: ALiBi of 6 heads, slopes and bias in f32" in repr(patched)
        assert code.build_alibi_tensor is not own[0] and code._get_alibi_slopes is not own[1]
        again = ropewalk.torch.patch(twelve)
        assert not again.replaced and "it stands for that of a patched model of 6 heads and other slopes" in repr(again)
        for model, expected in zip((six, twelve), before):
            assert torch.allclose(model(tokens, attention_mask=mask).last_hidden_state, expected, rtol=0, atol=1e-5)
        second = ropewalk.torch.patch(_bloom(6))
        patched.restore()
        assert len(second.replaced) == 2 and code.build_alibi_tensor is not own[0]
        second.restore()
        assert (code.build_alibi_tensor, code._get_alibi_slopes) == own
    code = transformers.models.mpt.modeling_mpt
    mpt = transformers.MptModel(transformers.MptConfig(vocab_size=99, d_model=48, n_layers=1, n_heads=6, max_seq_len=64)).eval()
    sixteen = code.build_mpt_alibi_tensor(6, 10, 16)
    patched = ropewalk.torch.patch(mpt)
    assert "build_mpt_alibi_tensor" in repr(patched) and (code.build_mpt_alibi_tensor(6, 10, 16) == sixteen).all()
    assert (code.build_mpt_alibi_tensor(num_heads=6, sequence_length=10)[:, 0, 0] == -9 * torch.from_numpy(ropewalk.alibi_slopes(6))).all()
    patched.restore()
    model = transformers.FalconModel(transformers.FalconConfig(vocab_size=99, hidden_size=48, num_hidden_layers=2, num_attention_heads=12,
                                                               alibi=True)).eval()
    with torch.no_grad():
        expected = model(tokens, attention_mask=mask).last_hidden_state
        patched = ropewalk.torch.patch(model)
        assert "slopes and bias in bf16" in repr(patched) and "left rotary_emb: the config says that no layer turns" in repr(patched)
        assert torch.allclose(model(tokens, attention_mask=mask).last_hidden_state, expected, rtol=0, atol=1e-5)
        patched.restore()


def test_patch_leaves_a_forward_whose_layer_types_nobody_knows():
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SMALL))
    rotary = model.model.rotary_emb
    own = rotary.forward
    rotary.forward = lambda x, position_ids, layer_type=None: own(x, position_ids)
    assert "the config has no layer_types" in repr(ropewalk.torch.patch(model))


def test_patch_refuses_a_model_that_does_not_rotate():
    model = transformers.BertModel(transformers.BertConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                                                           intermediate_size=32))
    with pytest.raises(ropewalk.Error, match="model: expected layers that rotate or have ALiBi"):
        ropewalk.torch.patch(model)
