# ChatGLM-6B: one window turns by the position, the other by the block position. Tokens: two words, gMASK, bos, two
# more: positions 0 1 2 2 2 2, block positions 0 0 0 1 2 3.
{ npy '<f4' '(6, 1, 8)'; for _ in {1..12}; do printf "$one_to_four"; done; } >x.npy
try ropewalk rotate data/chatglm-6b --q x.npy --token-ids data/chatglm-6b/tokens.npy
{
  npy '<i4' '(2, 1, 6)'
  printf '\0\0\0\0\1\0\0\0\2\0\0\0\2\0\0\0\2\0\0\0\2\0\0\0'
  printf '\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0'
} >planes.npy
cmp <(ropewalk rotate data/chatglm-6b --q x.npy --token-ids data/chatglm-6b/tokens.npy) \
  <(ropewalk rotate data/chatglm-6b --q x.npy --positions planes.npy) && echo "the same by --positions"
# A plain run of positions is never taken.
try ropewalk rotate data/chatglm-6b --q x.npy
try ropewalk rotate data/chatglm-6b --q x.npy --positions 0..6
try ropewalk rotate data/chatglm-6b --q x.npy --positions planes.npy --token-ids data/chatglm-6b/tokens.npy
{ npy '<i4' '(6,)'; head -c 24 /dev/zero; } >no_mask.npy
try ropewalk rotate data/chatglm-6b --q x.npy --token-ids no_mask.npy
try ropewalk rotate data/chatglm-6b --q x.npy --token-ids x.npy
{ npy '<i4' '(4,)'; printf '\5\0\0\0\xd1\xfb\1\0\xd4\xfb\1\0\7\0\0\0'; } >short.npy
try ropewalk rotate data/chatglm-6b --q x.npy --token-ids short.npy
try ropewalk rotate llama-2-7b --q x.npy --token-ids data/chatglm-6b/tokens.npy
