# A folder whose checkpoint keeps other frequencies, or other heads, than its config says: the config counts, with a
# word. ESM and others load the stored tensor.
cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 2, "rope_theta": 10000}
JSON
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >q.npy
# Two numbers of a tensor for each layer: 1 and 0.02, where the config gives 0.01.
entry() { echo "\"model.layers.$1.self_attn.rotary_emb.inv_freq\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [$2, $(($2 + 8))]}"; }
{
  safetensors "{$(entry 0 0), $(entry 1 8)}"
  for _ in 0 1; do printf '\x00\x00\x80\x3f\x0a\xd7\xa3\x3c'; done
} >model.safetensors
try ropewalk rotate . --q q.npy --positions 7
try ropewalk rotate config.json --q q.npy --positions 7
try ropewalk attend . --q q.npy --k q.npy --scores s.npy
numbers s.npy
# Heads of 4 channels in the config, of 8 in the weights.
{
  safetensors '{"model.layers.0.self_attn.q_proj.weight": {"dtype": "F32", "shape": [8, 4], "data_offsets": [0, 128]}}'
  head -c 128 /dev/zero
} >model.safetensors
try ropewalk rotate . --q q.npy --positions 7
# Rounded to bf16 they are what the config says, as near as they can be.
{
  safetensors '{"rotary_emb.inv_freq": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}'
  printf '\x80\x3f\x24\x3c'
} >model.safetensors
try ropewalk rotate . --q q.npy --positions 7
