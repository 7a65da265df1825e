ropewalk show chatglm2-6b
