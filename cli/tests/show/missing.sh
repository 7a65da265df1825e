# C1, and K26, K27: no file, no config.json in the folder, no regular file.
mkdir empty-folder folder-config
mkdir folder-config/config.json
mkfifo fifo.json
ln -s loop.json loop.json
try ropewalk show lama-2-7b
try ropewalk show llama-2-7b/config.json
try ropewalk show nothing.json
try ropewalk show empty-folder
try ropewalk show folder-config
try timeout 10 ropewalk show fifo.json
try timeout 10 ropewalk show /dev/zero
try ropewalk show loop.json
try ropewalk show "$(printf 'n%.0s' {1..300})/config.json"
