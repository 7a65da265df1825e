# Scores that NumPy made (tools/diagnose_scores_corpus.py --write): five tokens, two heads of one key head, f16.
# The last digits of products differ from one instruction set to another.
d=testdata/diagnose_scores/llama-3-8b
{
  for s in right scale_missing q_not_rotated no_causal_mask; do
    try ropewalk diagnose llama-3-8b --scores $d/$s.npy --q $d/q.npy --k $d/k.npy
  done
  try ropewalk diagnose llama-3-8b --scores $d/softmax.npy --q $d/q.npy --k $d/k.npy --after-softmax
  try ropewalk diagnose llama-3-8b --scores $d/scale_missing.npy --q $d/q.npy --k $d/k.npy --json
} | sed -E 's/([0-9]+\.[0-9]{3})[0-9]*/\1/g'
# What is refused.
try ropewalk diagnose llama-3-8b --scores $d/right.npy --q $d/q.npy
try ropewalk diagnose llama-3-8b --scores $d/right.npy --q $d/k.npy --k $d/q.npy
try ropewalk diagnose llama-3-8b --scores $d/right.npy --q $d/q.npy --k $d/k.npy --after-softmax
