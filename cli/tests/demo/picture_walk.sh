# What is left by rounding depends on the machine's OpenBLAS and libm: its size is checked, its digits are not; it may be nothing.
ropewalk demo -o pictures >walk
sed 's/-\?[0-9]\.[0-9]e-0[6-9]\|\b0\.0e+00/ROUNDED/g; s/ *ROUNDED/  ROUNDED/g' walk
for picture in pictures/*; do is_png "$picture"; done
# A second walk replaces its pictures, with the same bytes (K33).
cp -r pictures earlier
ropewalk demo -o pictures | cmp - walk && echo "the same text"
diff -r pictures earlier && echo "the same pictures"
