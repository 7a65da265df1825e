# The vision tower of Qwen2-VL: heads of 80 channels, positions of a patch on two axes. And another scaling.
{ npy '<f4' '(1, 1, 80)'; for _ in {1..20}; do printf "$one_to_four"; done; } >q.npy
{ npy '<i4' '(2, 1, 1)'; printf '\3\0\0\0\5\0\0\0'; } >ids.npy
ropewalk rotate testdata/models/qwen2-vl-7b --part vision --q q.npy --positions ids.npy | cut -c 1-100
try ropewalk rotate testdata/models/qwen2-vl-7b --part audio --q q.npy
try ropewalk rotate testdata/models/qwen2-vl-7b --part vision --layer 0 --q q.npy
try ropewalk rotate --part vision --head-dim 80 --pairing half_split --q q.npy
cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 2}
JSON
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
try ropewalk rotate config.json --q x.npy --positions 2 --with rope_type=linear,factor=2
try ropewalk rotate config.json --q x.npy --positions 1
try ropewalk rotate --with rope_type=linear,factor=2 --head-dim 4 --pairing half_split --q x.npy
