ropewalk verify --help
