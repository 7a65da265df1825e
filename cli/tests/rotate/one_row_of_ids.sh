# transformers' position_ids are [1, S] for a batch, and its text has one list for all axes of M-RoPE.
{ npy '<f4' '(2, 2, 1, 4)'; printf "$one_to_four$one_to_four$one_to_four$one_to_four"; } >x.npy
{ npy '<i8' '(1, 2)'; printf '\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'; } >ids.npy
try ropewalk rotate --head-dim 4 --pairing half_split --q x.npy --positions ids.npy
cat >config.json <<'JSON'
{"model_type": "qwen2_vl", "vocab_size": 8, "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 2,
 "num_hidden_layers": 1, "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 0]}}
JSON
{ npy '<f4' '(1, 2, 2, 4)'; printf "$one_to_four$one_to_four$one_to_four$one_to_four"; } >x.npy
{ npy '<i4' '(3, 1, 2)'; printf '\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0'; } >planes.npy
try ropewalk rotate config.json --q x.npy --positions 0..2
ropewalk rotate config.json --q x.npy --positions 0..2 -o list.npy
ropewalk rotate config.json --q x.npy --positions planes.npy -o planes_out.npy
ropewalk rotate config.json --q x.npy --positions ids.npy -o row.npy
cmp list.npy planes_out.npy && cmp list.npy row.npy && echo "the same bytes"
try ropewalk rotate config.json --q x.npy
try ropewalk attend config.json --q x.npy --k x.npy --scores s.npy
# Rows and columns of a picture, and ChatGLM's block positions, are other things.
echo '{"model_type": "pixtral", "hidden_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1}' >tower.json
{ npy '<f4' '(1, 2, 1, 8)'; printf "$one_to_four$one_to_four$one_to_four$one_to_four"; } >patch.npy
try ropewalk rotate tower.json --q patch.npy --positions 0..2
try ropewalk rotate chatglm-6b --q patch.npy --positions 0..2
