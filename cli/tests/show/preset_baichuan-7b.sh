ropewalk show baichuan-7b
