for layout in interleaved sin_cos fairseq cos_sin; do
  try ropewalk encode --dim 6 --positions 0..3 --layout $layout
done
try ropewalk encode --dim 7 --positions 1 --layout fairseq
try ropewalk encode --dim 3 --positions 1 --layout cos_sin
try ropewalk encode --dim 6 --positions 1 --layout cos-sin
