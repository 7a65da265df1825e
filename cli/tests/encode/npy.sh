# The table of numbers and the file hold the same.
ropewalk encode --positions 0..3 --dim 6 -o pe.npy
header_of pe.npy
numbers pe.npy
try ropewalk encode --positions 0..3 --dim 6 -o pe.npy --force --json | first 8
try ropewalk encode --positions 0..3 -o pe.txt
try ropewalk encode --positions 0..3 -o pe
left
