# A fault of one rank ends all, said once, with its exit code; nothing is written.
{ npy '<f4' '(4, 8, 8)'; head -c 1024 /dev/zero; } >q.npy
{ npy '<f4' '(4, 2, 8)'; head -c 256 /dev/zero; } >k.npy
{ npy '<f2' '(4, 2, 8)'; head -c 128 /dev/zero; } >half.npy
attend() { try ranks 3 ropewalk attend data/llama --q q.npy --k k.npy --v k.npy -o out.npy "$@"; }
attend --key-mask k.npy
attend --scores s.npy
attend --cu-seqlens 0,3
# Before they know of each other all say it.
for option in '--deadline 0' '--largest-message 3000000000' '--order sideways'; do
  # shellcheck disable=SC2086
  ranks 3 ropewalk attend data/llama --q q.npy --k k.npy --v k.npy -o out.npy $option 2>&1 | sort -u
done
try ranks 2 ropewalk attend data/llama --q q.npy --k missing.npy --v k.npy -o out.npy
other='if [[ $OMPI_COMM_WORLD_RANK == 2 ]]; then k=$0; else k=k.npy; fi
  exec ropewalk attend data/llama --q q.npy --k $k --v k.npy -o out.npy'
for k in half.npy missing.npy; do
  echo "rank 2 reads $k"
  ranks 3 bash -c "$other" $k
  echo "exit code $?"
done
touch out.npy
attend
rm out.npy
left
