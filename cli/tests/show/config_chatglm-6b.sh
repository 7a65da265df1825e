ropewalk show testdata/models/chatglm-6b
