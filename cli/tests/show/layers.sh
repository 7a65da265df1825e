# Kinds of layers, a scaling's bands, the options, and notes about what often goes wrong.
try ropewalk show testdata/models/gemma-3-4b --layer 5
try ropewalk show testdata/models/smollm3-3b
try ropewalk show testdata/models/qwen2.5-7b-yarn
try ropewalk show testdata/models/deepseek-v3.2-exp
try ropewalk show testdata/models/whisper-tiny
try ropewalk show testdata/models/internlm2.5-7b --seq-len 65536
try ropewalk show llama-2-7b --layer 32
try ropewalk show llama-2-7b --seq-len 0
try ropewalk show testdata/models/qwen2-7b --assume llama --layer 1
try ropewalk show testdata/models/llama-2-7b --assume lama
