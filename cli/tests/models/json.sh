ropewalk models --json
