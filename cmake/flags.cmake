# The same bits everywhere: no contraction into fused multiply-adds, no fast-math, and never -march=native
# (kernels are dispatched at run time by Highway).
add_compile_options(-ffp-contract=off -Wall -Wextra -Wshadow -Wno-missing-field-initializers -Wno-psabi)
if(ROPEWALK_WERROR)
  add_compile_options(-Werror)
endif()
if(ROPEWALK_SANITIZE)
  add_compile_options(-fsanitize=${ROPEWALK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROPEWALK_SANITIZE})
endif()
