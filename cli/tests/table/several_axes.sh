# A text has the same position on each axis of M-RoPE; a picture has its own, from a file. FLUX and ChatGLM-6B know no texts.
cat >config.json <<'JSON'
{"model_type": "qwen2_vl_text", "hidden_size": 8, "num_attention_heads": 1, "num_key_value_heads": 1,
 "num_hidden_layers": 1, "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}}
JSON
try ropewalk table config.json --positions 3,4
{ npy '<i4' '(3, 1, 2)'; printf '\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0'; } >ids.npy
try ropewalk table config.json --positions ids.npy
{ npy '<i4' '(2, 1, 1)'; printf '\0\0\0\0\1\0\0\0'; } >two.npy
try ropewalk table config.json --positions two.npy
try ropewalk table chatglm-6b --positions 0..3
try ropewalk table chatglm-6b --positions two.npy --form doubled
cat >flux.json <<'JSON'
{"_class_name": "FluxTransformer2DModel", "num_attention_heads": 1, "attention_head_dim": 8, "num_layers": 1,
 "axes_dims_rope": [2, 2, 4]}
JSON
try ropewalk table flux.json --positions 0..2
try ropewalk table flux.json --positions ids.npy --form interleaved
try ropewalk table flux.json --inv-freq --json | tail -n 24
try ropewalk table config.json --positions ids.npy --angles ggml_float32
