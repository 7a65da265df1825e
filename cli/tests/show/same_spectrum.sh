# A preset is its model's own config.json: the same frequencies, bit for bit.
numbers() { ropewalk show "$1" --json | sed -n '/"frequencies"\|"alibi_slopes"/,$p'; }
for name in llama-2-7b llama-3-8b baichuan-7b baichuan-13b chatglm-6b chatglm2-6b chatglm3-6b glm-4-9b-chat; do
  model=testdata/models/$name
  cmp <(numbers "$model") <(numbers "$name")
  [[ -n $(numbers "$model") ]] || echo "$model: nothing was compared"
  cmp <(ropewalk show "$model" --json) <(ropewalk show "$model/config.json" --json)
done
