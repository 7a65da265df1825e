# A preset is its model's own config.json: the same frequencies, bit for bit.
for model in testdata/models/*; do
  cmp <(ropewalk show "$model" --json | sed -n '/"frequencies"/,$p') \
    <(ropewalk show "$(basename "$model")" --json | sed -n '/"frequencies"/,$p')
  cmp <(ropewalk show "$model" --json) <(ropewalk show "$model/config.json" --json)
done
