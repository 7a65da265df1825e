# Whatever else is wrong comes before "give -o".
array() { npy "$1" "$2"; head -c "$3" /dev/zero; }
array '<f8' '(1, 2, 32, 128)' 65536 >doubles.npy
array '<f4' '(1, 2, 32, 64)' 16384 >narrow.npy
array '<f4' '(1, 2, 32, 128)' 32768 >q.npy
array '<f4' '(1, 3, 32, 128)' 49152 >k.npy
rotate() { try ropewalk rotate llama-2-7b "$@"; }
rotate --q doubles.npy
rotate --q narrow.npy
rotate --q q.npy --positions 0..3
rotate --q q.npy --k k.npy
rotate --q q.npy --layer 32
rotate --q q.npy
rotate --q q.npy --json
left
