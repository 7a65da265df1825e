# K4: odd lengths work; what is no length is named.
for dim in 1 3 9 10; do try ropewalk encode --dim $dim --positions 0..2; done
for dim in 0 -2 a 1.5 1e3 1000000000 9223372036854775807 9223372036854775808; do
  try ropewalk encode --dim "$dim" --positions 0..2
done
try ropewalk encode --dim 2000000 --positions 0..2
try ropewalk encode --dim 4096 --positions 0..1000000
