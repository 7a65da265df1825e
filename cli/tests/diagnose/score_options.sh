# Scores that NumPy made (tools/diagnose_score_options.py --write): T5's bias, chunks, norms, dumps after the rotation, padding, a prefix.
# The last digits of products differ from one instruction set to another.
scores() { # folder options...
  local d=testdata/diagnose_scores/options/$1
  shift
  try ropewalk diagnose $d/config.json --scores $d/s.npy --q $d/q.npy --k $d/k.npy "$@"
}
d=testdata/diagnose_scores/options
{
  for t5 in t5_right t5_heads_of_the_table_in_reverse; do scores $t5 --bucket-bias $d/$t5/bucket_bias.npy; done
  scores chunks_of_8
  for norms in norms_right norm_after_the_rotation; do
    scores $norms --q-norm $d/$norms/q_norm.npy --k-norm $d/$norms/k_norm.npy
  done
  scores rotated_once_more --rotated
  scores padding_seen --key-mask $d/padding_seen/key_mask.npy
  scores prefix_causal --prefix 9 --positions $d/prefix_causal/positions.npy
} | sed -E 's/([0-9]+\.[0-9])[0-9]*/\1/g'
# What is refused: a norm without its weights, a bias of other buckets.
scores norms_right
scores t5_right --bucket-bias $d/norms_right/q_norm.npy
