ropewalk show testdata/models/llama-3-8b
