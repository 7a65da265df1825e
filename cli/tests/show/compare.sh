# Two models: what the files say, the frequencies, where the pairs are, and how far apart the rotations are.
try ropewalk show llama-2-7b llama-2-7b
try ropewalk show llama-2-7b llama-3-8b
try ropewalk show chatglm3-6b llama-3-8b
try ropewalk show testdata/models/qwen2-7b testdata/models/qwen2.5-7b-yarn
try ropewalk show baichuan-7b baichuan-13b
