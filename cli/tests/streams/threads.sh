# K35: a number of threads that cannot be changes nothing; neither does one that can.
arguments=(attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy --causal)
ropewalk "${arguments[@]}" -o expected.npy
for threads in 0 -1 1 2 3 1000 many; do
  # The OpenMP library itself has a word to say on some of them.
  OMP_NUM_THREADS=$threads ropewalk "${arguments[@]}" -o y.npy --force 2>/dev/null || echo "exit code $?"
  cmp y.npy expected.npy && echo "$threads: the same bytes"
done
