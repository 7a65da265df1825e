# A head_dim that is not that of the weights: hidden_size 64, 2 heads, q_proj [64, 64], head_dim 8 in the config.
config() {
  cat >config.json <<JSON
{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2$1}
JSON
}
# Tensors [64, 64] of the names given.
weights() {
  local header='' at=0
  for name in "$@"; do
    header+="${header:+, }\"model.layers.$name.weight\": {\"dtype\": \"F32\", \"shape\": [64, 64], \"data_offsets\": [$at, $((at + 16384))]}"
    at=$((at + 16384))
  done
  safetensors "{$header}"
  head -c $at /dev/zero
}
found() { ropewalk show "$1" | grep -E '^(difference|and|note: the)'; echo "exit code ${PIPESTATUS[0]}"; }
weights 0.self_attn.{q,k,v,o}_proj 1.self_attn.q_proj >model.safetensors
config ''
found .
config ', "head_dim": 8'
found .
found config.json
ropewalk show . --json | sed -n '/wrong_shapes/,/]/p'
try ropewalk show . .
# In several files; in one that is missing.
mv model.safetensors 1.safetensors
echo '{"weight_map": {"model.layers.0.self_attn.q_proj.weight": "1.safetensors"}}' >model.safetensors.index.json
found .
rm 1.safetensors
found .
