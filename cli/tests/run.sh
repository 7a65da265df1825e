#!/usr/bin/env bash
# Runs one golden test of the command:
#
#   run.sh [--update] BINARY CASE.sh
#
# CASE.sh runs in a fresh folder, where `ropewalk` is BINARY, `data` is cli/tests/data and `testdata` that of the
# repository. What it prints must be CASE.out, what it prints to standard error CASE.err, its exit code the number in
# CASE.exit; an absent file stands for nothing printed and exit code 0. --update writes these files instead.
set -u

update=no
if [[ ${1-} == --update ]]; then
  update=yes
  shift
fi
if [[ $# -ne 2 || ! -x $1 || ! -f $2 ]]; then
  echo "usage: run.sh [--update] BINARY CASE.sh" >&2
  exit 2
fi
binary=$(realpath "$1")
script=$(realpath "$2")
golden=${script%.sh}
tests=$(dirname "$(realpath "$0")")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work"
ln -s "$binary" "$scratch/bin/ropewalk"
ln -s "$tests/data" "$scratch/work/data"
ln -s "$(realpath "$tests/../../testdata")" "$scratch/work/testdata"

cd "$scratch/work" || exit 1
unset ROPEWALK_TARGET OMP_NUM_THREADS
# A sanitizer says which leaks of other libraries it let pass; that is no output of the command.
export LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0
# A fault of the command must not wait for ever.
PATH=$scratch/bin:$PATH LC_ALL=C NO_COLOR=1 BASH_ENV=$tests/library.sh \
  timeout 100 bash "$script" </dev/null >"$scratch/out" 2>"$scratch/err"
echo $? >"$scratch/exit"
[[ $(<"$scratch/exit") == 0 ]] && : >"$scratch/exit"

result=0
for part in out err exit; do
  if [[ $update == yes ]]; then
    if [[ -s $scratch/$part ]]; then cp "$scratch/$part" "$golden.$part"; else rm -f "$golden.$part"; fi
  elif [[ -e $golden.$part ]]; then
    diff -u --label "expected $part" --label "found $part" "$golden.$part" "$scratch/$part" || result=1
  elif [[ -s $scratch/$part ]]; then
    diff -u --label "expected $part" --label "found $part" /dev/null "$scratch/$part" || result=1
  fi
done
exit $result
