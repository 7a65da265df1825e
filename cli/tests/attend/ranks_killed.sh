# A rank that dies while keys travel ends all, one that is stopped within the deadline; nothing is written.
{ npy '<f4' '(64, 8, 8)'; head -c 16384 /dev/zero; } >q.npy
{ npy '<f4' '(64, 2, 8)'; head -c 4096 /dev/zero; } >k.npy
fault() {  # RANK SIGNAL RANKS DEADLINE
  ROPEWALK_FAULT_RANK=$1 ROPEWALK_FAULT_SIGNAL=$2 OMPI_MCA_mca_base_env_list=LD_PRELOAD=$ROPEWALK_MPI_FAULT ranks "$3" \
    ropewalk attend data/llama --q q.npy --k k.npy --v k.npy --deadline "$4" -o out.npy
  (($?)) && echo "no success"
}
echo "rank 1 of 2 is killed"
fault 1 KILL 2 60
echo "rank 2 of 4 is stopped"
fault 2 STOP 4 4 2>err
# Whoever waits for it first says so.
sed 's/rank [13] of 4: expected rank 2 to [a-z]* [a-z]*/rank N of 4: expected rank 2 to .../; s/for [0-9.]* s/for T s/' err | sort -u >&2
rm -f err
left
