# Which sequences have the frequencies that are shown.
phi3() {
  echo "{\"model_type\": \"phi3\", \"hidden_size\": 8, \"num_attention_heads\": 1, \"num_hidden_layers\": 1,
    \"original_max_position_embeddings\": 4096, \"max_position_embeddings\": 131072,
    \"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [1,1,1,1], \"long_factor\": [1,2,4,8]}}" >config.json
}
frequencies() { try ropewalk show "$@" | sed -n '/^Frequencies/,$p'; }
phi3
frequencies config.json
frequencies config.json --seq-len 4096
frequencies config.json --seq-len 4097
frequencies testdata/models/internlm2.5-7b
frequencies testdata/models/internlm2.5-7b --seq-len 65536 | tail -n 8
frequencies testdata/models/llama-3.1-8b --seq-len 200000 | tail -n 8
frequencies llama-3-8b --seq-len 16384
ropewalk show config.json --json | grep -e holds_until -e seq_len -e '"context"'
ropewalk show llama-3-8b --json --seq-len 100 | grep -e holds_until -e seq_len -e '"context"'
