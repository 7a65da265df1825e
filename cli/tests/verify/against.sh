# Two checkpoints of one model, one of them with its rows moved; 4 heads and 2 key heads of 8 channels.
config() { echo "{\"model_type\": \"$1\", \"hidden_size\": 1, \"head_dim\": 8, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"num_hidden_layers\": 1$2}"; }
# Small numbers of bf16 in rows that differ: 3f80, 3f81, ... in bytes that count up.
layer=model.layers.0.self_attn
numbers() { # rows: one number of bf16 each
  local i
  for ((i = 0; i < $1; ++i)); do printf '%b' "\\x$(printf %02x $((i * 7 % 128)))\\x$(printf %02x $((0x3f + i % 2)))"; done
}
mkdir a
config llama >a/config.json
{
  safetensors "{\"$layer.q_proj.weight\": {\"dtype\": \"BF16\", \"shape\": [32, 1], \"data_offsets\": [0, 64]}, \"$layer.k_proj.weight\": {\"dtype\": \"BF16\", \"shape\": [16, 1], \"data_offsets\": [64, 96]}}"
  numbers 32
  numbers 16
} >a/model.safetensors
ropewalk permute a --from hf --to meta -o b >moved 2>&1
echo "-- with itself; with a copy whose rows were moved, which its config does not say"
try ropewalk verify a --against a
try ropewalk verify a --against b
try ropewalk verify b --against a --json
echo "-- a conversion to Meta's code, which reads pairs"
mkdir meta
echo '{"dim": 32, "n_heads": 4, "n_kv_heads": 2, "n_layers": 1, "vocab_size": 8, "norm_eps": 1e-5}' >meta/params.json
cp b/model.safetensors meta
try ropewalk verify a --against meta
cp a/model.safetensors meta
try ropewalk verify a --against meta
echo "-- k by the heads of q (ggml-org/llama.cpp#3364): 4 heads of 4 channels in the place of 2 of 8"
mkdir wrong
config llama >wrong/config.json
{
  head -c -96 a/model.safetensors
  tail -c 96 b/model.safetensors | head -c 64
  tail -c 32 a/model.safetensors | od -An -v -t x2 -w2 | awk '
    { row[NR - 1] = $1 }
    END { for (h = 0; h < 4; ++h) for (i = 0; i < 2; ++i) for (j = 0; j < 2; ++j) print row[h * 4 + j * 2 + i] }' |
    while read -r word; do printf '%b' "\\x${word:2:2}\\x${word:0:2}"; done
} >wrong/model.safetensors
try ropewalk verify a --against wrong --against-model meta/params.json
echo "-- other numbers; another config; what cannot be read"
mkdir other
config llama ', "rope_theta": 500000' >other/config.json
head -c -96 a/model.safetensors >other/model.safetensors
{ numbers 16; numbers 32 | tac -r -s ..; } | head -c 96 >>other/model.safetensors
try ropewalk verify a --against other
head -c 50 a/model.safetensors >other/model.safetensors
try ropewalk verify a --against other
rm other/config.json
try ropewalk verify a --against other
