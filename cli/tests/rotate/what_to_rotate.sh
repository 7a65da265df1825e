{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
rotate() { try ropewalk rotate "$@" --q x.npy; }
rotate
rotate --head-dim 4
rotate --pairing half_split
rotate --head-dim 4 --pairing half-split
rotate --head-dim 4 --pairing half_split --layer 0
for dim in 0 -2 3 a 1099511627776; do rotate --head-dim $dim --pairing half_split; done
rotate --head-dim 8 --pairing half_split
for dim in 0 -2 3 6 a; do rotate --head-dim 4 --rotary-dim $dim --pairing half_split; done
for base in 0 -1 nan inf 1e400 0x10 1,000; do rotate --head-dim 4 --base $base --pairing half_split; done
rotate --head-dim 4 --rotary-dim 2 --pairing half_split --positions 1
rotate llama-2-7b
rotate llama-2-7b --head-dim 4
rotate llama-2-7b --base 10000
rotate llama-2-7b --layer 32
rotate llama-2-7b --layer -1
rotate llama-2-7b --layer first
rotate baichuan-13b
rotate lama-2-7b
