# Absent: 0, 1, 2, ...; one row of ids, one for each sequence, or one plane for each axis.
{ npy '<f4' '(2, 1, 4)'; printf "$one_to_four$one_to_four"; } >x.npy
{ npy '<f4' '(2, 1, 1, 4)'; printf "$one_to_four$one_to_four"; } >batch.npy
rotate() { try ropewalk rotate --head-dim 4 --pairing half_split "$@"; }
rotate --q x.npy
rotate --q x.npy --positions 0..2
rotate --q x.npy --positions 5,-5
rotate --q x.npy --positions -1..1
{ npy '<i4' '(2,)'; printf '\x05\x00\x00\x00\xfb\xff\xff\xff'; } >ids.npy
rotate --q x.npy --positions ids.npy
{ npy '<i8' '(2, 1)'; printf '\x05\0\0\0\0\0\0\0\xfb\xff\xff\xff\xff\xff\xff\xff'; } >rows.npy
rotate --q batch.npy --positions rows.npy
rotate --q batch.npy --positions 5
# What cannot be.
rotate --q x.npy --positions 0..3
rotate --q x.npy --positions 0
rotate --q x.npy --positions rows.npy
rotate --q batch.npy --positions ids.npy
rotate --q x.npy --positions missing.npy
rotate --q x.npy --positions ids.txt
rotate --q x.npy --positions 5..3
