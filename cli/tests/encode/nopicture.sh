# A build without Cairo, or with -DROPEWALK_PLOTS=OFF: a wrong option, said before anything is written.
try ropewalk encode a --plot a.png -o a.npy
try ropewalk show llama-2-7b --plot a.svg
ropewalk demo | tail -1
ropewalk --version | tail -1
left
