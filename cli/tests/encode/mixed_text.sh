ropewalk encode "我愛你, I love you" --dim 6
