# v is not rotated by any layer: right as it was, wrong when it was turned too.
d=testdata/diagnose/llama-3-8b
cp $d/before.npy v.npy
cp $d/right.npy v_turned.npy
try ropewalk diagnose llama-3-8b --before v.npy --after v.npy --positions 37..41
try ropewalk diagnose llama-3-8b --before v.npy --after v_turned.npy --positions 37..41
