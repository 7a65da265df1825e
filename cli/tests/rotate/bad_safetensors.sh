# S1 to S41 as seen from here.
rotate() { try ropewalk rotate --head-dim 4 --pairing half_split --q "$1"; }
bad() { printf "$1" >bad.safetensors; rotate bad.safetensors; }
bad ''
bad '1234567'
bad '\0\0\0\0\0\0\0\0'
bad '\xff\xff\0\0\0\0\0\0{}'
bad '\xff\xff\xff\xff\xff\xff\xff\xff{}'
file() { { safetensors "$1"; printf "$one_to_four"; } >bad.safetensors; rotate bad.safetensors; }
file '{"q":{"dtype":"F32","shape":[1,1,4],"data_offsets":[0,16]}}'
file '[]'
file '{"q":'
file '{"q":{"dtype":"F32","shape":[1,1,4],"data_offsets":[0,16]},"q":{"dtype":"F32","shape":[1,1,4],"data_offsets":[0,16]}}'
file '{"q":{"shape":[1,1,4],"data_offsets":[0,16]}}'
file '{"q":{"dtype":"F8_E9","shape":[1,1,4],"data_offsets":[0,16]}}'
file '{"q":{"dtype":"F32","shape":[1,-1,4],"data_offsets":[0,16]}}'
file '{"q":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]}}'
file '{"q":{"dtype":"F32","shape":[1,1,4],"data_offsets":[16,0]}}'
file '{"q":{"dtype":"F32","shape":[1,1,8],"data_offsets":[0,32]}}'
file '{"q":{"dtype":"F32","shape":[1,1,3],"data_offsets":[0,12]}}'
file '{"q":{"dtype":"F32","shape":[1,1,2],"data_offsets":[0,16]}}'
file '{"q":{"dtype":"I64","shape":[1,1,2],"data_offsets":[0,16]}}'
file '{"x":{"dtype":"F32","shape":[1,1,4],"data_offsets":[0,16]}}'
file '{"q":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]}}'
file $'{"a\\u001b[31m\xff":1}'
left
