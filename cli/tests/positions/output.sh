# As JSON, as a file, from a file; rotate takes the file.
ropewalk positions packed 0,2,5 --ranks 2 --rank 1 --json
ropewalk positions mask 011 --json
ropewalk positions chatglm 130001,130004 --json
ropewalk positions packed 0,2,3 -o positions.npy
header_of positions.npy
od -An -v -t d8 -w8 -j 128 positions.npy
{ npy '<f4' '(3, 1, 4)'; printf '%b' "$one_to_four" "$one_to_four" "$one_to_four"; } >q.npy
ropewalk rotate --head-dim 4 --pairing half_split --q q.npy --positions positions.npy
ropewalk positions mrope 1,image:2x2 -o mrope.npy
header_of mrope.npy
{ npy '<i4' '(2, 3)'; printf '%b' '\0\0\0\0\x01\0\0\0\x01\0\0\0' '\x01\0\0\0\x01\0\0\0\x01\0\0\0'; } >mask.npy
ropewalk positions mask mask.npy
ropewalk positions opt mask.npy
try ropewalk positions packed 0,2,3 -o positions.npy
try ropewalk positions packed 0,2,3 -o positions.npy --force
try ropewalk positions packed 0,5000
left
