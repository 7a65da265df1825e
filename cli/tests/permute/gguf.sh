# How the rows of a GGUF lie; nothing is written.
for model in llama-2-7b gemma-2b deepseek-v2-lite chatglm3-6b pythia-1.4b bloom-560m; do
  try ropewalk permute testdata/models/$model/model.gguf
done
try ropewalk permute testdata/models/llama-2-7b/model.gguf --json
try ropewalk permute testdata/models/llama-2-7b/model.gguf --from meta --to hf -o out.safetensors
left
