ropewalk show --help
