ropewalk encode --dim 3 --positions 0..100
