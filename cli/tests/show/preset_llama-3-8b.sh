ropewalk show llama-3-8b
