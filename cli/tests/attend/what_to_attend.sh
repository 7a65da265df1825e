# Which options go together.
{ npy '<f4' '(2, 8, 8)'; head -c 512 /dev/zero; } >q.npy
{ npy '<f4' '(2, 2, 8)'; head -c 128 /dev/zero; } >k.npy
{ npy '<f4' '(1, 2, 8)'; head -c 64 /dev/zero; } >short.npy
attend() { try ropewalk attend data/llama "$@"; }
attend
attend --q q.npy
attend --q q.npy --k k.npy
attend --q q.npy --k k.npy --v k.npy
attend --q q.npy --k k.npy -o out.npy
attend --q q.npy --weights data/llama/layer.safetensors
attend --weights data/llama/layer.safetensors
attend --weights data/llama/layer.safetensors --input data/llama/x.npy
attend --weights data/llama/layer.safetensors --input data/llama/x.npy -o y.npy --scores s.npy
attend --q q.npy --k k.npy --v k.npy -o out.csv
attend --q q.npy --k k.npy --v k.npy -o out.npy --scores out.npy
attend --q q.npy --k k.npy --v k.npy -o out.npy --scores missing/scores.npy
attend --q q.npy --k k.npy --v short.npy -o out.npy --scores scores.npy
attend --q q.npy --k q.npy --v k.npy -o out.npy
attend --q q.npy --k short.npy --scores scores.npy
attend --q k.npy --k q.npy --scores scores.npy
attend --q q.npy --k k.npy --positions 0..3 --scores scores.npy
attend --q q.npy --k k.npy --positions a --scores scores.npy
attend --q q.npy --k k.npy --key-mask missing.npy --scores scores.npy
attend --q q.npy --k k.npy --key-mask k.npy --scores scores.npy
attend --q q.npy --k k.npy --layout sbhd --scores scores.npy
attend --q testdata/formats/f4_v1.npy --k k.npy --scores scores.npy
try ropewalk attend llama-2-7b --q q.npy --k k.npy --scores scores.npy
try ropewalk attend nothing --q q.npy --k k.npy --scores scores.npy
attend --q q.npy --k k.npy --layout thd --scores scores.npy
attend --q q.npy --k k.npy --scores scores.npy
left
