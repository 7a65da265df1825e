ropewalk show baichuan-13b
