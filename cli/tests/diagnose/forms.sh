# Sinusoidal vectors: as M2M100 has them, with the paper's spacing, another base and an offset; and without a model.
ropewalk encode --help >/dev/null
m2m=testdata/models/m2m100-418m
ropewalk encode --positions 2..12 --dim 1024 --layout fairseq -o right.npy
ropewalk encode --positions 2..12 --dim 1024 --layout sin_cos -o spaced.npy
ropewalk encode --positions 0..10 --dim 1024 --layout fairseq -o shifted.npy
ropewalk encode --positions 0..10 --dim 64 --base 500 -o base.npy
for vectors in right spaced shifted; do try ropewalk diagnose $m2m --sinusoidal $vectors.npy --positions 0..10; done
try ropewalk diagnose --sinusoidal base.npy
try ropewalk diagnose --sinusoidal base.npy --json
try ropewalk diagnose $m2m --sinusoidal base.npy
try ropewalk diagnose llama-3-8b --sinusoidal base.npy
try ropewalk diagnose $m2m --sinusoidal right.npy --layer 3
