# C23: a checkpoint that keeps other frequencies than its config says: both are told, exit code 1
# (numz/ComfyUI-SeedVR2_VideoUpscaler#610: they were cast to 8 bits with the weights).
config() {
  cat >config.json <<JSON
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 5, "rope_theta": 10000$1}
JSON
}
# keep FILE TYPE BYTES TENSOR...: two numbers of this type in each tensor.
keep() {
  local file=$1 type=$2 bytes=$3 size header='' at=0 data=''
  shift 3
  size=$(printf '%b' "$bytes" | wc -c)
  for name in "$@"; do
    header+="${header:+, }\"$name\": {\"dtype\": \"$type\", \"shape\": [2], \"data_offsets\": [$at, $((at + size))]}"
    at=$((at + size))
    data+=$bytes
  done
  { safetensors "{$header}"; printf '%b' "$data"; } >"$file"
}
differences() { ropewalk show "$1" | grep -E '^(difference|and|note: (stored|\.))'; echo "exit code ${PIPESTATUS[0]}"; }
layer=model.layers.1.self_attn.rotary_emb.inv_freq
config ''
keep model.safetensors F32 '\x00\x00\x80\x3f\x0a\xd7\x23\x3c' $layer model.rotary_emb.inv_freq  # 1, 0.01
differences .
differences config.json
# 0.01 rounded: a note, with what an engine that turns by it is off. With more positions it is more.
keep model.safetensors BF16 '\x80\x3f\x24\x3c' $layer model.rotary_emb.inv_freq
differences .
ropewalk show . --json | sed -n '/stored/,$p'
config ', "max_position_embeddings": 1048576'
differences .
config ''
keep model.safetensors F16 '\x00\x3c\x1f\x21' $layer
differences .
keep model.safetensors F32 '\x00\x00\x80\x3f\x00\x00\x00\x00' $layer model.layers.{0,2,3,4}.self_attn.rotary_emb.inv_freq
differences .
ropewalk show . --json | sed -n '/stored/,$p'
keep model.safetensors F32 '\x00\x00\xc0\x7f\x0a\xd7\x23\x3c' $layer model.layers.7.self_attn.rotary_emb.inv_freq  # NaN
differences .
# Two models: each beside its own checkpoint, so that the folder and itself are alike but for that.
try ropewalk show . .
try ropewalk show . data/llama
try ropewalk show . . --json
# Those of a scaling, or those before it.
config ', "rope_scaling": {"type": "linear", "factor": 2}'
keep model.safetensors F32 '\x00\x00\x80\x3f\x0a\xd7\x23\x3c' $layer
differences .
keep model.safetensors F32 '\x00\x00\x00\x3f\x0a\xd7\xa3\x3b' $layer
differences .
keep model.safetensors F32 '\x00\x00\x80\x3e\x0a\xd7\x23\x3b' $layer
differences .
# Of another head; of a picture's tower; in several files; in one that is spoilt.
sed -i 's/: 4,/: 8,/' config.json
differences .
keep model.safetensors F32 '\x00\x00\x80\x3f\x00\x00\x00\x00' visual.rotary_pos_emb.inv_freq
differences .
mv model.safetensors 1.safetensors
keep 1.safetensors F32 '\x00\x00\x80\x3f\x00\x00\x00\x00' $layer
echo "{\"weight_map\": {\"$layer\": \"1.safetensors\"}}" >model.safetensors.index.json
differences .
rm 1.safetensors
differences .
echo "{\"weight_map\": {\"x\": \"1.safetensors\"}}" >model.safetensors.index.json
differences .
