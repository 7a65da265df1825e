# N1 to N20: a file that is no array of numbers says where and why, and gives exit code 3.
rotate() { try ropewalk rotate --head-dim 4 --pairing half_split --q "$1"; }
bad() { printf "$1" >bad.npy; rotate bad.npy; }
bad ''
bad '\x93NUMPY'
bad '\x93NUMPZ\1\0'
bad '\x93NUMPY\4\0aaaaaaaa'
bad '\x93NUMPY\0\0aaaaaaaa'
bad '\x93NUMPY\1\0\x60\xea{}'
bad '\x93NUMPY\2\0\xf0\xff\xff\xff{}'
{ printf '\x93NUMPY\2\0\1\0\1\0'; head -c 65537 /dev/zero; } >long_header.npy
rotate long_header.npy
array() { { npy "$@"; printf "$one_to_four"; } >bad.npy; rotate bad.npy; }
for type in '<f1' '|O' '<U4' '<c8' '<M8[ns]' 'f4' '=f4'; do array "$type" '(1, 1, 4)'; done
for shape in '(4)' '4' '[4]' '(4.0,)' '(-1,)' '(1, 1, 3)' '(1, 1, 5)' '(18446744073709551616,)' \
  '(4294967296, 4294967296, 4294967296)' '(1,1,1,1,1,1,1,1,1,4)' '((1,), 4)' '(1, 1, 4'; do
  array '<f4' "$shape"
done
for order in 0 1 '"False"' None; do array '<f4' '(1, 1, 4)' "$order"; done
for header in "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}" \
  "{'descr': '<f4', 'fortran_order': False}" "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'more': 1}" \
  "__import__('os')" "{} # nothing" "{'descr': '<f4'"; do
  printf "\x93NUMPY\1\0\x$(printf %x ${#header})\0%s" "$header" >bad.npy
  rotate bad.npy
done
array '<f4' '(4,)'
array '<f4' '(1, 1, 2)'
for file in archive.npz object.npy structured.npy reference.safetensors; do rotate testdata/formats/$file; done
printf '\x80\x02}q\0.' >bad.npy && rotate bad.npy
printf 'GGUF\3\0\0\0' >bad.npy && rotate bad.npy
cp data/llama/layer.safetensors renamed.npy && rotate renamed.npy
left
