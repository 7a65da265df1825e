ropewalk demo --help
