# The wavelength of each pair as a picture; what cannot be drawn is refused before anything is written.
try ropewalk show testdata/models/qwen2.5-7b-yarn --plot yarn.png >/dev/null
ls yarn.png
try ropewalk show testdata/models/qwen2.5-7b-yarn --plot yarn.png
try ropewalk show testdata/models/qwen2.5-7b-yarn --plot yarn.jpg
try ropewalk show llama-2-7b llama-3-8b --plot two.png
try ropewalk show baichuan-13b --plot slopes.svg >/dev/null
grep -c "<svg" slopes.svg
try ropewalk show testdata/models/whisper-tiny --plot none.png
test ! -e none.png && echo "nothing written"
