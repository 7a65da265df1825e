# What show says of a layer, attend does. One head, 4 channels, 5 tokens, q = k = 0: the scores tell which keys are seen.
sizes='"hidden_size": 4, "head_dim": 4, "num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 2'
config() { echo "{\"model_type\": \"$1\", $sizes$2}" >"$1.json"; }
{ npy '<f4' '(5, 1, 4)'; head -c 80 /dev/zero; } >zero.npy
attend() { try ropewalk attend "$@" --force; }

config mistral ', "sliding_window": 2'
ropewalk show mistral.json | grep 'layers 0..1'
attend mistral.json --q zero.npy --k zero.npy --scores s.npy
numbers s.npy | paste -sd' ' | fold -s -w 80 | head -n 5

# A softmax scale that the file states: q.k = 4 x 1 x 1.
{ npy '<f4' '(1, 1, 4)'; for _ in 1 2 3 4; do printf '\0\0\200\77'; done; } >ones.npy
config granite ', "attention_multiplier": 0.015625'
attend granite.json --q ones.npy --k ones.npy --scores s.npy
numbers s.npy | rounded
# A norm has learned numbers, which q and k as projected do not bring along.
config qwen3 ''
attend qwen3.json --q ones.npy --k ones.npy --scores s.npy
attend qwen3.json --q ones.npy --k ones.npy --q-norm ones.npy --k-norm ones.npy --scores s.npy
numbers s.npy | rounded
attend qwen3.json --q ones.npy --k ones.npy --normed --scores s.npy
numbers s.npy | rounded
attend mistral.json --q ones.npy --k ones.npy --normed --scores s.npy
# OLMo cuts q, k and v to +-clip_qkv: q.k = 4 x 0.5 x 0.5, times 4^-0.5; and v is cut too.
config olmo ', "clip_qkv": 0.5'
attend olmo.json --q ones.npy --k ones.npy --v ones.npy --scores s.npy -o y.npy
numbers s.npy | rounded
numbers y.npy | rounded
# A sink joins the softmax: with the score 0 of the only key and the logit 1, v is multiplied by 1 / (1 + e).
config gpt_oss ''
attend gpt_oss.json --q zero.npy --k zero.npy --v zero.npy -o y.npy
{ npy '<f4' '(1,)'; printf '\0\0\200\77'; } >sink.npy
{ npy '<f4' '(1, 1, 4)'; head -c 16 /dev/zero; } >one_zero.npy
attend gpt_oss.json --q one_zero.npy --k one_zero.npy --v ones.npy --sinks sink.npy -o y.npy
numbers y.npy | rounded
# What is not computed is refused by name.
config diffllama ''
attend diffllama.json --q ones.npy --k ones.npy --scores s.npy
config mimi ''
attend mimi.json --q ones.npy --k ones.npy --scores s.npy
# A mask that is not the model's own is used, with a word.
attend mistral.json --q ones.npy --k ones.npy --full --scores s.npy
attend mistral.json --q ones.npy --k ones.npy --full --causal --scores s.npy
# A checkpoint that has more than the model's code uses is another model's: the norms of a Qwen 3 in the layer of a LLaMA.
echo '{"model_type": "llama", "hidden_size": 16, "head_dim": 12, "num_attention_heads": 4, "num_key_value_heads": 2,
  "num_hidden_layers": 1}' >llama.json
{ npy '<f4' '(2, 16)'; head -c 128 /dev/zero; } >x.npy
attend llama.json --weights testdata/reference/attention/qwen3.safetensors --input x.npy -o y.npy
attend llama.json --weights testdata/reference/attention/llama.safetensors --input x.npy -o y.npy

# Another scaling than the file's: YaRN multiplies cos and sin of q and k by 1.1386, the score at distance 0 by its square.
echo "{\"model_type\": \"llama\", $sizes, \"max_position_embeddings\": 64}" >llama.json
attend llama.json --q ones.npy --k ones.npy --scores s.npy
numbers s.npy
attend llama.json --with rope_type=yarn,factor=4 --q ones.npy --k ones.npy --scores s.npy
numbers s.npy
attend llama.json --with factor --q ones.npy --k ones.npy --scores s.npy
