try ropewalk completion --help
try ropewalk completion
try ropewalk completion fish
ropewalk completion bash | bash -n && echo "bash reads it"
ropewalk completion zsh | sed -n '1p; /^  local -a commands/,/^  )/p; /^    demo)/,/;;/p; /^    positions)/,/;;/p'
