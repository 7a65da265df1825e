# The order of the patches, of the axes, and what is counted from: as the model's tower has them.
try ropewalk positions grid 4x4 --for testdata/models/qwen2-vl-7b
echo '{"model_type": "llama4_vision_model"}' >llama4.json
try ropewalk positions grid 2x2 --for llama4.json
echo '{"model_type": "pixtral"}' >pixtral.json
try ropewalk positions grid 2x3 --for pixtral.json
try ropewalk positions grid 1x2,2x1 --merge 1 --first 1 --axes wh
try ropewalk positions grid 2x2 --for llama-3-8b
try ropewalk positions grid 2x2 --for pixtral.json --merge 2
try ropewalk positions grid 2x2 --for pixtral.json --axes wh
try ropewalk positions grid 2x3 --for testdata/models/qwen2-vl-7b
echo '{"model_type": "video_llama_3_vision"}' >video.json
try ropewalk positions grid 2x2 --for video.json
try ropewalk positions grid 2x2 --for video.json --merge 2
# Without a model: a word on what was taken for granted.
try ropewalk positions grid 2x2
try ropewalk positions grid 2x3
try ropewalk positions mrope 4,image:2x3
# M-RoPE: the merges and the pace of time are the model's too.
try ropewalk positions mrope 2,image:4x6,1 --for testdata/models/qwen2.5-vl-7b
try ropewalk positions mrope 2,video:2x4x4,1 --for testdata/models/qwen2.5-vl-7b --next side
try ropewalk positions mrope 2,video:2x4x4,1 --for testdata/models/qwen3-vl-8b
try ropewalk positions mrope 2,video:2x4x4,1 --for testdata/models/qwen3-vl-8b --frames-apart 1
try ropewalk positions mrope 2,image:4x4 --for testdata/models/qwen2-vl-7b --frames-apart 1
try ropewalk positions mrope 2,image:4x4 --for testdata/models/qwen2-vl-7b --merge 1
try ropewalk positions mrope 2,image:4x4 --for llama-3-8b
