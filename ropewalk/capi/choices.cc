#include "ropewalk/capi/choices.h"

#include "ropewalk/capi/options.h"
#include "ropewalk/capi/rotate.h"
#include "ropewalk/capi/tables.h"

namespace ropewalk::capi {

TensorLayout layout_of(int32_t number) {
  constexpr std::array kLayouts = {TensorLayout::bshd, TensorLayout::bhsd, TensorLayout::thd};
  return choice(number, kLayouts, ROPEWALK_BSHD,
                "ROPEWALK_BSHD (1), ROPEWALK_BHSD (2) or ROPEWALK_THD (3)", "layout");
}

AlibiForm alibi_form_of(int32_t number, const char* name) {
  constexpr std::array kForms = {AlibiForm::relative, AlibiForm::key_position,
                                 AlibiForm::symmetric};
  return choice(number, kForms, ROPEWALK_ALIBI_RELATIVE, "a ropewalk_alibi_form, 0..2", name);
}

}  // namespace ropewalk::capi
