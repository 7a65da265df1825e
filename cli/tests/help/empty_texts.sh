# An empty text is mostly an unset variable of a script: named, never taken for "not given".
try ropewalk show ''
try ropewalk encode ''
try ropewalk encode --positions '' --dim 4
try ropewalk encode --dim '' a
try ropewalk encode -o '' a
try ropewalk encode --plot '' a
try ropewalk rotate --head-dim 4 --pairing half_split --q ''
try ropewalk demo -o ''
try ropewalk help ''
left
