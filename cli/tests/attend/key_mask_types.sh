# transformers' attention_mask is int64; what is neither 0 nor 1 is an error, wherever it comes from.
attend() { try ropewalk attend llama-2-7b --q q.npy --k q.npy --scores "$@"; }
{ npy '<f4' '(1, 2, 32, 128)'; head -c 32768 /dev/zero; } >q.npy
{ npy '<i8' '(1, 2)'; printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; } >i8.npy
{ npy '<i4' '(1, 2)'; printf '\1\0\0\0\0\0\0\0'; } >i4.npy
{ npy '|u1' '(1, 2)'; printf '\1\0'; } >u1.npy
{ npy '|b1' '(1, 2)'; printf '\1\0'; } >b1.npy
for type in i8 i4 u1 b1; do attend $type.scores.npy --key-mask $type.npy; done
for type in i4 u1 b1; do cmp i8.scores.npy $type.scores.npy && echo "$type: the same bytes"; done
numbers i8.scores.npy | sort | uniq -c
{ npy '<i8' '(1, 2)'; printf '\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; } >two.npy
attend two.scores.npy --key-mask two.npy
{ npy '|u1' '(1, 2)'; printf '\1\377'; } >inverse.npy
attend two.scores.npy --key-mask inverse.npy
left
