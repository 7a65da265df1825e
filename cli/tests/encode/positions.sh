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
