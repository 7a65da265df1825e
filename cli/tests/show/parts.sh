# The frequencies of a part: its positions are patches, or the text's.
try ropewalk show testdata/models/qwen2-vl-7b --part vision | tail -n 16
try ropewalk show testdata/models/deepseek-v3.2-exp --part indexer | tail -n 28
ropewalk show testdata/models/qwen2-vl-7b --part vision --json | sed -n '/"part_shown"/,/{/p'
try ropewalk show testdata/models/qwen2-vl-7b --part visoin
try ropewalk show llama-3-8b --part vision
try ropewalk show llama-3-8b --part vision --layer 0
try ropewalk show llama-3-8b llama-2-7b --part vision
try ropewalk show testdata/models/whisper-tiny --part "input of encoder" | tail -n 3
# A tower that adds a learned table, beside the rotation or in its place.
try ropewalk show testdata/models/qwen3-vl-8b | grep -E "^  and|^vision|^frames"
cat >llava.json <<END
{"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2},
 "vision_config": {"hidden_size": 1024, "image_size": 336, "patch_size": 14, "num_attention_heads": 16, "num_hidden_layers": 24}}
END
try ropewalk show llava.json | grep -E "^  and|^vision"
try ropewalk show llava.json --part vision | tail -n 3
ropewalk show testdata/models/qwen3-vl-8b --json | sed -n '/"name": "vision input"/,/}/p; /"mrope": {/,/}/p'
