# A preset is its model's own config.json: the same frequencies, bit for bit.
numbers() { ropewalk show "$1" --json | sed -n '/"frequencies"\|"alibi_slopes"/,$p'; }
for model in testdata/models/*; do
  cmp <(numbers "$model") <(numbers "$(basename "$model")")
  [[ -n $(numbers "$model") ]] || echo "$model: nothing was compared"
  cmp <(ropewalk show "$model" --json) <(ropewalk show "$model/config.json" --json)
done
