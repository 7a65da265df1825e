# K3: decimals without regard to the locale.
for base in 1 1e4 10000.5 100; do try ropewalk encode --dim 4 --positions 5 --base $base; done
for base in 0 -1 0.5 nan inf -inf 1e400 1e-400 0x10 1,000 1e30 10000x; do
  try ropewalk encode --dim 4 --positions 5 --base $base
done
