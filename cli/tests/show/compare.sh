# Two models: what the files say, the frequencies, where the pairs are, and how far apart the rotations are.
try ropewalk show llama-2-7b llama-2-7b
try ropewalk show llama-2-7b llama-3-8b
try ropewalk show chatglm3-6b llama-3-8b
try ropewalk show testdata/models/qwen2-7b testdata/models/qwen2.5-7b-yarn
try ropewalk show baichuan-7b baichuan-13b
# Each layer is compared: these two differ in those that see everything, and in no others.
try ropewalk show testdata/models/gemma-3-4b testdata/models/gemma-3-1b
try ropewalk show testdata/models/gemma-3-4b testdata/models/gemma-3-1b --layer 0
try ropewalk show llama-2-7b llama-2-7b --layer 3
ropewalk show llama-3-8b testdata/models/yi-6b --json | sed 's/^ *//' | paste -sd' ' | fold -s -w 120
try ropewalk show baichuan-7b baichuan-13b --layer 35
# A long list by its first difference, a part beside the layers by its name.
longrope() {
  echo "{\"model_type\": \"phi3\", \"hidden_size\": 64, \"num_attention_heads\": 2, \"num_hidden_layers\": 1,
    \"original_max_position_embeddings\": 4096, \"max_position_embeddings\": 8192, \"rope_scaling\": {\"type\": \"longrope\",
    \"short_factor\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,$1], \"long_factor\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]}}" >"$2"
}
longrope 1 a.json
longrope 1.5 b.json
try ropewalk show a.json b.json
try ropewalk show testdata/models/qwen2-vl-7b testdata/models/qwen2.5-vl-7b
