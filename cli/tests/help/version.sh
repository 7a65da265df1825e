ropewalk --version
