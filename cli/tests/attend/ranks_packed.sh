# Sequences packed in one tensor, none of which sees another; a batch is the same, of equal lengths.
for x in q:0:64 k:7:16 v:50:16; do
  IFS=: read -r name first dim <<<"$x"
  ropewalk encode --positions "$first..$((first + 96))" --dim "$dim" -o pe.npy --force
  tail -c +129 pe.npy >"$name.raw"
  { npy '<f4' "(96, $((dim / 8)), 8)"; cat "$name.raw"; } >"$name.npy"
  { npy '<f4' "(3, 32, $((dim / 8)), 8)"; cat "$name.raw"; } >"$name.batch.npy"
  # Tokens 40 to 95 by themselves.
  { npy '<f4' "(56, $((dim / 8)), 8)"; tail -c +$((40 * dim * 4 + 1)) "$name.raw"; } >"$name.last.npy"
done
in_ranks() { ranks "$1" ropewalk attend data/llama --q "q$2" --k "k$2" --v "v$2" "${@:3}" --force; }
ropewalk attend data/llama --q q.npy --k k.npy --v v.npy --cu-seqlens 0,40,40,96 -o packed.npy
ropewalk attend data/llama --q q.last.npy --k k.last.npy --v v.last.npy -o last.npy
diff <(numbers packed.npy | tail -n +$((40 * 64 + 1))) <(numbers last.npy) >/dev/null && echo "a sequence as it is alone"
for order in zigzag contiguous; do
  in_ranks 3 .npy --cu-seqlens 0,40,40,96 --order $order -o out.npy && within 1e-6 out.npy packed.npy
done
ropewalk attend data/llama --q q.batch.npy --k k.batch.npy --v v.batch.npy -o batch.npy
in_ranks 2 .batch.npy -o out.npy && within 1e-6 out.npy batch.npy
# As [batch, heads, tokens, channels], of one token each the same numbers: [96, 8, 1, 8].
for x in q:8 k:2 v:2; do
  { npy '<f4' "(96, ${x#*:}, 1, 8)"; cat "${x%:*}.raw"; } >"${x%:*}.bhsd.npy"
done
in_ranks 2 .bhsd.npy --layout bhsd -o out.npy && header_of out.npy
ropewalk attend data/llama --layout bhsd --q q.bhsd.npy --k k.bhsd.npy --v v.bhsd.npy -o bhsd.npy
within 1e-6 out.npy bhsd.npy
