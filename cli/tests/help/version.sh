# The commit and the libraries are this build's: only their places are compared.
ropewalk --version | sed -E 's/^commit: ([0-9a-f]{12}(-dirty)?|unknown, .*)$/commit: C/; s/^((threads|products): ).*/\1T/; s/^(pictures: ).*/\1P/'
ropewalk --version >version
ropewalk -V | cmp - version
ropewalk version | cmp - version
