# An image takes as many positions as its longer side has tokens (kekzl/imp#1174).
try ropewalk positions mrope 4,image:4x6,2
# 25 tokens a second, 2 frames a patch, 1 frame a second (huggingface/transformers#41152).
try ropewalk positions mrope video:3x4x4,1 --tokens-per-second 25 --second-per-grid 2
try ropewalk positions mrope video:3x4x4,1 --tokens-per-second 25 --second-per-grid 2 --next side
# Two tokens of text, the time, before each frame, as Qwen3-VL has it.
try ropewalk positions mrope 1,video:2x2x4,1 --frames-apart 2
try ropewalk positions mrope 2,video:4x4x4 --temporal-merge 2
# Patches: blocks of 2 x 2, or plain rows; frames one after the other.
try ropewalk positions grid 2x4
try ropewalk positions grid 2x3 --merge 1 --axes wh
try ropewalk positions grid 2x1x2,2x1 --merge 1 --axes thw
