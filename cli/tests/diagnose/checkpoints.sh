# Two checkpoints of one layer, made by tools/reference/diagnose_weights.py.
d=testdata/diagnose_weights
for other in hf meta wrong heads copies groups cut f16.gguf wrong.gguf q8_0.gguf; do
  try ropewalk diagnose $d/hf $d/$other
done
echo "-- Meta's rows under a config of Hugging Face; the command that mends it"
mkdir bad
cp $d/hf/config.json bad
ropewalk permute $d/hf --from hf --to meta -o moved >/dev/null 2>&1
cp moved/*.safetensors moved/*.index.json bad
try ropewalk diagnose $d/hf bad
ropewalk permute bad --from meta --to hf -o NEW >/dev/null 2>&1
try ropewalk diagnose $d/hf NEW
echo "-- rows alone; as JSON"
sed 's/10000.0/500000.0/' $d/hf/config.json >bad/config.json
try ropewalk diagnose $d/hf bad
try ropewalk diagnose $d/hf bad --weights
try ropewalk diagnose $d/hf $d/cut --json
rm bad/config.json
try ropewalk diagnose $d/hf bad
try ropewalk diagnose $d/hf bad --weights
try ropewalk diagnose $d/hf bad --other-model $d/meta/params.json
echo "-- what is refused"
try ropewalk diagnose llama-3-8b $d/hf
try ropewalk diagnose $d/hf nowhere
try ropewalk diagnose $d/hf --weights
try ropewalk diagnose $d/hf $d/meta --before $d/hf/config.json --after $d/hf/config.json
