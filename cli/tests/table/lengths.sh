# LongRoPE and dynamic take the length of the sequence: 1 + the largest position, or what is given.
cat >config.json <<'JSON'
{"model_type": "phi3", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1,
 "max_position_embeddings": 8, "original_max_position_embeddings": 4, "rope_theta": 10000,
 "rope_scaling": {"type": "longrope", "short_factor": [1, 1], "long_factor": [2, 2]}}
JSON
try ropewalk table config.json --positions 3
try ropewalk table config.json --positions 4
try ropewalk table config.json --positions 3 --seq-len 5
try ropewalk table config.json --inv-freq
try ropewalk table config.json --inv-freq --seq-len 5
# A length that changes nothing gets a word.
try ropewalk table llama-3-8b --positions 0 --seq-len 9000 | tail -n 4
