# Too much to print is said before it is made: these would take minutes and gigabytes.
try timeout 10 ropewalk positions grid 10000x20000 --merge 1
try timeout 10 ropewalk positions grid 10000x20000 --merge 1 --json
try timeout 10 ropewalk positions packed 0,200000000
try timeout 10 ropewalk positions offsets 0 --seq 200000000
try ropewalk positions mrope 1000000
try ropewalk positions packed 0,5000
try ropewalk positions packed 0,5000 --ranks 1
# What is wrong comes first.
try ropewalk positions packed 0,1000000,5
try ropewalk positions packed 0,1000000 --firsts 1,2
try ropewalk positions grid 10000x20000 --axes xy
