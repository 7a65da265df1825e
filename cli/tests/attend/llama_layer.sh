# A whole LlamaAttention of transformers, grouped-query and causal; y.npy is its float64 result.
ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy \
  --positions data/llama/positions.npy --causal -o y.npy
header_of y.npy
within 2e-6 y.npy data/llama/y.npy
left
