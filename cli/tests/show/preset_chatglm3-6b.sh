ropewalk show chatglm3-6b
