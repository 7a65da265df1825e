# What a model adds to its input: a table of sines from its config, or a learned one from its checkpoint.
try ropewalk encode --model testdata/models/whisper-tiny --positions 0..2
try ropewalk encode "我 愛 你" --model data/roberta --weights data/roberta/layer.safetensors
try ropewalk encode --model data/roberta --weights data/roberta/layer.safetensors --positions 6
try ropewalk encode --model data/roberta --positions 0
try ropewalk encode --model llama-3-8b --positions 0
try ropewalk encode --weights data/roberta/layer.safetensors --positions 0
