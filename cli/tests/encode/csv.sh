ropewalk encode "我 愛" --dim 4 -o pe.csv
cat pe.csv
# Not replaced unless asked, K6.
try ropewalk encode --positions 7 --dim 2 -o pe.csv
cat pe.csv
try ropewalk encode --positions 7 --dim 2 -o pe.csv --force
cat pe.csv
left
