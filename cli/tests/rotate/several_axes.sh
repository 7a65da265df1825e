# FLUX: three ids of a token, each with channels of its own. The second token has 1 on the first axis, the third has 1 on
# the last, whose two pairs turn by 1 and 0.01.
cat >config.json <<'JSON'
{"_class_name": "FluxTransformer2DModel", "num_attention_heads": 1, "attention_head_dim": 8, "num_layers": 1,
 "axes_dims_rope": [2, 2, 4]}
JSON
{ npy '<f4' '(3, 1, 8)'; for _ in {1..6}; do printf "$one_to_four"; done; } >x.npy
{
  npy '<i4' '(3, 1, 3)'
  printf '\0\0\0\0\1\0\0\0\0\0\0\0'
  printf '\0\0\0\0\0\0\0\0\0\0\0\0'
  printf '\0\0\0\0\0\0\0\0\1\0\0\0'
} >ids.npy
ropewalk rotate config.json --q x.npy --positions ids.npy
try ropewalk rotate config.json --q x.npy
try ropewalk rotate config.json --q x.npy --positions 0..2
ropewalk show config.json
