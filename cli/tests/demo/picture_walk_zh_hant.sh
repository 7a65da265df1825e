# The sentences of picture_walk in Chinese; see there for what is ROUNDED. The numbers are the same.
numbers_in() { grep -oE '[0-9]+\.[0-9]+(e-[0-9]+)?' "$1"; }
ropewalk demo --lang zh-hant -o pictures >walk
sed 's/-\?[0-9]\.[0-9]e-0[6-9]\|\b0\.0e+00/ROUNDED/g; s/ *ROUNDED/  ROUNDED/g' walk
for picture in pictures/*; do is_png "$picture"; done
ropewalk demo -o english | diff <(numbers_in walk) <(numbers_in -) && echo "the same numbers"
for picture in pictures/*; do cmp -s "$picture" "english/${picture#*/}" && echo "$picture is in English"; done
left
