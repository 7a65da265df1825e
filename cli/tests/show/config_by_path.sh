# A file that bears a preset's name is the file.
cp data/llama/config.json llama-2-7b
try ropewalk show llama-2-7b | first 6
# Names that need care.
mkdir ./-folder $'two\nlines'
cp data/llama/config.json ./-folder
cp data/llama/config.json $'two\nlines'
try ropewalk show -- -folder | first 3
ropewalk show $'two\nlines' | first 3
cp data/llama/config.json $'latin-\xe9.json'
ropewalk show $'latin-\xe9.json' | first 3
ropewalk show $'latin-\xe9.json' --json | tail -5
