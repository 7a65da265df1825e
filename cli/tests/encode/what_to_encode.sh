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
# Bytes that are not UTF-8: cut short, overlong, beyond Unicode. A character of four bytes is a token of its own.
for bytes in $'\xe6\x88' $'\xc0\x80' $'\xe0\x80\x80' $'\xf4\x90\x80\x80' $'\xf8\x88\x80\x80\x80' $'ab\x80'; do
  try ropewalk encode "$bytes" --dim 4 | grep stderr
done
ropewalk encode 'a👍b 가나 １２' --dim 2
# Words in Greek and Cyrillic letters stay whole; a wide space separates.
ropewalk encode 'λόγος　слово' --dim 2
