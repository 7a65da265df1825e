ropewalk show testdata/models/baichuan-7b
