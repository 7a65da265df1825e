ropewalk rotate --help
