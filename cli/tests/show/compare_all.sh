# Every pair of two models, and both in one picture.
try ropewalk show testdata/models/gpt-neox-20b testdata/models/pythia-1.4b --all | tail -n 24
try ropewalk show testdata/models/gemma-3-4b testdata/models/gemma-3-1b --all | grep -A 4 '^Layer'
ropewalk show testdata/models/gemma-3-4b testdata/models/gemma-3-1b --all --json | grep -A 3 -e '"pairs": \[' -e inv_freq_b
try ropewalk show llama-3-8b llama-3-8b --all
