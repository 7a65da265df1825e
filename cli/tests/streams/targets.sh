# Each instruction set of this machine gives the same bytes, of attention the same numbers but for their last digits; another name lists
# those.
listed=$(ROPEWALK_TARGET=unheard-of ropewalk models 2>&1)
echo "exit code $?"
echo "${listed%%sets*}sets ..., ${listed##*, }"
targets_of_machine=$(sed 's/.*sets //; s/, found.*//; s/,//g' <<<"$listed")
arguments=(--q data/llama/x.npy --head-dim 64 --pairing half_split --positions '12345,-7')
ropewalk rotate "${arguments[@]}" -o expected.npy
ropewalk encode --positions 0..300 --dim 33 -o expected_pe.npy
ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy -o expected_y.npy
near() { paste <(numbers "$1") <(numbers "$2") | awk '{ d = $1 - $2; far += d > 1e-5 || d < -1e-5 } END { exit NR == 0 || far > 0 }'; }
targets=0
for target in $targets_of_machine; do
  export ROPEWALK_TARGET=$target
  ropewalk rotate "${arguments[@]}" -o out.npy --force
  ropewalk encode --positions 0..300 --dim 33 -o pe.npy --force
  ropewalk attend data/llama --weights data/llama/layer.safetensors --layer 1 --input data/llama/x.npy -o y.npy --force
  cmp out.npy expected.npy && cmp pe.npy expected_pe.npy && near y.npy expected_y.npy && targets=$((targets + 1))
done
[[ $targets -gt 0 && $targets == $(wc -w <<<"$targets_of_machine") ]] && echo "the same bytes for all"
ROPEWALK_TARGET='' ropewalk --version | first 1
