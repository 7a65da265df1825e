ropewalk show testdata/models/llama-2-7b
