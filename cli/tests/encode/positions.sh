# K2: ranges leave out their end; positions may be negative, large, listed.
try ropewalk encode --dim 4 --positions 7
try ropewalk encode --dim 4 --positions 0..4
try ropewalk encode --dim 4 --positions 3,1..3,1
try ropewalk encode --dim 4 --positions -1
try ropewalk encode --dim 4 --positions=-1
try ropewalk encode --dim 4 --positions -2..2
try ropewalk encode --dim 4 --positions=-2..2
try ropewalk encode --dim 4 --positions 0,-1
try ropewalk encode --dim 4 --positions 9223372036854775807,-9223372036854775808
# Position ids from a file, as those of other commands.
{ npy '<i4' '(2,)'; printf '\x05\0\0\0\xfb\xff\xff\xff'; } >ids.npy
try ropewalk encode --dim 4 --positions ids.npy
{ npy '<i8' '(1, 1)'; printf '\x05\0\0\0\0\0\0\0'; } >row.npy
try ropewalk encode --dim 4 --positions row.npy
{ npy '<i4' '(2, 1)'; printf '\0\0\0\0\1\0\0\0'; } >rows.npy
try ropewalk encode --dim 4 --positions rows.npy
