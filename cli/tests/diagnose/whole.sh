# What is printed of one dump: right, wrong, as JSON; without a model.
d=testdata/diagnose/llama-3-8b
try ropewalk diagnose llama-3-8b --before $d/before.npy --after $d/right.npy --positions 37..41
try ropewalk diagnose llama-3-8b --before $d/before.npy --after $d/base_10000.npy --positions 37..41
try ropewalk diagnose llama-3-8b --before $d/before.npy --after $d/base_10000.npy --positions 37..41 --json
try ropewalk diagnose --before $d/before.npy --after $d/base_10000.npy --positions 37..41
try ropewalk diagnose --before $d/before.npy --after $d/base_10000.npy --positions 37..41 --json
