# The three ways to ask are one.
cmp <(ropewalk help) <(ropewalk --help)
cmp <(ropewalk help) <(ropewalk -h)
for command in show encode rotate attend demo models; do
  cmp <(ropewalk help "$command") <(ropewalk "$command" --help)
done
cmp <(ropewalk help) <(ropewalk help help)
# No line is wider than a terminal of 110 columns.
for command in "" show encode rotate attend demo models; do
  ropewalk help $command | awk -v command="$command" 'length > 110 { print command ": " $0 }'
done
