# What is refused.
d=testdata/diagnose/llama-3-8b
try ropewalk diagnose
try ropewalk diagnose llama-3-8b
try ropewalk diagnose llama-3-8b --before $d/before.npy
try ropewalk diagnose llama-3-8b --before $d/before.npy --after $d/right.npy --mine $d/right.npy
try ropewalk diagnose --mine $d/right.npy --reference $d/right.npy
try ropewalk diagnose llama-3-8b --before $d/before.npy --after $d/right.npy --positions 0,1
try ropewalk diagnose llama-3-8b --before $d/before.npy --after testdata/diagnose/gpt-neox-20b/right.npy
try ropewalk diagnose testdata/models/gpt-j-6b --before $d/before.npy --after $d/right.npy
{ npy '<f4' '(1, 1, 2, 128)'; for _ in {1..256}; do printf '\0\0\xc0\x7f'; done; } >nan.npy
try ropewalk diagnose llama-3-8b --before nan.npy --after nan.npy
ropewalk diagnose --help
