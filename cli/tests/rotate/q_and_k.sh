# q and k have their own head counts; a .safetensors holds both, each as it is alone.
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >q.npy
{ npy '<f4' '(1, 2, 4)'; printf "$one_to_four$one_to_four"; } >k.npy
options=(--head-dim 4 --pairing half_split --positions 3)
ropewalk rotate "${options[@]}" --q q.npy --k k.npy
ropewalk rotate "${options[@]}" --q q.npy --k k.npy -o both.safetensors
ropewalk rotate "${options[@]}" --q both.safetensors --k both.safetensors --inverse
ropewalk rotate "${options[@]}" --q k.npy
ropewalk rotate "${options[@]}" --q q.npy --k k.npy --json
left
