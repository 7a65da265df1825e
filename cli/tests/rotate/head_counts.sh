# An array of the other layout is refused, another count of heads than the model's is said.
zeros() { { npy '<f4' "(1, $2, $3, 128)"; head -c $(($2 * $3 * 512)) /dev/zero; } >"$1.npy"; }
zeros bhsd 32 16
zeros bshd 16 32
zeros odd 16 31
zeros shard 16 8
for q in bhsd bshd odd shard; do try ropewalk rotate llama-3-8b --q $q.npy -o $q.safetensors; done
try ropewalk rotate llama-3-8b --q bhsd.npy --layout bhsd -o again.safetensors
try ropewalk rotate llama-3-8b --q bhsd.npy --layout bshd -o meant.safetensors
try ropewalk rotate llama-3-8b --q odd.npy
try ropewalk attend llama-3-8b --q bhsd.npy --k bhsd.npy --scores scores.npy
ls ./*.safetensors
