# C1 to C9: what is not JSON, with line and column.
config() { printf "$1" >"$2"; try ropewalk show "$2"; }
config '' empty.json
config '   \n' blank.json
config '\xff\xfe{\x00}\x00' utf16.json
config '\xef\xbb\xbf{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 1}' bom.json | first 3
config '{\n  // the model\n  "model_type": "llama"\n}' comment.json
config '{"model_type": "llama",}' comma.json
config "{'model_type': 'llama'}" single_quotes.json
config '{"model_type": "lla' truncated.json
config '{"rope_theta": 10000,\n "rope_theta": 500000}' twice.json
config '{"model_type": "llama"} {}' two_values.json
config '{"model_type": "\xff"}' not_utf8.json
config '[1, 2]' array.json
config '"llama"' text.json
head -c 100000 /dev/zero | tr '\0' '[' >deep.json
try ropewalk show deep.json
truncate -s 65M large.json
try ropewalk show large.json
