# Two tokens of one head, said in each order of dimensions.
{ npy '<f4' '(1, 2, 1, 4)'; printf "$one_to_four$one_to_four"; } >bshd.npy
{ npy '<f4' '(1, 1, 2, 4)'; printf "$one_to_four$one_to_four"; } >bhsd.npy
{ npy '<f4' '(2, 1, 4)'; printf "$one_to_four$one_to_four"; } >thd.npy
for layout in bshd bhsd thd; do
  try ropewalk rotate --head-dim 4 --pairing half_split --q $layout.npy --layout $layout
done
try ropewalk rotate --head-dim 4 --pairing half_split --q bshd.npy --layout thd
try ropewalk rotate --head-dim 4 --pairing half_split --q bshd.npy --layout sbhd
