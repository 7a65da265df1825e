ropewalk show data/chatglm-6b --json
