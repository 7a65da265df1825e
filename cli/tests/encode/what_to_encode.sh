try ropewalk encode
try ropewalk encode a --positions 0
try ropewalk encode a b
try ropewalk encode -- -x --dim 4
try ropewalk encode --dim 4 -- -x
try ropewalk encode ' ' --dim 4
try ropewalk encode $'a\xffb' --dim 4
try ropewalk encode $'\xed\xa0\x80' --dim 4
try ropewalk encode $'a\tb\nc' --dim 4
try ropewalk encode $'\x1b[31mred' --dim 4
