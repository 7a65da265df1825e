# Prompts of one batch, padded as the tokenizer does it.
try ropewalk positions mrope 4,image:4x6,2/3 --padding left
try ropewalk positions mrope 4,image:4x6,2/3 --padding right --fill 1
try ropewalk positions mrope 1,image:2x4/3 --json
try ropewalk positions mrope 4/3
try ropewalk positions mrope 4/3 --padding both
try ropewalk positions mrope 4,img:4x6
ropewalk positions mrope 4,image:4x6,2/3 --padding left -o ids.npy && header_of ids.npy
