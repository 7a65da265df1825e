# K6 to K8: what cannot be written is said before the work, and nothing is left behind.
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
rotate() { try ropewalk rotate --head-dim 4 --pairing half_split --q x.npy --positions 1 "$@"; }
mkdir folder.npy
rotate -o folder.npy
rotate -o folder.npy --force
rotate -o missing/out.npy
rotate -o x.npy/out.npy
rotate -o "$(printf 'n%.0s' {1..300}).npy"
rotate -o out.txt
rotate -o out
rotate -o both.npy --k x.npy
ln -s loop.npy loop.npy
rotate -o loop.npy --force
mkfifo fifo.npy
rotate -o fifo.npy --force
rotate -o out.npy
rotate -o out.npy
rotate -o out.npy --force
# In place, through a link too: the link stays, its file is replaced.
cp x.npy same.npy
ln -s same.npy link.npy
try ropewalk rotate --head-dim 4 --pairing half_split --q link.npy --positions 1 -o link.npy --force
[[ -L link.npy ]] && cmp same.npy out.npy && echo "rotated in place"
ropewalk rotate --head-dim 4 --pairing half_split --q same.npy --positions 1 --inverse
left
