ropewalk show testdata/models/baichuan-13b
