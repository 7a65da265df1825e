# Rows of one byte, numbered, so that each is seen where it comes to lie: 2 heads and 1 key head of 8 channels.
echo '{"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "num_hidden_layers": 1}' >config.json
layer=model.layers.0.self_attn
numbers16='\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f'
{
  safetensors "{\"__metadata__\": {\"format\": \"pt\"}, \"$layer.q_proj.weight\": {\"dtype\": \"I8\", \"shape\": [16, 1], \"data_offsets\": [0, 16]},
\"$layer.q_proj.weight_scale\": {\"dtype\": \"F8_E8M0\", \"shape\": [16], \"data_offsets\": [16, 32]}, \"$layer.v_proj.weight\": {\"dtype\": \"I8\", \"shape\": [8, 1], \"data_offsets\": [32, 40]},
\"$layer.k_proj.weight\": {\"dtype\": \"I8\", \"shape\": [8, 1], \"data_offsets\": [40, 48]}}"
  printf "$numbers16$numbers16$numbers16"
} >model.safetensors
data_of() { tail -c 48 "$1" | od -An -v -t u1 -w16; }
try ropewalk permute model.safetensors --from meta --to hf --dry-run
try ropewalk permute model.safetensors --from meta --to hf -o out.safetensors
data_of out.safetensors
cmp <(head -c -48 model.safetensors) <(head -c -48 out.safetensors) && echo "the header is the same"
try ropewalk permute out.safetensors --from half_split --to interleaved -o back.safetensors
cmp model.safetensors back.safetensors && echo "every byte is back"
# By two models: Meta's own code reads pairs, that of Hugging Face halves.
echo '{"dim": 16, "n_heads": 2, "n_kv_heads": 1, "n_layers": 1, "vocab_size": 8, "norm_eps": 1e-5}' >params.json
try ropewalk permute model.safetensors --from params.json --to config.json -o by_models.safetensors
cmp out.safetensors by_models.safetensors && echo "the same file"
try ropewalk permute model.safetensors --from config.json --to params.json --dry-run --json
# A file that is there; the input itself; a folder for a file.
try ropewalk permute model.safetensors --from meta --to hf -o out.safetensors
try ropewalk permute model.safetensors --from meta --to hf -o out.safetensors --force
ln -s model.safetensors link.safetensors
try ropewalk permute model.safetensors --from meta --to hf -o link.safetensors --force
try ropewalk permute model.safetensors --from meta --to hf -o out
try ropewalk permute model.safetensors --from meta --to hf -o none/out.safetensors
# What is not said, or not known.
try ropewalk permute model.safetensors --from meta --to hf
try ropewalk permute model.safetensors --to hf -o o.safetensors
try ropewalk permute model.safetensors --from meta --to interleaved -o o.safetensors
try ropewalk permute model.safetensors --from neox --to hf -o o.safetensors
try ropewalk permute model.safetensors --from llama-3-8b --to hf -o o.safetensors
left
