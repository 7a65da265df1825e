# Tables of cos and sin in the forms in use, and frequencies.
for form in half doubled interleaved; do
  ropewalk table llama-3-8b --positions 0..32 --form $form -o $form.safetensors
  try ropewalk diagnose llama-3-8b --cos $form.safetensors:cos --sin $form.safetensors:sin
done
try ropewalk diagnose llama-2-7b --cos half.safetensors:cos --sin half.safetensors:sin
try ropewalk diagnose testdata/models/llama-3.1-8b --cos half.safetensors:cos --sin half.safetensors:sin
try ropewalk diagnose testdata/models/gpt-j-6b --cos half.safetensors:cos --sin half.safetensors:sin
{ npy '<f4' '(2,)'; printf '\0\0\x80\x3f\x0a\xd7\x23\x3c'; } >two.npy
try ropewalk diagnose llama-3-8b --inv-freq two.npy
