# What a model adds to its input: a table of sines from its config, or a learned one from its checkpoint.
try ropewalk encode --model testdata/models/whisper-tiny --positions 0..2
try ropewalk encode "我 愛 你" --model data/roberta --weights data/roberta/layer.safetensors
try ropewalk encode --model data/roberta --weights data/roberta/layer.safetensors --positions 6
try ropewalk encode --model data/roberta --positions 0
try ropewalk encode --model llama-3-8b --positions 0
try ropewalk encode --weights data/roberta/layer.safetensors --positions 0
# What is added to a picture's patches says nothing of tokens; a part is asked for by its name.
cat >clip.json <<END
{"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2},
 "vision_config": {"model_type": "clip_vision_model", "hidden_size": 2, "num_attention_heads": 1, "num_hidden_layers": 1, "image_size": 4, "patch_size": 2}}
END
try ropewalk encode --model clip.json --positions 0
try ropewalk encode --model clip.json --part vision --positions 0
try ropewalk encode --model testdata/models/qwen3-vl-8b --part "vision input" --weights data/roberta/layer.safetensors --positions 0
try ropewalk encode --model testdata/models/qwen2-vl-7b --part vision --positions 0
try ropewalk encode --part vision --positions 0
