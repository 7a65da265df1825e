# The frequencies of a part: its positions are patches, or the text's.
try ropewalk show testdata/models/qwen2-vl-7b --part vision | tail -n 16
try ropewalk show testdata/models/deepseek-v3.2-exp --part indexer | tail -n 28
ropewalk show testdata/models/qwen2-vl-7b --part vision --json | sed -n '/"part_shown"/,/{/p'
try ropewalk show testdata/models/qwen2-vl-7b --part visoin
try ropewalk show llama-3-8b --part vision
try ropewalk show llama-3-8b --part vision --layer 0
try ropewalk show llama-3-8b llama-2-7b --part vision
try ropewalk show testdata/models/whisper-tiny --part "input of encoder" | tail -n 3
