# A build without MPI does not let several processes write one file.
{ npy '<f4' '(4, 8, 8)'; head -c 1024 /dev/zero; } >q.npy
{ npy '<f4' '(4, 2, 8)'; head -c 256 /dev/zero; } >k.npy
export OMPI_COMM_WORLD_SIZE=2
try ropewalk attend data/llama --q q.npy --k k.npy --v k.npy -o out.npy
left
