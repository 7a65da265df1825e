# A config.json from a pipe, a named pipe and standard input.
config=testdata/models/llama-3-8b/config.json
try ropewalk show - < "$config" | head -4
try ropewalk show llama-3-8b - < "$config" | tail -1
mkfifo named
cat "$config" > named &
try ropewalk show named | head -4
head -c 100 "$config" | try ropewalk show -
try ropewalk show - < testdata/models/llama-3.2-1b/model.gguf
