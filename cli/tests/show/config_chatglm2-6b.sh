ropewalk show testdata/models/chatglm2-6b
