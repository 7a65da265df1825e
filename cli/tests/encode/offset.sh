# A start offset moves the angles; the rows keep the names of their positions.
try ropewalk encode "a b" --dim 4 --offset 5
try ropewalk encode "a b" --dim 4 --offset -1
try ropewalk encode "a b" --dim 4 --offset=-1
cmp <(ropewalk encode --dim 4 --positions 0..3 --offset 5 --json | grep -v position) \
  <(ropewalk encode --dim 4 --positions 5..8 --json | grep -v position)
try ropewalk encode a --dim 4 --offset x
try ropewalk encode --positions 9223372036854775807 --dim 4 --offset 1
