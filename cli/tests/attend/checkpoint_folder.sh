# Weights in files beside an index, as large models have them: the folder or the index is given.
mkdir model
cp data/llama/layer.safetensors model/model-00001-of-00002.safetensors
index() { # what the index says of v_proj, and more
  local name
  {
    echo '{"weight_map": {'
    for name in q_proj k_proj o_proj; do
      echo "\"model.layers.1.self_attn.$name.weight\": \"model-00001-of-00002.safetensors\","
    done
    echo "\"model.layers.1.self_attn.v_proj.weight\": \"$1\"}}"
  } >model/model.safetensors.index.json
}
attend() { try ropewalk attend data/llama --weights "$1" --layer 1 --input data/llama/x.npy --positions data/llama/positions.npy --causal -o y.npy --force; }
index model-00001-of-00002.safetensors
attend model
within 2e-6 y.npy data/llama/y.npy
attend model/model.safetensors.index.json
within 2e-6 y.npy data/llama/y.npy
index model-00002-of-00002.safetensors
attend model
index ../model-00002-of-00002.safetensors
attend model
rm model/model.safetensors.index.json
attend model
left
