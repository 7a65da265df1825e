# A table of cos and sin that another program made.
try ropewalk table llama-2-7b --positions 0..64 --form doubled -o right.safetensors
try ropewalk verify llama-2-7b --table right.safetensors
try ropewalk table llama-2-7b --positions 5..64 --form half --dtype bf16 -o later.safetensors
try ropewalk verify llama-2-7b --table later.safetensors --first 5
try ropewalk verify llama-2-7b --table later.safetensors
try ropewalk table llama-3-8b --positions 0..64 -o other.safetensors
try ropewalk verify llama-2-7b --table other.safetensors --json
try ropewalk verify glm-4-9b-chat --table other.safetensors
try ropewalk verify llama-2-7b --cos other.safetensors
try ropewalk verify llama-2-7b --cos other.safetensors --sin other.safetensors
try ropewalk verify baichuan-13b --table other.safetensors
