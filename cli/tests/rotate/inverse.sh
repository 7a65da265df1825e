# Rotated and rotated back: the input, up to the rounding of two rotations in float32. x is [2, 7, 64]: two tokens of
# seven heads here.
for pairing in half_split interleaved; do
  for positions in 0,0 7,100 -3..-1 1000000007,9223372036854775807; do
    ropewalk rotate --head-dim 64 --pairing $pairing --q data/llama/x.npy --positions $positions -o there.npy --force
    ropewalk rotate --head-dim 64 --pairing $pairing --q there.npy --positions $positions --inverse -o back.npy --force
    within 1e-6 back.npy data/llama/x.npy
  done
done
