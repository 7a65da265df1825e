# C10 to C22: keys that cannot be, by their JSON pointer.
start='"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 2'
config() { echo "$1"; echo "$1" >config.json; try ropewalk show config.json; }
config '{}'
config '{"hidden_size": 64, "num_attention_heads": 8, "rope_theta": 10000}'
config '{"model_type": "lama"}'
config '{"model_type": "bert", "position_embedding_type": "absolute"}'
config '{"model_type": "qwen2_vl", "text_config": {"model_type": "llama"}}'
config '{"model_type": 7}'
for theta in 0 -1 NaN Infinity 1e999 '"10000"' true '[]'; do config "{$start, \"rope_theta\": $theta}"; done
config "{$start, \"attention_dropout\": NaN, \"rope_theta\": null, \"max_position_embeddings\": 1e3}" | first 12
config '{"model_type": "llama", "hidden_size": 65, "num_attention_heads": 8, "num_hidden_layers": 2}'
config '{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 0, "num_hidden_layers": 2}'
config '{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8}'
config '{"model_type": "llama", "num_attention_heads": 8, "num_hidden_layers": 2}'
config "{$start, \"num_key_value_heads\": 3}"
config "{$start, \"head_dim\": 7}"
config "{$start, \"head_dim\": 1099511627776}"
config "{$start, \"max_position_embeddings\": -1}"
config '{"model_type": "baichuan", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 2}'
config '{"model_type": "chatglm", "hidden_size": 64, "num_attention_heads": 8, "num_layers": 2}'
config '{"model_type": "chatglm", "hidden_size": 64, "num_attention_heads": 8, "num_layers": 2, "kv_channels": 8, "rope_ratio": 0}'
