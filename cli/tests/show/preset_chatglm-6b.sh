ropewalk show chatglm-6b
