# A folder as it should be, and what may be wrong in it: 2 heads and 1 key head of 8 channels, 2 layers.
config() {
  echo "{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2, \"num_key_value_heads\": 1, \"num_hidden_layers\": 2, \"max_position_embeddings\": 4096$1}" >config.json
}
# write FILE DATA NAME:SHAPE...: float32 tensors of zeros, after them one of these bytes.
write() {
  local file=$1 data=$2 header='' at=0 name shape bytes
  shift 2
  for each in "$@"; do
    name=${each%%:*} shape=${each#*:}
    bytes=$((4 * ${shape//,/*}))
    header+="${header:+, }\"model.layers.$name\": {\"dtype\": \"F32\", \"shape\": [$shape], \"data_offsets\": [$at, $((at + bytes))]}"
    at=$((at + bytes))
  done
  local size
  size=$(printf '%b' "$data" | wc -c)
  [[ -z $data ]] || header+=", \"model.rotary_emb.inv_freq\": {\"dtype\": \"BF16\", \"shape\": [4], \"data_offsets\": [$at, $((at + size))]}"
  { safetensors "{$header}"; head -c $at /dev/zero; printf '%b' "$data"; } >"$file"
}
layer() { echo $1.self_attn.q_proj.weight:16,16 $1.self_attn.k_proj.weight:8,16 $1.self_attn.v_proj.weight:8,16 $1.self_attn.o_proj.weight:16,16; }
config ''
write model.safetensors '' $(layer 0) $(layer 1)
try ropewalk verify .
try ropewalk verify model.safetensors
try ropewalk verify . --json
try ropewalk verify llama-3-8b
echo "-- frequencies in bf16: 1, 0.1, 0.01, 0.001; then the last of them wrong"
write model.safetensors '\x80\x3f\xcd\x3d\x24\x3c\x83\x3a' $(layer 0) $(layer 1)
try ropewalk verify .
try ropewalk verify . --strict
write model.safetensors '\x80\x3f\xcd\x3d\x24\x3c\x00\x00' $(layer 0) $(layer 1)
try ropewalk verify . --json
echo "-- other heads than the config says; a layer that is missing; one that is not counted"
config ', "head_dim": 4'
write model.safetensors '' $(layer 0) $(layer 1)
try ropewalk verify .
config ''
write model.safetensors '' $(layer 0)
try ropewalk verify .
write model.safetensors '' $(layer 0) $(layer 1) $(layer 2)
try ropewalk verify .
echo "-- several files: one is missing, one is cut short, one holds what the index does not know"
rm model.safetensors
write 1.safetensors '' $(layer 0)
write 2.safetensors '' $(layer 1)
index() { # of the tensors of layer 0 in 1.safetensors, of layer 1 in 2.safetensors
  local map='' n name
  for n in 0 1; do
    for name in q k v o; do map+="${map:+, }\"model.layers.$n.self_attn.${name}_proj.weight\": \"$((n + 1)).safetensors\""; done
  done
  echo "{\"weight_map\": {$map}}" >model.safetensors.index.json
}
index
try ropewalk verify .
head -c -1 2.safetensors >short && mv short 2.safetensors
try ropewalk verify .
write 2.safetensors '' $(layer 1) 1.self_attn.q_proj.bias:16
try ropewalk verify .
rm 2.safetensors
try ropewalk verify .
try ropewalk verify . --json
echo "-- no weights; no config; not there"
rm -- *.safetensors *.index.json
try ropewalk verify .
rm config.json
try ropewalk verify .
try ropewalk verify none
