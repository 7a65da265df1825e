# The figures are this machine's: only their places are compared.
ropewalk bench --only sinusoidal --rounds 3 --threads 1 --csv | sed -E '2s/^.*,1,sin/CPU,1,sin/; s/,[0-9][0-9.e+-]*/,N/g'
