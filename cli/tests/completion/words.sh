# The words that are offered for an option are those that the command takes: its refusal of another lists them.
source <(ropewalk completion bash)
check() {
  local option=$1 offer
  shift
  _ropewalk_offer "$1 $option"
  local refused
  refused=$(ropewalk "$@" "$option" unheard-of 2>&1 >/dev/null)
  local word known=
  for word in ${offer#words:}; do
    [[ $refused == *"$word"* ]] || known+=" $word"
  done
  printf '%s %s: %s\n  %s\n' "$1" "$option" "${offer#words:}" "${refused#ropewalk: error: }"
  [[ -z $known ]] || printf '  not in it:%s\n' "$known"
}
npy '<f4' '(1, 1, 4)' >q.npy
# shellcheck disable=SC2059
printf "$one_to_four" >>q.npy
check --angles table llama-3-8b --positions 0
check --form table llama-3-8b --positions 0
check --dtype table llama-3-8b --positions 0
check --dtype encode --positions 0
check --kind encode --positions 0
check --layout encode --positions 0
check --layout rotate --head-dim 4 --pairing half_split --q q.npy
check --pairing rotate --head-dim 4 --q q.npy
check --layout attend llama-3-8b --q q.npy --k q.npy --v q.npy -o out.npy
check --order positions packed 0,4 --ranks 1 --rank 0
check --next positions mrope 4
check --padding positions mrope 4
check --axes positions grid 4x4
check --lang demo
