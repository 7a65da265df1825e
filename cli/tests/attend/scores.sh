# One head of one query and two keys against a model of 8 channels: the distance alone counts, so moving all positions
# by 1000 changes nothing but rounding.
{ npy '<f4' '(2, 8, 8)'; for _ in {1..32}; do printf "$one_to_four"; done; } >q.npy
{ npy '<f4' '(2, 2, 8)'; for _ in {1..8}; do printf "$one_to_four"; done; } >k.npy
ropewalk attend data/llama --q q.npy --k k.npy --full --scores near.npy
ropewalk attend data/llama --q q.npy --k k.npy --positions 1000..1002 --full --scores far.npy
header_of near.npy
numbers near.npy | rounded | first 4
within 1e-4 near.npy far.npy
# The last query alone is the last row of the scores.
{ npy '<f4' '(1, 8, 8)'; for _ in {1..16}; do printf "$one_to_four"; done; } >last.npy
ropewalk attend data/llama --q last.npy --k k.npy --full --scores last_scores.npy
header_of last_scores.npy
cmp <(numbers last_scores.npy | first 2) <(numbers near.npy | first 4 | tail -n 2) && echo "the last row"
