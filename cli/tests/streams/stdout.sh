# K17 to K19: standard output that is full, closed, or read to the first line only.
for command in "show llama-3-8b" "models --json" help --version "encode --positions 0..64"; do
  # shellcheck disable=SC2086
  ropewalk $command >/dev/full
  echo "exit code $?"
  # shellcheck disable=SC2086
  ropewalk $command >&-
  echo "exit code $?"
done
(
  trap - PIPE
  ropewalk encode --positions 0..60000 --kind integer --json 2>err
  echo $? >code
) | head -n 1
grep -v 'Broken pipe' err
[[ $(<code) == 0 || $(<code) == 141 || $(<code) == 4 ]] && echo "a reader that stops early is no fault"
