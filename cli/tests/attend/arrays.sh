# q [tokens, 8 heads, 8], k and v [tokens, 2 heads, 8]; two tokens. v is 1 to 4 for one token, 0 for the other.
{ npy '<f4' '(2, 8, 8)'; for _ in {1..32}; do printf "$one_to_four"; done; } >q.npy
{ npy '<f4' '(2, 2, 8)'; for _ in {1..8}; do printf "$one_to_four"; done; } >k.npy
{ npy '<f4' '(2, 2, 8)'; for _ in {1..4}; do printf "$one_to_four"; done; head -c 64 /dev/zero; } >v.npy
attend() { try ropewalk attend data/llama --q q.npy --k k.npy "$@"; }
attend --v v.npy --causal -o causal.npy
header_of causal.npy
# The first token sees itself only, so it gets its own v.
numbers causal.npy | rounded | first 8
attend --v v.npy --full -o full.npy --scores scores.npy
numbers full.npy | rounded | first 4
# With the first key hidden all get the second's v, which is 0.
{ npy '|b1' '(1, 2)'; printf '\0\1'; } >mask.npy
attend --v v.npy --key-mask mask.npy -o masked.npy
numbers masked.npy | sort -u
# The same as [batch, heads, seq, dim] needs another order of the numbers; one token is the same in both.
{ npy '<f4' '(1, 8, 1, 8)'; for _ in {1..16}; do printf "$one_to_four"; done; } >q1.npy
{ npy '<f4' '(1, 2, 1, 8)'; for _ in {1..4}; do printf "$one_to_four"; done; } >k1.npy
try ropewalk attend data/llama --layout bhsd --q q1.npy --k k1.npy --v k1.npy -o out1.npy
header_of out1.npy
numbers out1.npy | rounded | sort -u
left
