# [1, 2, 3, 4] at position 1, worked by hand: cos 1 = 0.540302, sin 1 = 0.841471; cos 0.01, sin 0.01.
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
for pairing in half_split interleaved; do
  try ropewalk rotate --head-dim 4 --rotary-dim 4 --base 10000 --pairing $pairing --q x.npy --positions 1
done
