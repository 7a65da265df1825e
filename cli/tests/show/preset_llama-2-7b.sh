ropewalk show llama-2-7b
