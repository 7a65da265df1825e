# With standard error closed the message is lost, not written into a file that is opened next.
{ npy '<f4' '(1, 1, 4)'; printf "$one_to_four"; } >x.npy
ropewalk rotate --head-dim 4 --pairing half_split --q x.npy -o out.npy 2>&- <&-
echo "exit code $?"
numbers out.npy
header_of out.npy
ropewalk show nothing 2>&-
echo "exit code $?"
