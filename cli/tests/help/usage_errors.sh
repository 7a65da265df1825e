# K1: what is not a command line names what was meant and where to read on.
try ropewalk
try ropewalk shwo
try ropewalk unheard-of
try ropewalk --frob
try ropewalk help rotaet
try ropewalk help unheard-of
try ropewalk show
try ropewalk show --jsno llama-2-7b
try ropewalk show --frob llama-2-7b
try ropewalk show llama-2-7b another
try ropewalk show --json=maybe llama-2-7b
try ropewalk encode --dim
try ropewalk encode --dim 4 --dim 5 a
try ropewalk encode -x
try ropewalk rotate --head-dim 4 --pairing half_split
try ropewalk attend
try ropewalk demo here
try ropewalk bench llama
# E9: the misspelt option, not what is missing for it.
try ropewalk show --hlep
try ropewalk rotate llama-2-7b --qq q.npy
try ropewalk attend --frob
try ropewalk show -o
try ropewalk encode --dim=
try ropewalk encode --dim 4 a -o
try ropewalk encode a --json --json --dim
try ropewalk encode a --force --plot
