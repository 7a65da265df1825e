echo text >file
try ropewalk demo -o file
try ropewalk demo -o file/pictures
try ropewalk demo -o /dev/full/pictures
left
