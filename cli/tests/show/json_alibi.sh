ropewalk show baichuan-13b --json | tail -48
