# K22: names with spaces, line breaks, bytes that are not UTF-8, and those that look like options.
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
rotate=(ropewalk rotate --pairing half_split)
for name in 'a space.npy' $'two\nlines.npy' $'latin-\xe9.npy' '雨.npy' -o.npy --q.npy; do
  "${rotate[@]}" --head-dim 4 --q x.npy -o "$name"
  "${rotate[@]}" --head-dim 4 --q x.npy "--output=$name" --force
  "${rotate[@]}" --head-dim 4 --q "$name"
  try "${rotate[@]}" --head-dim 8 --q "$name" | grep stderr
  try "${rotate[@]}" --head-dim 4 --q x.npy -o "$name" | grep stderr
done
