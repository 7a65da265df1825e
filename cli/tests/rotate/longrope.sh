# A prompt longer than the trained length takes the long factors for all of its tokens, though its first is at 0
# (ggml-org/llama.cpp#6849): 4 tokens turn as with frequencies [1, 0.01], 5 as with half of them, times
# sqrt(1 + ln 2 / ln 4) = 1.2247449 in both.
cat >config.json <<'JSON'
{"model_type": "phi3", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1,
 "max_position_embeddings": 8, "original_max_position_embeddings": 4, "rope_theta": 10000,
 "rope_scaling": {"type": "longrope", "short_factor": [1, 1], "long_factor": [2, 2]}}
JSON
prompt() { npy '<f4' "(1, $1, 1, 4)"; for ((i = 0; i < $1; i++)); do printf '%b' "$one_to_four"; done; }
prompt 4 >four.npy
prompt 5 >five.npy
ropewalk rotate config.json --q four.npy
ropewalk rotate config.json --q five.npy
# Two sequences of a batch: each turns as it does alone, whatever the other's length (QwenLM/Qwen#401).
{ npy '<f4' '(2, 1, 1, 4)'; printf '%b' "$one_to_four" "$one_to_four"; } >two.npy
ropewalk positions offsets 3,4 -o ids.npy
ropewalk rotate config.json --q two.npy --positions ids.npy
