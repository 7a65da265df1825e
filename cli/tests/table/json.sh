cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 2}
JSON
ropewalk table config.json --positions 1,2 --angles hf_float32 --json
ropewalk table config.json --positions 1 --form complex --json | tail -n 16
ropewalk table config.json --inv-freq --json | tail -n 12
