# A batch whose rows have the lengths 4 and 5: each takes its own scaling; with --seq-len both take one, as in transformers.
cat >config.json <<'JSON'
{"model_type": "phi3", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1,
 "max_position_embeddings": 8, "original_max_position_embeddings": 4, "rope_theta": 10000,
 "rope_scaling": {"type": "longrope", "short_factor": [1, 1], "long_factor": [2, 2]}}
JSON
{ npy '<f4' '(2, 1, 1, 4)'; printf '%b' "$one_to_four" "$one_to_four"; } >two.npy
ropewalk positions offsets 3,4 -o ids.npy
try ropewalk rotate config.json --q two.npy --positions ids.npy
try ropewalk rotate config.json --q two.npy --positions ids.npy --seq-len 5
try ropewalk rotate config.json --q two.npy --positions ids.npy --seq-len 0
# attend takes the same, on two rows of two tokens: the first row's scores are others when it has the length 6 too.
{ npy '<f4' '(2, 2, 1, 4)'; for _ in {1..4}; do printf "$one_to_four"; done; } >four.npy
ropewalk positions offsets 2,4 --seq 2 -o ids.npy --force
for option in "" "--seq-len 6" "--seq-len 4"; do
  ropewalk attend config.json --q four.npy --k four.npy --positions ids.npy --scores s.npy --force $option
  numbers s.npy | rounded | tr -s ' \n' ' '; echo
done
{ npy '<f4' '(1, 1, 32, 128)'; head -c 16384 /dev/zero; } >zero.npy
try ropewalk rotate llama-3-8b --q zero.npy --seq-len 9 -o out.npy
