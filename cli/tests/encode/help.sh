ropewalk encode --help
