# What bash offers at the end of the line, from the script that ropewalk prints.
source <(ropewalk completion bash)
offers() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _ropewalk
  printf '$ %s<Tab>\n' "$*"
  ((${#COMPREPLY[@]})) && printf '  %s\n' "${COMPREPLY[@]}" | sort
}
touch 'my q.npy'
mkdir folder

offers ropewalk ''
offers ropewalk --
offers ropewalk sh
offers ropewalk show ll
offers ropewalk show f
offers ropewalk show --layer 3 llama-2-7b llama-3
offers ropewalk show llama-2-7b --p
offers ropewalk show llama-2-7b llama-3-8b ''
offers ropewalk show --layer ''
offers ropewalk show --assume qwen2_
offers ropewalk table llama-3-8b --dtype ''
# bash takes --form=c for three words.
offers ropewalk table llama-3-8b --form =
offers ropewalk table llama-3-8b --form = c
offers ropewalk table --form = complex ll
offers ropewalk encode --kind one-hot --layout s
offers ropewalk rotate --q m
offers ropewalk rotate llama-2-7b -o ''
offers ropewalk demo -o ''
offers ropewalk positions ''
offers ropewalk positions grid 4x4 --axes ''
offers ropewalk models internvl internlm
offers ropewalk help re
offers ropewalk completion ''
# An option that is not known, a command that is not known.
offers ropewalk show --frob ''
offers ropewalk frob ''
offers ropewalk frob -
# No word needs quotes.
ropewalk completion bash | sed -n "s/^_ropewalk_[a-z_]*='\(.*\)'$/\1/p" | tr ' ' '\n' | grep -vE '^[A-Za-z0-9._+-]+$'
left
