# docs/models.md is what the program says.
ropewalk models --markdown | diff - testdata/../docs/models.md
