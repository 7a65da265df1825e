# A folder in two files with an index, as save_pretrained with max_shard_size writes it, and what lies beside.
mkdir model
cd model
echo '{"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "num_hidden_layers": 1}' >config.json
layer=model.layers.0.self_attn
tensor() { printf '"%s.%s": {"dtype": "I8", "shape": [%s, 1], "data_offsets": [%s, %s]}' $layer "$@"; }
{ safetensors "{$(tensor q_proj.weight 16 0 16)}"; printf 0123456789abcdef; } >model-00001-of-00002.safetensors
{ safetensors "{$(tensor v_proj.weight 8 0 8), $(tensor k_proj.weight 8 8 16)}"; printf ABCDEFGHabcdefgh; } >model-00002-of-00002.safetensors
cat >model.safetensors.index.json <<JSON
{"metadata": {"total_size": 32}, "weight_map": {"$layer.q_proj.weight": "model-00001-of-00002.safetensors",
 "$layer.k_proj.weight": "model-00002-of-00002.safetensors", "$layer.v_proj.weight": "model-00002-of-00002.safetensors"}}
JSON
echo '{}' >tokenizer.json
echo 1 | tee pytorch_model.bin consolidated.safetensors .hidden >/dev/null
mkdir original
cd ..
try ropewalk permute model --from meta --to hf -o moved
tail -c 16 moved/model-00001-of-00002.safetensors | cat - <(echo)
tail -c 16 moved/model-00002-of-00002.safetensors | cat - <(echo)
(cd moved && left)
cmp model/model.safetensors.index.json moved/model.safetensors.index.json && echo "the index is the same"
try ropewalk permute moved/model.safetensors.index.json --from hf --to meta -o back --json
for file in moved/*; do cmp "model/${file#*/}" "back/${file#*/}"; done
# A cache of Hugging Face: symbolic links; what is written are files.
mkdir blobs snapshot
mv model/model-00001-of-00002.safetensors blobs/a
ln -s ../blobs/a model/model-00001-of-00002.safetensors
try ropewalk permute model --from meta --to hf -o from_links
cmp from_links/model-00001-of-00002.safetensors moved/model-00001-of-00002.safetensors
test -h from_links/model-00001-of-00002.safetensors || echo "a file"
# Places where it may not be.
try ropewalk permute model --from meta --to hf -o model
try ropewalk permute model --from meta --to hf -o moved
try ropewalk permute model --from meta --to hf -o out.safetensors
try ropewalk permute none
try ropewalk permute model --from meta --to hf -o none/moved
try ropewalk permute model --from meta --to hf -o blobs/a
try ropewalk permute model/model.safetensors.index.json --from meta --to hf -o model/
# A file of it is missing; the index lies; no weights, no config, another model's.
rm model/model-00001-of-00002.safetensors
try ropewalk permute model --from meta --to hf -o out
cp blobs/a model/model-00001-of-00002.safetensors
sed -i 's/k_proj.weight": "model-00002/k_proj.weight": "model-00001/' model/model.safetensors.index.json
try ropewalk permute model --from meta --to hf -o out
try ropewalk permute snapshot --from meta --to hf -o out
cp model/config.json snapshot
try ropewalk permute snapshot --from meta --to hf -o out
try ropewalk permute blobs --from meta --to hf -o out
try ropewalk permute back --model llama-2-7b --from meta --to hf -o out
# The disk has no room for the second file.
head -c 3000 /dev/zero >back/tokenizer.json
(
  ulimit -f 1
  ropewalk permute back --from meta --to hf -o out
  echo "exit code $?"
) >code 2>message
cat code message
rm code message
left
