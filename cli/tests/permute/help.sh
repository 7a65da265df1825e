ropewalk permute --help
