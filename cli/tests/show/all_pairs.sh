ropewalk show data/llama --all
