# K21, K23: the same bytes whatever the locale and the terminal say.
ropewalk encode "我 愛" --dim 5 >c
for locale in C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8 unheard-of; do
  env LC_ALL=$locale LANG=$locale TERM=dumb COLUMNS=20 ropewalk encode "我 愛" --dim 5 2>&1 | cmp - c
done
try env LC_ALL=de_DE.UTF-8 ropewalk encode --positions 5 --dim 4 --base 10000.5
try env LC_ALL=de_DE.UTF-8 ropewalk encode --positions 5 --dim 4 --base 10000,5
env -u NO_COLOR TERM=xterm COLUMNS=20 ropewalk show llama-3-8b | cmp - <(ropewalk show llama-3-8b)
