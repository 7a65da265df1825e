ropewalk models
