ropewalk positions --help
