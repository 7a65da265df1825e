try ropewalk encode "我 愛 你" --kind integer
try ropewalk encode "我 愛 你" --kind one-hot
try ropewalk encode --positions 3,1 --kind one-hot --json
try ropewalk encode --positions -1,2 --kind integer
try ropewalk encode --positions -1,2 --kind one-hot
try ropewalk encode --positions 9223372036854775807 --kind one-hot
try ropewalk encode --positions 0 --kind learned
