ropewalk attend --help
