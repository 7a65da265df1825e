# --lang decides, else the first of LC_ALL, LC_MESSAGES and LANG that says something.
walk() {
  echo "$*: $(env "$@" ropewalk demo -o pictures | first 1)"
}
walk LC_ALL=zh_TW.UTF-8 LANG=en_US.UTF-8
walk LC_ALL=zh_SG.UTF-8
walk LC_ALL= LC_MESSAGES=zh_CN.GB18030@pinyin LANG=zh_TW
walk LC_ALL= LC_MESSAGES= LANG=zh_HK
walk LC_ALL=ja_JP.UTF-8 LANG=zh_CN
LC_ALL=zh_CN ropewalk demo --lang en -o pictures | first 1
ropewalk demo --lang zh -o pictures | first 1
try ropewalk demo --lang zh_TW -o other
try ropewalk demo --lang ""
[[ -e other ]] || echo "nothing was written"
