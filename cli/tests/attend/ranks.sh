# Several ranks give what one gives: any number, either order, one sequence or several, uneven and empty shards.
heads() {  # TOKENS: q [tokens, 8, 8], k and v [tokens, 2, 8] of sines
  for x in q:0:64 k:7:16 v:50:16; do
    IFS=: read -r name first dim <<<"$x"
    ropewalk encode --positions "$first..$((first + $1))" --dim "$dim" -o pe.npy --force
    { npy '<f4' "($1, $((dim / 8)), 8)"; tail -c +129 pe.npy; } >"$name.npy"
  done
}
attend() { ropewalk attend data/llama --q q.npy --k k.npy --v v.npy --force "$@"; }
in_ranks() { ranks "$1" ropewalk attend data/llama --q q.npy --k k.npy --v v.npy --force "${@:2}"; }

heads 131
attend -o whole.npy
for way in 1:zigzag 2:zigzag 3:zigzag 4:zigzag 2:contiguous 4:contiguous; do
  IFS=: read -r n order <<<"$way"
  in_ranks "$n" --order "$order" -o "$order$n.npy" && within 1e-6 "$order$n.npy" whole.npy
done
# Messages of 100 bytes at most: a block of some thousand goes in parts.
in_ranks 3 --largest-message 100 -o parts.npy && cmp parts.npy zigzag3.npy && echo "the same in parts"
# The bytes of the plan are those that are sent.
diff <(ropewalk attend data/llama --plan 3 --tokens 131 --rate 1 --json | grep sent_bytes) \
  <(in_ranks 3 --json -o out.npy | grep sent_bytes | sed 's/^ *//; s/^/      /') && echo "as planned"
# All see all; positions of one's own; padding; more ranks than tokens.
attend --full -o whole.npy && in_ranks 2 --full -o out.npy && within 1e-6 out.npy whole.npy
{ npy '<i8' '(131,)'; for i in {0..130}; do printf "\\x$(printf %02x $((i * 3 % 251)))\0\0\0\0\0\0\0"; done; } >ids.npy
attend --positions ids.npy -o whole.npy && in_ranks 2 --positions ids.npy -o out.npy && within 1e-6 out.npy whole.npy
{ npy '|b1' '(1, 131)'; for i in {0..130}; do printf "\\x0$((i % 5 > 0))"; done; } >mask.npy
attend --key-mask mask.npy -o whole.npy && in_ranks 3 --key-mask mask.npy -o out.npy && within 1e-6 out.npy whole.npy
heads 3
attend -o whole.npy && in_ranks 4 -o out.npy && within 1e-6 out.npy whole.npy
header_of out.npy
