# Left padding, and then a token more: prefill and decode count in one frame (unslothai/unsloth#3699).
try ropewalk positions mask 00111
try ropewalk positions mask 00111,11111 --fill 1
try ropewalk positions offsets 3,5 --seq 2
try ropewalk positions offsets 10
# Each sequence of a packed row begins anew (allenai/OLMo-core#591); a later part of a prompt goes on.
try ropewalk positions packed 0,4,8
try ropewalk positions packed 0,2,4 --firsts 10,0
# What a rank of context parallelism holds (NVIDIA/Megatron-LM#5243).
try ropewalk positions packed 0,8 --ranks 2 --rank 0 --order zigzag
try ropewalk positions packed 0,4,8 --ranks 2 --rank 0 --order zigzag
try ropewalk positions packed 0,4,8 --ranks 2 --rank 1
# Rows of learned tables (huggingface/transformers#20761, #5285).
try ropewalk positions fairseq 0,5,6,1 --pad 1
try ropewalk positions fairseq 1,1,7,8 --cache 5
try ropewalk positions opt 1110
# ChatGLM-6B: gMASK, bos, and what follows (zai-org/ChatGLM-6B#1258).
try ropewalk positions chatglm 5,6,130001,130004,20,21
