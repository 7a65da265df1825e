# f4, f2, bf16 (as numpy with ml_dtypes saves it), either byte order, either order of storage.
rotate() { try ropewalk rotate --head-dim 4 --pairing half_split --positions 1 --q "$@"; }
{ npy '<f2' '(1, 1, 4)'; printf '\x00\x3c\x00\x40\x00\x42\x00\x44'; } >f2.npy
rotate f2.npy
{ npy '|V2' '(1, 1, 4)'; printf '\x80\x3f\x00\x40\x40\x40\x80\x40'; } >v2.npy
rotate v2.npy
rotate v2.npy --bf16
{ npy '>f4' '(1, 1, 4)'; printf '\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0'; } >big_endian.npy
rotate big_endian.npy
{ npy '<f4' '(1, 1, 4)' True; printf "$one_to_four"; } >fortran.npy
rotate fortran.npy
# Two heads in Fortran order: 1 to 4 and 4 to 1 take turns in the file.
{
  npy '<f4' '(1, 2, 4)' True
  printf '\0\0\x80\x3f\0\0\x80\x40\0\0\0\x40\0\0\x40\x40\0\0\x40\x40\0\0\0\x40\0\0\x80\x40\0\0\x80\x3f'
} >fortran_heads.npy
try ropewalk rotate --head-dim 4 --pairing half_split --positions 0 --q fortran_heads.npy
{ npy '<f8' '(1, 1, 4)'; head -c 32 /dev/zero; } >f8.npy
rotate f8.npy
rotate testdata/formats/i4_c.npy
rotate testdata/formats/b1.npy
