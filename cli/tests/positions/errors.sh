try ropewalk positions
try ropewalk positions mask
try ropewalk positions maks 011
try ropewalk positions mask 012
try ropewalk positions mask 011,01
try ropewalk positions mask ''
try ropewalk positions mask 011 --pad 1
try ropewalk positions opt 011 --fill 1
try ropewalk positions packed 0,4,3
try ropewalk positions packed 1,4
try ropewalk positions packed 0,4 --firsts 1,2
try ropewalk positions packed 0,4 --rank 1
try ropewalk positions packed 0,4 --ranks 2 --rank 2
try ropewalk positions packed 0,4 --ranks 0
try ropewalk positions packed 0,4 --ranks 2 --firsts 0
try ropewalk positions packed 0,4 --ranks 2 --order zig
try ropewalk positions packed 0,1000000000
try ropewalk positions packed 0,x
try ropewalk positions offsets 9223372036854775807 --seq 2
try ropewalk positions offsets 1 --seq -1
try ropewalk positions chatglm 5,130001,6
try ropewalk positions chatglm 5,6,130004
try ropewalk positions mrope 4,image:3x4
try ropewalk positions mrope 4,image:4
try ropewalk positions mrope 4,image:4x4x4x4
try ropewalk positions mrope 4,imag:4x4
try ropewalk positions mrope 4,,image:4x4
try ropewalk positions mrope 4.5
try ropewalk positions mrope -- -1
try ropewalk positions mrope 9223372036854775807
try ropewalk positions mrope image:2x2 --merge 0
try ropewalk positions mrope image:2x2 --merge 9223372036854775807
try ropewalk positions mrope video:3x2x2 --temporal-merge 2
try ropewalk positions mrope video:2x2x2 --second-per-grid 1,2
try ropewalk positions mrope 4 --next last
try ropewalk positions grid 1000000x1000000
try ropewalk positions grid 2x2,
try ropewalk positions grid 2x2 --axes xy
try ropewalk positions mask 011 -o ids.txt
try ropewalk positions mask none.npy
{ npy '<i4' '(2,)'; printf '%b' '\0\0\0\0\x02\0\0\0'; } >two.npy
try ropewalk positions mask two.npy
try ropewalk positions packed two.npy --ranks 2 --rank 5
try ropewalk positions chatglm two.npy
{ npy '<f4' '(4,)'; printf '%b' "$one_to_four"; } >floats.npy
try ropewalk positions packed floats.npy
{ npy '<i4' '(1, 1, 1)'; printf '%b' '\0\0\0\0'; } >three.npy
try ropewalk positions fairseq three.npy
{ npy '<i4' '(0,)'; } >none_at_all.npy
try ropewalk positions mask none_at_all.npy
