# A NaN spoils its own pair only, and 0 tokens are 0 tokens.
{ npy '<f4' '(1, 1, 4)'; printf '\0\0\xc0\x7f\0\0\0\x40\0\0\x80\x40\0\0\x80\x40'; } >nan.npy
try ropewalk rotate --head-dim 4 --pairing half_split --positions 1 --q nan.npy
try ropewalk rotate --head-dim 4 --pairing half_split --positions 1 --q nan.npy --json
npy '<f4' '(0, 1, 4)' >none.npy
try ropewalk rotate --head-dim 4 --pairing half_split --q none.npy
try ropewalk rotate --head-dim 4 --pairing half_split --q none.npy -o out.npy
header_of out.npy
