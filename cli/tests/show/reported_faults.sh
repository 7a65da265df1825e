# What was reported of other programs' readers, and what is said of such a file here.
config() { echo "$1"; echo "$1" >config.json; }
start='"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4, "num_hidden_layers": 2'
facts() { grep -E '^(rope_|factor|original|note|  positions|  cos)'; }
# The base stands nowhere: the loss grows with the length, and nothing else tells (Open-Athena/MarinFold#184).
config "{$start, \"max_position_embeddings\": 32768}"
ropewalk show config.json | facts
# The factor of the file counts, whatever the lengths say (huggingface/transformers#38224).
config "{$start, \"rope_theta\": 1e6, \"max_position_embeddings\": 40960, \"rope_scaling\":
  {\"rope_type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 32768}}"
ropewalk show config.json | facts
# Factor 4 here is the scale 0.25 elsewhere (ggml-org/llama.cpp#2772).
config "{$start, \"rope_theta\": 1e5, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 4.0}}"
ropewalk show config.json | facts
config "{$start, \"rope_theta\": 1e5, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 0.25}}"
try ropewalk show config.json
# What cannot be computed is the file's fault: exit code 3, with file and key.
config "{$start, \"rope_theta\": 1e5, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4, \"beta_fast\": 1, \"beta_slow\": 32}}"
try ropewalk show config.json
config "{$start, \"rope_theta\": 1e5, \"rope_scaling\": {\"type\": \"su\", \"short_factor\": [1, 1], \"long_factor\": [2, 2]}}"
try ropewalk show config.json
# Without its original length YaRN takes the context for it, and says so.
config "{$start, \"rope_theta\": 1e6, \"max_position_embeddings\": 32768, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4}}"
ropewalk show config.json | facts
# One layer of four does not rotate (timtoole02/Camelid#535).
ropewalk show testdata/models/smollm3-3b | first 3
# The same in a GGUF: the key of the base is spoilt (ollama/ollama#2379).
LC_ALL=C sed 's/qwen2.rope.freq_base/qwen2.rope.freq_lost/' testdata/models/qwen2-7b/model.gguf >lost.gguf
ropewalk show lost.gguf | grep -E '^(rope_theta|note.*(base|lost))'
try ropewalk show testdata/models/qwen2-7b/config.json lost.gguf
