# The wavelength of each pair as a picture; what cannot be drawn is refused before anything is written.
try ropewalk show testdata/models/qwen2.5-7b-yarn --plot yarn.png >/dev/null
ls yarn.png
try ropewalk show testdata/models/qwen2.5-7b-yarn --plot yarn.png
try ropewalk show testdata/models/qwen2.5-7b-yarn --plot yarn.jpg
try ropewalk show llama-2-7b llama-3-8b --plot two.png >/dev/null
is_png two.png
try ropewalk show baichuan-13b baichuan-7b --plot other.png
try ropewalk show testdata/models/qwen2-vl-7b --part vision --plot part.svg >/dev/null
is_svg part.svg
try ropewalk show llama-3-8b --plot-decay decay.svg >/dev/null
is_svg decay.svg
try ropewalk show llama-3-8b llama-2-7b --plot-decay two.png --force >/dev/null
is_png two.png
try ropewalk show baichuan-13b --plot slopes.png --plot-decay alibi.png
test ! -e slopes.png && echo "nothing written"
try ropewalk show baichuan-13b --plot slopes.svg >/dev/null
grep -c "<svg" slopes.svg
try ropewalk show testdata/models/whisper-tiny --plot none.png
test ! -e none.png && echo "nothing written"
