# N19: a number that is no position is named by its index.
{ npy '<f4' '(2, 1, 4)'; printf "$one_to_four$one_to_four"; } >x.npy
ids() { try ropewalk rotate --head-dim 4 --pairing half_split --q x.npy --positions "$1"; }
{ npy '<f4' '(2,)'; printf '\x00\x00\x80\x3f\x00\x00\xc0\x7f'; } >nan.npy
{ npy '<f4' '(2,)'; printf '\x00\x00\x80\x7f\x00\x00\x80\x3f'; } >inf.npy
{ npy '<f8' '(2,)'; printf '\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\0'; } >float.npy
{ npy '<u8' '(2,)'; printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80'; } >unsigned.npy
{ npy '|b1' '(2,)'; printf '\0\1'; } >bool.npy
for file in nan inf float unsigned bool; do ids $file.npy; done
