ropewalk encode "我 愛" --dim 4 -o pe.csv
cat pe.csv
# Not replaced unless asked, K6.
try ropewalk encode --positions 7 --dim 2 -o pe.csv
cat pe.csv
try ropewalk encode --positions 7 --dim 2 -o pe.csv --force
cat pe.csv
left
# Tokens stand beside their positions, in quotes where CSV needs them (RFC 4180).
ropewalk encode '我 a,b "c" d' --dim 2 -o tokens.csv
cat tokens.csv
