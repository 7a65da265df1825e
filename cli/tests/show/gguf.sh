# A GGUF of llama.cpp and a params.json: what they say, beside the config.json of the same model.
try ropewalk show testdata/models/llama-3.2-1b/model.gguf
try ropewalk show testdata/models/gpt-oss-20b/model.gguf
try ropewalk show testdata/models/llama-3.2-1b testdata/models/llama-3.2-1b/model.gguf
try ropewalk show testdata/models/qwen3-8b testdata/models/qwen3-8b/model.gguf
try ropewalk show testdata/models/llama-3.2-1b/params.json
try ropewalk show testdata/formats/reference.gguf
try ropewalk show testdata/models/llama-2-7b/missing.gguf
