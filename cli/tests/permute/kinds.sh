# LoRA, names of Meta, fused projections, latent heads, quantized rows; what is refused.
# file NAME=TYPE:SHAPE ...: tensors of zeros behind model.layers.0.self_attn.
file() {
  local header='' at=0 each name type shape size bytes
  for each in "$@"; do
    name=${each%%=*} type=${each#*=} shape=${each##*:}
    type=${type%:*}
    case $type in *32) size=4 ;; *16) size=2 ;; *) size=1 ;; esac
    bytes=$((${shape//,/*} * size))
    header+="${header:+, }\"$prefix$name\": {\"dtype\": \"$type\", \"shape\": [$shape], \"data_offsets\": [$at, $((at + bytes))]}"
    at=$((at + bytes))
  done
  safetensors "{$header}"
  head -c $at /dev/zero
}
config() { echo "{\"model_type\": \"$1\", \"hidden_size\": 32, \"num_attention_heads\": 4, \"num_key_value_heads\": ${3-2}, \"num_hidden_layers\": 1$2}" >config.json; }
# What each tensor is and what becomes of it, or the error.
shown() { ropewalk permute "${1-model.safetensors}" --from meta --to hf --dry-run "${@:2}" 2>&1 | grep -E '^(ropewalk|[a-z_]*model|layers|gpt_neox)'; }
prefix=model.layers.0.self_attn.
config llama
plain='q_proj.weight=BF16:32,32 k_proj.weight=BF16:16,32 v_proj.weight=BF16:16,32'
echo "-- biases, norms of a head"
config qwen3 ', "head_dim": 8'
file $plain q_proj.bias=BF16:32 q_norm.weight=BF16:8 k_norm.weight=BF16:8 >model.safetensors
shown
echo "-- LoRA and its kin, the config of the base elsewhere"
mkdir base lora
config llama
mv config.json base
prefix=base_model.model.$prefix
file q_proj.lora_A.weight=F32:4,32 q_proj.lora_B.weight=F32:32,4 k_proj.lora_A.weight=F32:4,32 k_proj.lora_B.weight=F32:16,4 \
  q_proj.lora_magnitude_vector=F32:32 v_proj.lora_B.weight=F32:16,4 >lora/adapter_model.safetensors
echo '{}' >lora/adapter_config.json
shown lora --model base
shown lora
prefix=model.layers.0.self_attn.
echo "-- Meta's names"
config llama
prefix=layers.0.attention. file wq.weight=BF16:32,32 wk.weight=BF16:16,32 wv.weight=BF16:16,32 >model.safetensors
shown
echo "-- fused: q, k, v; of each head; half of each head turns"
config phi3 ', "pad_token_id": 0'
file qkv_proj.weight=BF16:64,32 >model.safetensors
shown
config gpt_neox ', "rotary_pct": 0.5' 4
prefix=gpt_neox.layers.0.attention. file query_key_value.weight=BF16:96,32 query_key_value.bias=BF16:96 >model.safetensors
shown
echo "-- latent heads: what turns of q_b_proj and kv_a_proj_with_mqa"
config deepseek_v3 ', "q_lora_rank": 20, "kv_lora_rank": 12, "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "v_head_dim": 6' 4
file q_a_proj.weight=BF16:20,32 q_b_proj.weight=BF16:48,20 kv_a_proj_with_mqa.weight=BF16:16,32 kv_b_proj.weight=BF16:56,12 >model.safetensors
shown
echo "-- quantized rows: a scale each, for all, for blocks; packed"
config llama
file $plain q_proj.weight_scale=F32:32,1 k_proj.weight_scale=F32:1 k_proj.input_scale=F32:1 >model.safetensors
shown
file $plain q_proj.weight_scale_inv=F32:2,1 >model.safetensors
shown
file $plain q_proj.weight_scale_inv=F32:8,1 >model.safetensors
shown
file q_proj.qweight=I32:4,32 q_proj.qzeros=I32:1,4 q_proj.scales=F16:1,32 q_proj.g_idx=I32:32 >model.safetensors
shown
file q_proj.weight=U8:512,1 k_proj.weight=U8:256,1 >model.safetensors
shown
echo "-- a name that is not known; a tensor that is missing; other heads; no rotation; a broken file"
file $plain q_proj.lokr_w1=F32:4,4 >model.safetensors
shown
file q_proj.weight=BF16:32,32 >model.safetensors
shown
file $plain >model.safetensors
config llama '' 4
shown
config gpt2
shown
config cohere
file $plain >model.safetensors
shown
ropewalk permute model.safetensors --from hf --to meta --dry-run 2>&1 | grep warning
head -c 100 model.safetensors >short.safetensors
shown short.safetensors
printf 'PK\x03\x04 and more' >zip.safetensors
shown zip.safetensors
