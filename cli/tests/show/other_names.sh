# Names that others use: another model_type, a class that tells a type that is not known, a text in llm_config.
config() { echo "$1"; echo "$1" >config.json; try ropewalk show config.json; }
config '{"model_type": "dots_ocr", "hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2}'
config '{"model_type": "mine", "architectures": ["BertForMaskedLM"], "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 2, "max_position_embeddings": 512}'
config '{"model_type": "internvl_chat", "llm_config": {"model_type": "qwen2", "hidden_size": 896, "num_attention_heads": 14, "num_key_value_heads": 2, "num_hidden_layers": 24, "rope_theta": 1000000.0}, "vision_config": {"model_type": "intern_vit_6b", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24, "image_size": 448, "patch_size": 14}}'
config '{"model_type": "nemotron-nas", "hidden_size": 512, "num_attention_heads": 4, "num_key_value_heads": null, "num_hidden_layers": 2, "block_configs": [{"attention": {"n_heads_in_group": 2}}, {"attention": {"n_heads_in_group": null, "no_op": true}}]}'
config '{"model_type": "minicpmo", "hidden_size": 512}'
