# Dumps of torch.save (tools/reference/make_format_fixtures.py): by name, the only one, q of several; what is refused.
d=testdata/diagnose/llama-3-8b f=testdata/formats
diagnose() { try ropewalk diagnose llama-3-8b --positions 37..41 "$@"; }
diagnose --before $f/dump.pt:layers.0.before --after $f/dump.pt:layers.0.right
diagnose --before $f/dump.pt --after $f/dump.pt:layers.0.wrong
diagnose --before $d/before.npy --after $f/tensors.pt
diagnose --before $f/dump.pt:layers.1.before --after $d/right.npy
diagnose --before $f/call.pt --after $d/right.npy
diagnose --before $f/negative_view.pt --after $d/right.npy
diagnose --before $f/before_1_6.pt --after $d/right.npy
diagnose --before $f/archive.npz --after $d/right.npy
cp $f/archive.npz archive.pt
diagnose --before archive.pt --after $d/right.npy
head -c 1000 $f/one.pt >short.pt
diagnose --before short.pt --after $d/right.npy
# The other commands.
try ropewalk rotate --head-dim 6 --pairing half_split --layout thd --q $f/one.pt
try ropewalk rotate llama-3-8b --positions 37..41 --q $f/dump.pt -o q.npy
try ropewalk rotate llama-3-8b --positions 37..41 --q $f/dump.pt:layers.0.before -o view.npy
cmp q.npy view.npy
try ropewalk rotate llama-3-8b --q $f/tensors.pt
