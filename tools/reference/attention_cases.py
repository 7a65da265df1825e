"""Which attention layers make_attention_layer_fixtures.py records: what differs from attention_layers.TINY.

case(model_type, what, layers, **keys) makes <model_type>-<what>.safetensors, with the first layer of each kind.
Keys that end in _ are not the config's:
    class_        the class to build, where it is not the one for causal language models
    record_       these layers only
    counts_mask_  the class finds its positions in the attention mask
    also_         further arguments of its forward: random vectors
    parts_        x enters the first of these parts of the attention module, y leaves the second
    bias_beside_  the bias of its last projection is added outside of it
    words_        keys of published files that transformers does not write, drop_ those that it should not
    padding_      left padding, where it is not 3: Llama 4 counts chunks from the first token, its query scale from padding
    indices_      the class takes no positions, they are indices
"""


def case(model_type, what="", layers=1, **keys):
    own = {key[:-1]: value for key, value in keys.items() if key.endswith("_")}
    keys = {key: value for key, value in keys.items() if not key.endswith("_")}
    name = f"{model_type}-{what}" if what else model_type
    return {"model_type": model_type, "name": name, "layers": layers, "keys": keys, **own}


def rope(theta=10000.0, **keys):
    return {"rope_type": "default", "rope_theta": theta, **keys}


def yarn(**keys):
    return {**rope(), "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8, **keys}


SLIDING, FULL, CONV = "sliding_attention", "full_attention", "conv"
MLA = {"num_key_value_heads": 4}
MSCALE = {"beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 0.707}
HALF_MROPE = rope(partial_rotary_factor=0.5, mrope_section=[2, 1, 1], mrope_interleaved=True)
MAMBA = {"mamba_n_heads": 4, "mamba_d_state": 8, "mamba_d_head": 16, "mamba_expand": 2, "mamba_chunk_size": 8}
DELTA = {"head_dim": 16, "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_num_key_heads": 2,
         "linear_num_value_heads": 4}
GLOBAL = {"global_head_dim": 16}
GEMMA = {"query_pre_attn_scalar": 24}
SOFTCAP = {"attn_logit_softcapping": 2.0}

LLAMA_LIKE = [
    case("llama"), case("llama", "bias", attention_bias=True), case("llama", "heads", num_key_value_heads=4),
    case("llama", "yarn", rope_parameters=yarn()),
    case("llama4_text", layers=4, floor_scale=3, num_experts_per_tok=1, interleave_moe_layer_step=1, padding_=0),
    case("llama4_text", "no_norm", layers=4, floor_scale=3, use_qk_norm=False, attn_temperature_tuning=False),
    case("mllama_text_model", layers=2, class_="MllamaForCausalLM", cross_attention_layers=[1], pad_token_id=1),
    case("mistral"), case("mistral", "full", sliding_window=None), case("mixtral"),
    case("ministral", layers=2, head_dim=12, layer_types=[FULL, SLIDING]),
    case("ministral3", rope_parameters=yarn(llama_4_scaling_beta=0.1, original_max_position_embeddings=4, mscale=1.0,
         mscale_all_dim=1.0)),
    case("mistral4", **MLA, rope_parameters=yarn(llama_4_scaling_beta=0.1, original_max_position_embeddings=4, **MSCALE)),
    case("mistral_large4_text", layers=4, **MLA, index_topk=32, index_n_heads=2, index_head_dim=8), case("arcee"),
    case("aria_text"), case("bitnet"), case("cwm", layers=2), case("helium", hidden_size=32, head_dim=8),
    case("smollm3", layers=4), case("smollm3", "window", layers=4, record_=[3], use_sliding_window=True), case("seed_oss"),
    case("seed_oss", "bias", attention_bias=True, attention_out_bias=True), case("solar_open"), case("starcoder2"),
    case("apertus"), case("apertus1p5_text"), case("nanochat"), case("jais2"), case("hyperclovax"),
    case("hyperclovax", "multiplier", attention_multiplier=0.3), case("diffllama", layers=2), case("doge"),
    case("jetmoe", kv_channels=12), case("dots1"),
    case("dots1", "window", layers=2, record_=[1], layer_types=[FULL, SLIDING]), case("hrm_text"),
    case("emu3_text_model", class_="Emu3ForCausalLM"), case("chameleon", vocabulary_map={}), case("gpt_oss", layers=2),
    case("openai_privacy_filter"), case("exaone", class_="LlamaForCausalLM"), case("internlm3", class_="LlamaForCausalLM"),
    case("voxtral_realtime_text", also_=["t_cond"]), case("csm", class_="CsmBackboneModel"),
    case("phi4_multimodal", vision_config={"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
         "intermediate_size": 32}, audio_config={"hidden_size": 32, "num_blocks": 1, "num_attention_heads": 2,
         "intermediate_size": 32}),
    case("csm_depth_decoder_model", class_="CsmDepthDecoderForCausalLM", backbone_hidden_size=32, indices_=True),
    case("moshi"),
]
QWEN = [
    case("qwen2"), case("qwen2", "window", layers=2, record_=[1], use_sliding_window=True, max_window_layers=1),
    case("qwen2_moe"), case("qwen2_moe", "window", layers=2, record_=[0], use_sliding_window=True, max_window_layers=2),
    case("qwen3"), case("qwen3", "window", layers=2, record_=[1], use_sliding_window=True, max_window_layers=1),
    case("qwen3", "bias", attention_bias=True), case("qwen3_moe"), case("qwen3_moe", "window", use_sliding_window=True),
    case("qwen3_next", layers=4, **DELTA), case("qwen2_vl_text", rope_parameters=rope(mrope_section=[1, 1, 2])),
    case("qwen2_5_vl_text", rope_parameters=rope(mrope_section=[1, 1, 2])),
    case("qwen3_vl_text", rope_parameters=rope(mrope_section=[2, 2, 2])),
    case("qwen3_vl_moe_text", hidden_size=24, head_dim=12, rope_parameters=rope(mrope_section=[2, 2, 2])),
    case("qwen3_5_text", layers=4, **DELTA, rope_parameters=HALF_MROPE),
    case("qwen3_5_moe_text", layers=4, **DELTA, rope_parameters=HALF_MROPE),
    case("qwen2_5_omni_text", class_="Qwen2_5OmniThinkerTextModel", rope_parameters=rope(mrope_section=[1, 1, 2])),
    case("qwen3_omni_moe_text", class_="Qwen3OmniMoeThinkerTextModel", rope_parameters=rope(mrope_section=[2, 1, 1])),
    case("paddleocr_vl_text", class_="PaddleOCRTextModel", rope_parameters=rope(mrope_section=[2, 2, 2])),
]
DEEPSEEK = [
    case("deepseek_v2", **MLA, first_k_dense_replace=1), case("deepseek_v2", "yarn", **MLA, rope_parameters=yarn(**MSCALE)),
    case("deepseek_v2", "no_q_rank", **MLA, q_lora_rank=None), case("deepseek_v3", **MLA),
    case("deepseek_v3", "yarn", **MLA, rope_parameters=yarn(**MSCALE)),
    case("deepseek_v3", "bias", **MLA, attention_bias=True), case("deepseek_v3", "half_split", **MLA, rope_interleave=False),
    case("deepseek_v3", "no_q_rank", **MLA, q_lora_rank=None),
    case("deepseek_v32", **MLA, index_topk=32, index_n_heads=2, index_head_dim=8), case("glm4_moe_lite", **MLA),
    case("glm_moe_dsa", **MLA, index_topk=32, index_n_heads=2, index_head_dim=8), case("youtu", **MLA), case("axk1", **MLA),
    case("axk2", **MLA, index_topk=32, index_n_heads=2, index_head_dim=8),
    case("longcat_flash", **MLA, head_dim=4, num_experts_per_tok=2, n_routed_experts=8, zero_expert_num=2,
         expert_ffn_hidden_size=16),
    case("minicpm3", **MLA), case("kimi_linear", layers=5, **MLA, linear_head_dim=8, linear_num_heads=2),
    case("deepseek_ocr2_text", class_="DeepseekOcr2TextModel", mlp_layer_types=["dense"], num_key_value_heads=4),
    case("unlimited_ocr_text", class_="UnlimitedOcrTextModel", num_key_value_heads=4),
    case("hy_v4", num_key_value_heads=4, index_topk=32, index_n_heads=2, index_head_dim=8),
    case("bailing_hybrid", layers=6, **MLA),
]
GLM = [
    case("glm"), case("glm4"), case("glm", "no_bias", attention_bias=False), case("glm4_moe"),
    case("glm4_moe", "norm", use_qk_norm=True, attention_bias=True),
    case("glm4v_text", rope_parameters=rope(mrope_section=[1, 1, 2])),
    case("glm_ocr_text", rope_parameters=rope(mrope_section=[1, 1, 2])),
    case("glm4v_moe_text", rope_parameters=rope(partial_rotary_factor=0.5, mrope_section=[1, 1, 1]), head_dim=12),
    case("glm_image_text", rope_parameters=rope(mrope_section=[1, 1, 2])),
]
GEMMAS = [
    case("gemma"), case("gemma2", layers=2, **GEMMA, **SOFTCAP),
    case("gemma2", "no_softcap", layers=2, record_=[1], **GEMMA, attn_logit_softcapping=None),
    case("vaultgemma", layers=2, **GEMMA, **SOFTCAP), case("gemma3_text", layers=6, **GEMMA),
    case("gemma3_text", "bidirectional", layers=6, **GEMMA, use_bidirectional_attention=True, sliding_window=6),
    case("gemma3n_text", layers=5, num_kv_shared_layers=0, hidden_size_per_layer_input=8, vocab_size_per_layer_input=32,
         laurel_rank=4, activation_sparsity_pattern=[0.0] * 5),
    case("gemma3n_text", "shared", layers=4, record_=[1], layer_types=[SLIDING, FULL, SLIDING, FULL], num_kv_shared_layers=2,
         hidden_size_per_layer_input=8, vocab_size_per_layer_input=32, laurel_rank=4, activation_sparsity_pattern=[0.0] * 4),
    case("gemma4_text", layers=6, head_dim=8, global_head_dim=16, hidden_size_per_layer_input=0, words_=GLOBAL),
    case("gemma4_text", "k_eq_v", layers=6, record_=[5], head_dim=8, global_head_dim=16, hidden_size_per_layer_input=0,
         attention_k_eq_v=True, num_global_key_value_heads=1, words_={**GLOBAL, "num_global_key_value_heads": 1}),
    case("t5_gemma_module", layers=2, **GEMMA, **SOFTCAP, class_="T5GemmaDecoder", dropout_rate=0.0, is_decoder=True,
         cross_attention_hidden_size=16, also_=["encoder_hidden_states"]),
    case("t5gemma2_text", layers=6, **GEMMA, class_="T5Gemma2TextEncoder", dropout_rate=0.0),
    case("diffusion_gemma_text", layers=6, record_=[5], head_dim=8, global_head_dim=16, words_=GLOBAL,
         class_="DiffusionGemmaEncoderTextModel", top_k_experts=1),
    case("gemma4_unified_text", layers=6, record_=[5], head_dim=8, global_head_dim=16, words_=GLOBAL),
    case("recurrent_gemma", layers=3, lru_width=32),
]
OTHERS = [
    case("cohere"), case("cohere", "norm", use_qk_norm=True), case("cohere", "bias", attention_bias=True),
    case("cohere2", layers=4), case("cohere2_moe", layers=4, prefix_dense_intermediate_size=32),
    case("granite", attention_multiplier=0.3), case("granite", "bias", attention_multiplier=0.3, attention_bias=True),
    case("granitemoe", attention_multiplier=0.3), case("granitemoeshared", attention_multiplier=0.3),
    case("granitemoehybrid", layers=2, attention_multiplier=0.3, **MAMBA, layer_types=["mamba", "attention"],
         position_embedding_type="rope"),
    case("granitemoehybrid", "nope", layers=2, attention_multiplier=0.3, **MAMBA, layer_types=["mamba", "attention"],
         position_embedding_type="nope"),
    case("granite_swa", layers=2, attention_multiplier=0.3), case("granitemoe_swa", layers=2, attention_multiplier=0.3),
    case("granite4_vision_text", attention_multiplier=0.3, class_="Granite4VisionTextModel"),
    case("granite_docling_text", attention_multiplier=0.3), case("olmo", clip_qkv=0.6), case("olmo", "no_clip"),
    case("olmo2"), case("olmo3", layers=4), case("olmoe", clip_qkv=0.6), case("olmoe", "no_clip"), case("flex_olmo"),
    case("olmo_hybrid", layers=4, **DELTA), case("molmo2_text"), case("molmo2_text", "olmo", qk_norm_type="olmo"),
    case("exaone4", layers=4), case("exaone4", "full", sliding_window=None, layer_types=[FULL]), case("exaone_moe", layers=4),
    case("hunyuan_v1_dense", head_dim=12), case("hunyuan_v1_moe", head_dim=12), case("hy_v3"),
    case("hunyuan_vl_text", rope_parameters=rope(xdrope_section=[2, 2, 1, 1]), head_dim=12), case("ernie4_5"),
    case("ernie4_5", "bias", use_bias=True), case("ernie4_5_moe"),
    case("ernie4_5_vl_moe_text", class_="Ernie4_5_VLMoeTextModel", moe_intermediate_size=[16, 16],
         rope_parameters=rope(mrope_section=[1, 1, 2])),
    case("minimax"), case("minimax_m2"), case("minimax_m3_vl_text"), case("phi"), case("phi", "norm", qk_layernorm=True),
    case("phi3"), case("phimoe"), case("phimoe", "bias", attention_bias=True), case("falcon", "multi_query"),
    case("falcon", "new_decoder", new_decoder_architecture=True, num_kv_heads=2), case("falcon", "heads", multi_query=False),
    case("falcon", "bias", multi_query=False, bias=True),
    case("falcon", "alibi", alibi=True, multi_query=False, counts_mask_=True, attention_="sdpa"), case("bloom", counts_mask_=True),
    case("mpt", counts_mask_=True),
    case("mpt", "clip", attn_config={"clip_qkv": 0.6, "softmax_scale": 0.3}, counts_mask_=True),
    case("bloom", "six", hidden_size=24, n_head=6, counts_mask_=True),
    case("mpt", "six", d_model=24, n_heads=6, counts_mask_=True),
    case("gpt_neox"), case("gpt_neox", "no_bias", attention_bias=False),
    case("gpt_neox_japanese", layers=2, bias_beside_=True), case("stablelm"), case("stablelm", "norm", qk_layernorm=True),
    case("stablelm", "bias", use_qkv_bias=True), case("persimmon"), case("persimmon", "no_norm", qk_layernorm=False),
    case("nemotron"), case("gptj", rotary_dim=4), case("codegen", rotary_dim=4), case("muse_glimmer_text", layers=4),
    case("muse_spark_text", layers=4), case("step3p5", class_="Step3p7TextModel", layers=2, layer_types=[FULL, SLIDING]),
    case("step3p5", "heads", class_="Step3p7TextModel", layers=2, layer_types=[FULL, SLIDING], record_=[1],
         num_sliding_attention_heads=6, words_={ "attention_other_setting": {"attention_type": SLIDING,
         "num_attention_heads": 6, "num_attention_groups": 2, "head_dim": 12}}),
    case("blt_patcher", class_="BltPatcher"),
    case("dbrx", attn_config={"kv_n_heads": 2, "clip_qkv": 0.6, "rope_theta": 10000.0}, ffn_config={"ffn_hidden_size": 32,
         "hidden_size": 32, "moe_num_experts": 2}, rope_parameters=rope(), drop_=["rope_parameters", "num_key_value_heads"]),
]
HYBRIDS = [
    case("lfm2", layers=2, layer_types=[CONV, FULL]), case("lfm2_moe", layers=2, layer_types=[CONV, FULL]),
    case("lfm3", layers=5), case("bamba", layers=2, attn_layer_indices=[1], **MAMBA),
    case("falcon_h1", key_multiplier=0.6, attention_in_multiplier=0.7, **MAMBA, mamba_d_ssm=64),
    case("zamba2", layers=3, layers_block_type=["mamba", "hybrid", "mamba"], hidden_size=16, mamba_d_state=8, n_mamba_heads=4,
         chunk_size=8),
    case("zamba2", "rope", layers=3, layers_block_type=["mamba", "hybrid", "mamba"], hidden_size=16, mamba_d_state=8,
         n_mamba_heads=4, chunk_size=8, use_mem_rope=True),
    case("jamba", layers=2, attn_layer_period=2, attn_layer_offset=1, expert_layer_offset=0, mamba_d_state=4, mamba_dt_rank=4,
         use_mamba_kernels=False),
    case("nemotron_h", layers=2, layers_block_type=["mamba", "attention"], ssm_state_size=8, mamba_num_heads=4,
         mamba_head_dim=16, n_groups=1, moe_shared_expert_intermediate_size=16),
    case("lara_mini", layers=4, **DELTA), case("mimo_v2_flash", layers=2),
    case("laguna", layers=2, layer_types=[FULL, SLIDING], num_attention_heads_per_layer=[4, 6]),
    case("laguna", "per_element", gating="per-element"), case("mellum", layers=2, layer_types=[FULL, SLIDING]), case("zaya"),
    case("afmoe", layers=4), case("flint", layers=2, layer_types=[FULL, SLIDING]), case("kolibri1", layers=5),
    case("beam", layers=6),
]
ENCODERS = [
    case("modernbert", layers=2, class_="ModernBertForMaskedLM"),
    case("modernbert", "bias", layers=1, class_="ModernBertForMaskedLM", attention_bias=True),
    case("modernbert-decoder", layers=2), case("ultrabert", layers=3), case("eurobert", class_="EuroBertForMaskedLM"),
    case("nomic_bert", class_="NomicBertForMaskedLM"), case("gte"),
    case("jina_embeddings_v3", class_="JinaEmbeddingsV3ForMaskedLM"),
    case("esm", position_embedding_type="rotary", class_="EsmForMaskedLM", parts_=("self", "output.dense")),
    case("esmc", num_key_value_heads=4, head_dim=8),
    case("t5", layers=2, class_="T5EncoderModel", parts_=("SelfAttention", "SelfAttention"), d_kv=12),
    case("t5", "few", class_="T5EncoderModel", parts_=("SelfAttention", "SelfAttention"), d_kv=12,
         relative_attention_num_buckets=8, relative_attention_max_distance=5),
    case("umt5", layers=2, class_="UMT5EncoderModel", record_=[1], parts_=("SelfAttention", "SelfAttention"), d_kv=12),
    case("roformer", class_="RoFormerForMaskedLM", parts_=("self", "output.dense")),
]
# Types that ropewalk knows and that are not here, and why.
SKIPPED = {
    "qwen, baichuan, chatglm, internlm, internlm2": "not in transformers: attention_formulas.py has their formulas",
    "deepseek, kimi_k2, minicpm, xverse, orion, phi-msft, phi3_v, phi4mm, stablelm_epoch, RefinedWebModel,"
    " gpt_refact, jais, new, neobert": "code of the publisher only, not in transformers",
    "deepseek_v4": "keys of many tokens are made one, and the hidden state has several streams",
    "qwen4_exp_text": "several streams and n-gram embeddings around its attention, which is qwen3_next's with an indexer",
    "t5gemma2_decoder": "self-attention and cross-attention are one softmax",
    "muse_glimmer_assistant": "its attention reads a second hidden state",
    "blt_global_transformer, blt_local_encoder, blt_local_decoder": "make no mask themselves; blt_patcher has the same",
    "gemma4_text with shared keys": "its class runs from embeddings only without inputs per layer, and shares only with them",
    "evolla, idefics": "need a protein, an image; their text attention is llama's, of idefics with a norm by a key",
    "composite types (qwen2_vl, gemma3, llava, ...)": "their text type is here, under the names of the text model alone",
    "kyutai_speech_to_text, higgs_audio_v2, dia_decoder, dia_encoder, mimi, moonshine, moonshine_streaming, timesfm2_5, xcodec2,"
    " neucodec, glmasr_encoder, lasr_encoder, pe_audio_encoder, pe_video_encoder, wav2vec2-conformer,"
    " wav2vec2-bert": "speech, not text",
    "vision towers, diffusion models, learned and sinusoidal positions": "no text decoder with rotation or ALiBi",
    "bert, xlm-roberta": "what turns them to ALiBi or rotation is jina's own code, not in transformers",
}
CASES = LLAMA_LIKE + QWEN + DEEPSEEK + GLM + GEMMAS + OTHERS + HYBRIDS + ENCODERS
