ropewalk show testdata/models/chatglm3-6b
