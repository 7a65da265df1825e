# Positions that are weights, or none: what encodes them, and what rotate says.
config() { echo "$1"; echo "$1" >config.json; try ropewalk show config.json; }
config '{"model_type": "roberta", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12, "max_position_embeddings": 514, "pad_token_id": 1}'
try ropewalk rotate config.json --q none.npy --k none.npy -o out.safetensors
config '{"model_type": "t5", "d_model": 512, "d_kv": 64, "num_heads": 8, "num_layers": 6}'
config '{"model_type": "deberta-v2", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12, "position_biased_input": false, "max_relative_positions": -1, "position_buckets": 256, "relative_attention": true}'
config '{"model_type": "clip", "text_config": {"model_type": "clip_text_model", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 12}, "vision_config": {"model_type": "clip_vision_model", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12, "image_size": 224, "patch_size": 32}}'
config '{"model_type": "mamba", "hidden_size": 768, "num_hidden_layers": 24}'
try ropewalk rotate config.json --q none.npy --k none.npy -o out.safetensors
