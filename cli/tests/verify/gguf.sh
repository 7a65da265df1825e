# A GGUF beside the config: its keys. (testdata has no weights in them.)
for model in llama-3.1-8b gemma-2b deepseek-v3 chatglm3-6b pythia-1.4b; do
  mkdir "$model"
  cp testdata/models/$model/config.json testdata/models/$model/model.gguf "$model"
  try ropewalk verify "$model"
done
cp testdata/models/llama-3-8b/model.gguf llama-3.1-8b/other.gguf
head -c 100 testdata/models/llama-3-8b/model.gguf >gemma-2b/short.gguf
try ropewalk verify llama-3.1-8b
try ropewalk verify gemma-2b
