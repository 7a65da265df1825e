ropewalk bench --help
