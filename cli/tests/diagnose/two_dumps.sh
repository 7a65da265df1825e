# Two dumps after the rotation: mine is turned by another base, with other pairs, not at all.
d=testdata/diagnose/llama-3-8b
for mine in right base_10000 other_pairing not_rotated; do
  try ropewalk diagnose llama-3-8b --mine $d/$mine.npy --reference $d/right.npy --positions 37..41
done
# q and k of one file: k alone was rotated.
ropewalk rotate llama-2-7b --q $d/before.npy --k $d/before.npy --positions 37..41 -o right.safetensors
ropewalk rotate llama-2-7b --q $d/before.npy --k $d/before.npy --positions 0,0,0,0 -o before.safetensors
try ropewalk diagnose llama-2-7b --before before.safetensors --after right.safetensors --positions 37..41
try ropewalk diagnose llama-2-7b --before $d/before.npy --after right.safetensors:k --positions 37..41
