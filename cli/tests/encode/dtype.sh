# Rounded once: the float32 sine of 300 lies on a tie of f16 and would become -1.
for dtype in f32 bf16 f16; do try ropewalk encode --positions 300 --dim 2 --dtype $dtype --json; done
ropewalk encode --positions 0..3 --dim 4 --dtype f16 -o pe.npy
header_of pe.npy
try ropewalk encode --positions 1 --dim 4 --dtype bf16
try ropewalk encode --positions 1 --dim 4 --dtype bf16 -o pe16.npy
try ropewalk encode --positions 1 --dim 4 --dtype f64
try ropewalk encode --positions 1 --kind integer --dtype f16
left
