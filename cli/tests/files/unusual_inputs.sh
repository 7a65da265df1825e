# K26, K27: what is no regular file is refused at once.
rotate() { try timeout 10 ropewalk rotate --head-dim 4 --pairing half_split --q "$1"; }
mkfifo fifo.npy
mkdir folder.npy
ln -s loop.npy loop.npy
truncate -s 1T sparse.npy
truncate -s 1T sparse.safetensors
rotate fifo.npy
rotate folder.npy
rotate loop.npy
rotate /dev/zero
rotate /dev/null
rotate /proc/version
rotate sparse.npy
rotate sparse.safetensors
rotate missing.npy
rotate -
