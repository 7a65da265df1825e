ropewalk help
