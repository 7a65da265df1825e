# Little memory or no threads: an answer or exit code 5, never a hang and never 1, which says that a difference was found.
# The limit is in KiB, as ulimit takes it.
within() { (ulimit -v "$1"; shift; "$@") >out 2>err; code=$?; }
for memory in 20000 40000 65000 100000 160000; do
  within $memory timeout 20 ropewalk show llama-3-8b
  case $code in
    0) grep -q rope_theta out || echo "$memory: no answer" ;;
    5) grep -q memory err || echo "$memory: no reason" ;;
    127) grep -q "shared librar" err || echo "$memory: not the loader's word" ;;
    *) echo "$memory: exit code $code" && cat err ;;
  esac
done
echo "each limit has its answer"
within 100000 timeout 20 ropewalk show llama-3-8b
echo "show in 100 MB: exit code $code"
# The projections need OpenBLAS's buffer, which it would ask for without end.
layer=(attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy --causal)
within 150000 timeout 20 ropewalk "${layer[@]}" -o y.npy
echo "attend in 150 MB: exit code $code"
cat err
left
# Stacks that no thread can have: the calling thread does it all, to the same bytes.
{ npy '<f4' '(1024, 4, 128)'; head -c 2097152 /dev/zero | tr '\0' '\77'; } >q.npy
rotate=(rotate --head-dim 128 --pairing half_split --q q.npy)
OMP_NUM_THREADS=1 ropewalk "${rotate[@]}" -o one.npy
(ulimit -s 8000000; ulimit -v 4000000; OMP_NUM_THREADS=4 ropewalk "${rotate[@]}" -o none.npy) && cmp one.npy none.npy && echo "the same bytes"
# No second thread, for a user of whom one process may run. Root has no such limit and becomes another user, who reaches
# this folder only.
mkdir alone && chmod 777 alone
cp "$(realpath "$(command -v ropewalk)")" alone/ropewalk
cp -rL data/llama q.npy alone
user=()
[[ $(id -u) != 0 ]] || user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
alone() {
  (cd alone && OMP_NUM_THREADS=4 timeout 20 "${user[@]}" prlimit --nproc=1 ./ropewalk "$@") >out 2>err
  echo "alone, $1: exit code $?"
  cat err
}
alone show llama-3-8b
alone "${rotate[@]}" -o none.npy
cmp one.npy alone/none.npy && echo "the same bytes"
layer[1]=llama layer[3]=llama/layer.safetensors layer[7]=llama/x.npy
alone "${layer[@]}" -o y.npy
ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy --causal -o y.npy
cmp y.npy alone/y.npy && echo "the same bytes"
rm -rf alone
