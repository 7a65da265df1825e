# cos and sin of chosen positions, in each form. At position 1 the pairs of a head of 4 turn by 1 and 0.01.
cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 2}
JSON
for form in half doubled interleaved complex; do try ropewalk table config.json --positions 0,1,-1 --form $form; done
try ropewalk table config.json --positions 1 --dtype bf16
try ropewalk table llama-3-8b --positions 0..3
try ropewalk table llama-2-7b --positions 0..40 | tail -n 3
# What float32 does to a position that it does not hold.
for angles in exact ideal hf_float32 ggml_float32; do
  try ropewalk table config.json --positions 16777217 --angles $angles | tail -n 2
done
# YaRN multiplies both by attention_scaling; the frequencies themselves it does not.
try ropewalk table testdata/models/qwen2.5-7b-yarn --positions 0 | tail -n 6
try ropewalk table config.json --inv-freq
try ropewalk table testdata/models/qwen2-vl-7b --inv-freq --part vision | first 10
