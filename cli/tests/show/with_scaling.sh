# What a scaling would do to a model, and the block for its config.json.
try ropewalk show llama-3-8b --with rope_type=yarn,factor=4
# Llama 3.1 keeps the length that it was first trained for, and what is not said again.
try ropewalk show testdata/models/llama-3.1-8b --with factor=16 | tail -n 22
try ropewalk show testdata/models/gemma-3-4b --with rope_type=linear,factor=16 --layer 5 | grep -v '^  *[0-9]'
# The block of a part of the file, and of a list.
try ropewalk show testdata/models/qwen2-vl-7b --with '{"rope_type": "yarn", "factor": 2}' | tail -n 18
cat >config.json <<'JSON'
{"model_type": "phi3", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1, "max_position_embeddings": 8}
JSON
try ropewalk show config.json --with 'rope_type=longrope,short_factor=[1,1],long_factor=[1,4],factor=2' | tail -n 28
try ropewalk show config.json --with rope_type=linear,factor=2 --json | sed -n '/"with"/,$p'
# Against the model as it is.
try ropewalk show llama-3-8b llama-3-8b --with rope_type=linear,factor=4
try ropewalk show llama-3-8b llama-3-8b --with rope_type=default
# A wrong block is an error, as in a config.
with() { try ropewalk show llama-3-8b --with "$1"; }
with rope_type=linear
with rope_type=yarn,factor=-4
with rope_type=yarn,factor=4x
with rope_type=yarn,factor=0.5
with rope_type=yarn,factor=4,beta_fats=1
with rope_type=yran,factor=4
with factor=4
with factor
with rope_type=yarn,factor=4,factor=5
with '{"rope_type": "yarn"'
with '{}'
with rope_type=5
with "$(printf '\xff=1')" | tail -n 2
with rope_type=longrope,short_factor=[1],long_factor=[1]
with rope_type=yarn,factor=4,beta_fast=1,beta_slow=32
try ropewalk show chatglm-6b --with rope_type=yarn,factor=4
try ropewalk show testdata/models/llama-3-8b/model.gguf --with rope_type=yarn,factor=4
try ropewalk show testdata/models/llama-3-8b/params.json --with rope_type=yarn,factor=4
try ropewalk show nothing.json --with rope_type=yarn,factor=4
