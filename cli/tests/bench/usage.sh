try ropewalk bench --rounds 1
try ropewalk bench --json --csv
