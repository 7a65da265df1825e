# A scaled encoding is refused by its name, never read as if it were not scaled.
start='"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 2'
scaling() { echo "{$start, $1}" >config.json; try ropewalk show config.json; }
for type in linear dynamic yarn longrope llama3; do
  scaling "\"rope_scaling\": {\"rope_type\": \"$type\", \"factor\": 8}"
done
scaling '"rope_scaling": {"type": "linear", "factor": 2}'
scaling '"rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}'
scaling '"rope_scaling": {"factor": 2}'
scaling '"rope_scaling": "linear"'
scaling '"rope_parameters": {"full_attention": {"rope_theta": 10000}}'
scaling '"rope_theta": 10000, "rope_parameters": {"rope_type": "default", "rope_theta": 20000}'
scaling '"rope_scaling": {"rope_type": "default"}' | first 3
scaling '"rope_scaling": {}' | tail -n +12 | first 3
scaling '"alibi": true, "rotary_pct": 0.25' | grep note
