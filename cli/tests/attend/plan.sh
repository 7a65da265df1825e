# What ranks would send and do, of a layer that is causal: keys of 2 heads travel, (8 + 8) channels of 4 bytes each.
plan() { try ropewalk attend data/llama --rate 10 --link 1 "$@"; }
plan --plan 4 --tokens 4096 --order contiguous
plan --plan 4 --tokens 4096
plan --plan 2 --cu-seqlens 0,100,300 --dtype bf16 --json
plan --plan 1 --tokens 16
plan --plan 0 --tokens 16
plan --plan 2
plan --plan 2 --tokens 4 --q q.npy
plan --tokens 4
try ropewalk attend data/llama --plan 2 --tokens 64 --rate 0
# Without --rate it is measured.
ropewalk attend data/llama --plan 2 --tokens 64 | grep -c 'measured here'
