ropewalk encode "我 愛 你" --dim 64 --plot pe.png | first 1
is_png pe.png
ropewalk encode --positions 0..20 --dim 16 --kind one-hot --plot pe.svg -o pe.npy
is_svg pe.svg
try ropewalk encode a --plot pe.png
try ropewalk encode a --plot pe.jpg
try ropewalk encode a --plot missing/pe.png
left
ropewalk encode --positions 0..3 --kind integer --plot one.svg | first 1
grep -o '<title>.*</title>' one.svg
