# DeepSeek-V3 reads its pairs interleaved and writes them half-split; undoing it gives back what was read.
cat >config.json <<'JSON'
{"model_type": "deepseek_v3", "hidden_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1, "q_lora_rank": 4,
 "kv_lora_rank": 4, "qk_nope_head_dim": 2, "qk_rope_head_dim": 4, "v_head_dim": 4, "rope_theta": 10000}
JSON
{ npy '<f4' '(1, 1, 6)'; printf '%b' '\x00\x00\xa0\x40\x00\x00\xc0\x40' "$one_to_four"; } >q.npy
ropewalk rotate config.json --q q.npy --positions 1
ropewalk rotate config.json --q q.npy --positions 1 -o turned.npy
ropewalk rotate config.json --q turned.npy --positions 1 --inverse
