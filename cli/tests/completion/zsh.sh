# What zsh offers at the end of the line: a terminal of its own, where compadd prints what it would show.
mkdir functions folder
touch q.npy
ropewalk completion zsh >functions/_ropewalk
cat >setup <<'END'
PROMPT=ready
fpath=($PWD/functions $fpath)
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' insert-tab false
# Without -O, -A or -D the words are for the user.
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return $?
  fi
  local -a kept
  builtin compadd -O kept "$@"
  (($#kept)) && printf '%s\n' $kept >>$OFFERED
  return 1
}
list() { OFFERED=offered; : >offered; _main_complete; print done >>offered; }
zle -C list complete-word list
bindkey '^I' list
END
cat >drive <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./setup'
for line in 'ropewalk ' 'ropewalk sh' 'ropewalk show ll' 'ropewalk table llama-3-8b --dtype ' 'ropewalk table --form=c' \
  'ropewalk show llama-2-7b --plot' 'ropewalk show --assume qwen2_vl' 'ropewalk rotate --q ' 'ropewalk positions ' 'ropewalk help re'; do
  rm -f offered
  zpty -w -n shell $line$'\t'
  repeat 100; do
    [[ -f offered ]] && grep -qx done offered && break
    sleep 0.1
  done
  print -r -- "\$ $line<Tab>"
  grep -vx done offered | sed 's/^/  /' | LC_ALL=C sort -u
  zpty -w -n shell $'\x15'
done
END
zsh -f drive 2>&1
