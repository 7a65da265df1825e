# Baichuan-13B. With q = k = 0 the scores are the bias alone: slope x the position of the key, the slope of head h the h-th of
# 2^(-8h/32) for 32 heads, then every second of 2^(-4h/32).
{ npy '<f2' '(3, 40, 128)'; head -c 30720 /dev/zero; } >zero.npy
ropewalk attend baichuan-13b --q zero.npy --k zero.npy --full --scores scores.npy
header_of scores.npy
awk 'BEGIN { for (h = 1; h <= 40; ++h) for (q = 0; q < 3; ++q) for (k = 0; k < 3; ++k)
  printf "%.9g\n", (h <= 32 ? 2 ^ (-8 * h / 32) : 2 ^ (-4 * (2 * (h - 32) - 1) / 32)) * k }' >expected
paste <(numbers scores.npy) expected | awk '
  { d = $1 - $2; if (d < 0) d = -d; if (d > 1e-6) { print "number " NR ": " $0; bad = 1 } }
  END { if (NR == 360 && !bad) print "360 scores are the bias" }'
# v = 1: whatever the weights of the softmax are, they add up to 1.
{ npy '<f2' '(3, 40, 128)'; head -c 30720 /dev/zero | tr '\0' '\074'; } >v.npy
ropewalk attend baichuan-13b --q zero.npy --k zero.npy --v v.npy --causal -o out.npy
header_of out.npy
numbers out.npy | awk '{ d = $1 - 1.05859375; if (d < 0) d = -d; if (d > 1e-6) bad = 1 } END { print NR, bad ? "bad" : "right" }'
try ropewalk attend baichuan-13b --q zero.npy --k zero.npy --v v.npy --positions 0..3 -o none.npy
try ropewalk attend baichuan-13b --q zero.npy --k zero.npy --v v.npy --token-ids v.npy -o none.npy
left
