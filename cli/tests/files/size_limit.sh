# K12 (and K11, which needs a file system of its own): the disk has no room for the whole output. Nothing is left, what
# was there stays.
echo before >pe.csv
{ npy '<f4' '(1, 8, 128)'; head -c 4096 /dev/zero; } >large.npy
(
  ulimit -f 1
  ropewalk encode --positions 0..200 --dim 64 -o pe.npy
  echo "exit code $?"
  ropewalk encode --positions 0..200 --dim 64 -o pe.csv --force
  echo "exit code $?"
  ropewalk rotate llama-2-7b --q large.npy -o out.safetensors
  echo "exit code $?"
) >codes 2>messages
cat codes pe.csv
sed 's/after [0-9]* of/after N of/' messages
left
