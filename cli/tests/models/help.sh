ropewalk models --help
