# As if the config.json stated another scaling.
try ropewalk table llama-3-8b --positions 0,8191 --with rope_type=yarn,factor=4
try ropewalk table llama-3-8b --positions 0 --with rope_type=linear
