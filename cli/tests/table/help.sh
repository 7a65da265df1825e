ropewalk table --help
