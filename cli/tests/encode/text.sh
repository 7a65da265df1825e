# The first and last numbers are those that the article prints for each token.
ropewalk encode "我 愛 你"
