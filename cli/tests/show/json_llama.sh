# 64 frequencies: the facts, the first and the last.
ropewalk show llama-3-8b --json >all.json
head -80 all.json
echo ...
tail -20 all.json
