try ropewalk table
try ropewalk table llama-3-8b
try ropewalk table llama-3-8b --positions 3..1
try ropewalk table llama-3-8b --positions 0..4000000
try ropewalk table llama-3-8b --positions 0 --layer 32
try ropewalk table llama-3-8b --positions 0 --part vision
try ropewalk table testdata/models/qwen2-vl-7b --positions 0 --part indexer
try ropewalk table testdata/models/qwen2-vl-7b --positions 0 --part vision
try ropewalk table testdata/models/whisper-tiny --positions 0
try ropewalk table testdata/models/whisper-tiny --positions 0 --part "input of encoder"
try ropewalk table baichuan-13b --positions 0
try ropewalk table llama-3-8b --positions 0 --layer 1 --part vision
try ropewalk table llama-3-8b --positions 0 --form full
try ropewalk table llama-3-8b --positions 0 --angles f64
try ropewalk table llama-3-8b --positions 0 --dtype f64
try ropewalk table llama-3-8b --positions 0 --dtype bf16 -o t.npy
try ropewalk table llama-3-8b --positions 0 --dtype bf16 --form complex
try ropewalk table llama-3-8b --positions 0 --form complex -o t.csv
try ropewalk table llama-3-8b --positions 0 -o t.txt
try ropewalk table llama-3-8b --positions 0 --seq-len 0
try ropewalk table llama-3-8b --positions 0 --inv-freq
try ropewalk table testdata/models/qwen2.5-7b-yarn --positions 0 --angles ideal
npy '<i4' '()' >scalar.npy && printf '\0\0\0\0' >>scalar.npy
try ropewalk table llama-3-8b --positions scalar.npy
left
