# A model says its own layout. 128 channels of 1 at position 1: which of them turn.
{ npy '<f4' '(1, 1, 128)'; for _ in {1..128}; do printf '\0\0\x80\x3f'; done; } >ones.npy
for model in llama-2-7b llama-3-8b baichuan-7b chatglm2-6b chatglm3-6b glm-4-9b-chat; do
  try ropewalk rotate $model --q ones.npy --positions 1
done
try ropewalk rotate testdata/models/llama-3-8b --q ones.npy --positions 1 --layer 31 | cksum
try ropewalk rotate llama-3-8b --q ones.npy --positions 1 --layer 31 | tail -n +2 | cksum
ropewalk rotate llama-3-8b --q ones.npy --positions 1 | cksum
ropewalk rotate testdata/models/llama-3-8b/config.json --q ones.npy --positions 1 | cksum
