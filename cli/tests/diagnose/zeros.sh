# Dumps that no rotation makes, or that tell nothing: zeros, nothing turned. Keys by their own count of heads.
floats() { for ((i = 0; i < $2; ++i)); do printf "$1"; done; }
{ npy '<f4' '(1, 1, 2, 128)'; floats '\0\0\0\0' 256; } >zeros.npy
{ npy '<f4' '(1, 1, 2, 128)'; floats '\0\0\x80\x3f' 256; } >ones.npy
try ropewalk diagnose llama-3-8b --before zeros.npy --after ones.npy
try ropewalk diagnose llama-3-8b --mine ones.npy --reference zeros.npy
try ropewalk diagnose llama-3-8b --before zeros.npy --after zeros.npy
try ropewalk diagnose --before zeros.npy --after ones.npy
try ropewalk diagnose --before ones.npy --after ones.npy
try ropewalk diagnose --before ones.npy --after ones.npy --json
try ropewalk diagnose llama-3-8b --before ones.npy --after ones.npy
# 8 heads of 16 tokens, all at position 0: of keys [batch, heads, seq, head_dim].
{ npy '<f4' '(1, 8, 16, 128)'; floats '\0\0\x80\x3f' 16384; } >keys.npy
try ropewalk diagnose llama-3-8b --before keys.npy --after keys.npy --positions 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
