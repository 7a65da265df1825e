# K24: runs that write one output at the same time leave one of the versions, whole.
ropewalk encode --positions 0..50 --dim 8 -o a.npy
ropewalk encode --positions 50..100 --dim 8 -o b.npy
for _ in {1..10}; do
  ropewalk encode --positions 0..50 --dim 8 -o out.npy --force &
  ropewalk encode --positions 50..100 --dim 8 -o out.npy --force &
  wait
  cmp -s out.npy a.npy || cmp -s out.npy b.npy || echo "out.npy is neither"
done
left
