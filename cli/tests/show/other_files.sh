# Files and folders that describe no model say what they are, and what to give instead.
mkdir empty lora pipeline
echo '{"base_model_name_or_path": "x", "peft_type": "LORA"}' > lora/adapter_config.json
echo '{"_class_name": "FluxPipeline"}' > pipeline/model_index.json
for path in empty lora pipeline testdata/formats/f4_v1.npy; do try ropewalk show "$path"; done
printf '\010\0\0\0\0\0\0\0{}      ' > model.safetensors
try ropewalk show model.safetensors
