# The tensor that is missing or of another shape is named; nothing is written.
attend() { try ropewalk attend "$@" --input data/llama/x.npy -o y.npy; }
attend data/llama --weights data/llama/layer.safetensors
attend data/llama --weights data/llama/layer.safetensors --layer 2
attend data/llama --weights data/llama/layer.safetensors --layer x
attend data/llama --weights data/chatglm3/layer.safetensors --layer 1
attend data/chatglm3 --weights data/chatglm3/layer.safetensors
attend data/llama --weights missing.safetensors --layer 1
attend data/llama --weights data/llama/x.npy --layer 1
head -c 20000 data/llama/layer.safetensors >cut.safetensors
attend data/llama --weights cut.safetensors --layer 1
sed 's/"num_key_value_heads": 2/"num_key_value_heads": 4/' data/llama/config.json >other.json
attend other.json --weights data/llama/layer.safetensors --layer 1
attend data/llama --weights data/llama/layer.safetensors --layer 1 --positions 0..8
attend data/llama --weights data/llama/layer.safetensors --layer 1 --layout thd
attend data/llama --weights data/llama/layer.safetensors --layer 1 --token-ids data/chatglm-6b/tokens.npy
attend data/llama --weights data/llama/layer.safetensors --layer 1 --key-mask data/llama/x.npy
try ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/chatglm3/x.npy -o y.npy
try ropewalk attend data/chatglm-6b --weights data/chatglm-6b/layer.safetensors --input data/chatglm-6b/x.npy -o y.npy
{ npy '<f4' '(64,)'; head -c 256 /dev/zero; } >vector.npy
try ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input vector.npy -o y.npy
left
