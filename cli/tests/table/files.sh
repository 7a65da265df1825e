# A table as a file: one array of both in .npy, two tensors and what they are in .safetensors, a row for a position in .csv.
cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 2}
JSON
table() { try ropewalk table config.json --positions 0..3 "$@"; }
table -o t.npy
header_of t.npy
numbers t.npy | tr -s ' \n' ' '; echo
table --form doubled -o t.safetensors
tail -c +9 t.safetensors | grep -a -o '^{.*}}'
table -o t.csv
cat t.csv
table --form complex -o c.npy
header_of c.npy
numbers c.npy | tr -s ' \n' ' '; echo
table --form complex -o c.safetensors
grep -a -o '"freqs_cis":{[^}]*}' c.safetensors
try ropewalk table config.json --inv-freq -o f.npy
header_of f.npy
numbers f.npy | tr -s ' \n' ' '; echo
try ropewalk table config.json --inv-freq -o f.csv
cat f.csv
# Position ids of a file, a row for each sequence.
{ npy '<i4' '(2, 2)'; printf '\0\0\0\0\1\0\0\0\2\0\0\0\7\0\0\0'; } >ids.npy
try ropewalk table config.json --positions ids.npy -o batch.npy
header_of batch.npy
try ropewalk table config.json --positions ids.npy
try ropewalk table config.json --positions ids.npy -o t.csv --force
cat t.csv
left
