# Tables and frequencies without a model; complex numbers, of .npy and as Meta's code keeps them (testdata/formats/freqs_cis.pt).
for form in half doubled interleaved complex; do
  ropewalk table llama-3-8b --positions 0..40 --form $form -o $form.$([[ $form == complex ]] && echo npy || echo safetensors)
done
for form in half doubled interleaved; do
  try ropewalk diagnose --cos $form.safetensors:cos --sin $form.safetensors:sin
done
try ropewalk diagnose --freqs-cis complex.npy
try ropewalk diagnose --freqs-cis complex.npy --json
try ropewalk diagnose llama-3-8b --freqs-cis complex.npy
try ropewalk diagnose --freqs-cis testdata/formats/freqs_cis.pt --positions 2..8
try ropewalk diagnose llama-3-8b --freqs-cis testdata/formats/freqs_cis.pt --positions 2..8
try ropewalk diagnose llama-2-7b --freqs-cis testdata/formats/freqs_cis.pt --positions 2..8
ropewalk table testdata/models/llama-3.1-8b --positions 0..40 -o scaled.safetensors
try ropewalk diagnose --cos scaled.safetensors:cos --sin scaled.safetensors:sin
echo "-- frequencies: 1, 0.1"
{ npy '<f4' '(2,)'; printf '\0\0\x80\x3f\xcd\xcc\xcc\x3d'; } >two.npy
try ropewalk diagnose --inv-freq two.npy
echo "-- two dumps"
d=testdata/diagnose/llama-3-8b
for mine in right base_10000 other_pairing not_rotated one_too_many; do
  try ropewalk diagnose --mine $d/$mine.npy --reference $d/right.npy --positions 37..41
done
try ropewalk diagnose --mine $d/base_10000.npy --reference $d/right.npy --positions 37..41 --json
echo "-- what is refused"
try ropewalk diagnose llama-3-8b --freqs-cis half.safetensors:cos
try ropewalk diagnose --cos half.safetensors:cos --sin half.safetensors:sin --layer 3
try ropewalk diagnose --freqs-cis complex.npy --inv-freq two.npy
