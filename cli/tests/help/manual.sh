# The whole manual page but what stands in each command's help, and one command.
ropewalk help --man >ropewalk.1
sed -n '1,/^\.SH COMMANDS/p; /^\.SS positions/,/^\.SS demo/p; /^\.SH OPTIONS/,$p' ropewalk.1
# Every option of every command is in it.
for command in show encode table rotate attend positions demo models bench completion; do
  for option in $(ropewalk help "$command" | grep -oE '^  (-[a-z], )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | grep -vx -e --help); do
    sed -n "/^\.SS $command\$/,/^\.S[SH] /p" ropewalk.1 | grep -qF -e "${option//-/\\-}" || echo "$command $option"
  done
done
LC_ALL=C grep -nP '[^\x00-\x7F]' ropewalk.1
# What reads such pages finds no fault in it; "missing date" is meant.
if command -v groff >/dev/null; then groff -man -Tutf8 -wall -z ropewalk.1; fi
if command -v mandoc >/dev/null; then mandoc -T lint -W warning ropewalk.1 | grep -v 'missing date'; fi
