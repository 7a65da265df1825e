# K31: nothing depends on a deep stack.
ulimit -s 256
ropewalk show llama-3-8b | first 1
ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy \
  --positions data/llama/positions.npy --causal -o y.npy
within 2e-6 y.npy data/llama/y.npy
head -c 100000 /dev/zero | tr '\0' '[' >deep.json
ropewalk show deep.json
