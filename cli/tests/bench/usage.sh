try ropewalk bench --rounds 1
try ropewalk bench --json --csv
# A text that no workload holds measures nothing.
try ropewalk bench --only nothing
try ropewalk bench --only nothing --large
try ropewalk bench --only nothing --lines
try ropewalk bench --threads 0
try ropewalk bench --threads 1025
try ropewalk bench --threads many
