# K2: the token that is wrong is named.
for positions in 5..3 4..4 0.. ..4 .. a 1e3 0x10 1.5 +1 ' 1' '1,' 0,,1 0..3,b 0...3 0..3..5 \
  99999999999999999999 -99999999999999999999 0..99999999999999999999; do
  try ropewalk encode --dim 4 --positions "$positions"
done
try ropewalk encode --dim 4 --positions 0..1000000000
try ropewalk encode --dim 4 --positions 0..4611686018427387904
try ropewalk encode --dim 4 --positions -9223372036854775808..9223372036854775807
# The ranges of one list count together.
try ropewalk encode --dim 4 --positions 0..268435456,7,0..2
