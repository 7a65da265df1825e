# The figures are this machine's: only their names are compared.
ropewalk bench --only partial --rounds 3 --threads 1 --json >out
grep -oE '"[a-z_]+":' out | sort | uniq -c | sed 's/^ *//'
