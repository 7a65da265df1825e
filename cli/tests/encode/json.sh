ropewalk encode "我 愛 你" --dim 4 --json
