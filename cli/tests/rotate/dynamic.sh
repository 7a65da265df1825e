# The scaling depends on the largest position: 8 tokens of a model for 4 turn as with base 10000 x (2 x 8/4 - 1)^2.
cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1,
 "max_position_embeddings": 4, "rope_theta": 10000, "rope_scaling": {"rope_type": "dynamic", "factor": 2}}
JSON
{ npy '<f4' '(1, 1, 4)'; printf '%b' "$one_to_four"; } >q.npy
ropewalk rotate config.json --q q.npy --positions 7
ropewalk rotate --head-dim 4 --pairing half_split --base 90000 --q q.npy --positions 7
ropewalk rotate config.json --q q.npy --positions 1
ropewalk rotate --head-dim 4 --pairing half_split --q q.npy --positions 1
