# K33: two runs, the same bytes, whatever the clock says.
run() {
  ropewalk encode "我 愛 你" --dim 32 -o "$1.npy"
  ropewalk encode "我 愛 你" --dim 32 -o "$1.csv"
  ropewalk rotate llama-2-7b --q ones.npy --k ones.npy --positions 5 -o "$1.safetensors"
}
{ npy '<f4' '(1, 1, 128)'; head -c 512 /dev/zero | tr '\0' '\077'; } >ones.npy
run first
SOURCE_DATE_EPOCH=1 TZ=Asia/Shanghai run second
for kind in npy csv safetensors; do cmp first.$kind second.$kind && echo "$kind: the same bytes"; done
left
