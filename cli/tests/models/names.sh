# By family, model type, class, architecture of llama.cpp or preset.
try ropewalk models qwen3 gemma3_text
try ropewalk models chatglm
try ropewalk models Qwen3MoeForCausalLM
try ropewalk models cohere2
try ropewalk models baichuan-13b
try ropewalk models mistral3 --json
try ropewalk models baichuan --markdown
try ropewalk models qwen33
try ropewalk models llama ""
try ropewalk models nothing-like-it
echo "columns: $(ropewalk models | awk '{ if (length($0) > most) most = length($0) } END { print most }')"
