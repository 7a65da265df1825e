{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
ropewalk rotate --head-dim 4 --pairing interleaved --q x.npy --positions 1 --json -o out.npy
header_of out.npy
numbers out.npy
# 7168 numbers are too many to print; nothing is written either.
{ npy '<f4' '(7, 8, 128)'; head -c 28672 /dev/zero; } >large.npy
try ropewalk rotate llama-2-7b --q large.npy
try ropewalk rotate llama-2-7b --q large.npy --json -o none.npy
left
