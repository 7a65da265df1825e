# Fused projections with a bias, q k v after one another, and those of each head after one another; y.npy is what
# NumPy made of them in float64.
ropewalk attend data/chatglm3 --weights data/chatglm3/layer.safetensors --input data/chatglm3/x.npy --causal -o y.npy
header_of y.npy
within 2e-6 y.npy data/chatglm3/y.npy
ropewalk attend data/chatglm-6b --weights data/chatglm-6b/layer.safetensors --input data/chatglm-6b/x.npy \
  --full --token-ids data/chatglm-6b/tokens.npy -o y.npy --force
header_of y.npy
within 2e-6 y.npy data/chatglm-6b/y.npy
