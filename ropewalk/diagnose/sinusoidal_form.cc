#include <cmath>

#include "ropewalk/diagnose/diagnose_sinusoidal.h"

namespace ropewalk {

using Order = SinusoidalForm::Order;

std::string_view name(SinusoidalForm::Order order) {
  switch (order) {
    case Order::sin_cos_pairs:
      return "sin, cos in turn";
    case Order::cos_sin_pairs:
      return "cos, sin in turn";
    case Order::sin_cos_halves:
      return "all sines, then all cosines";
    case Order::cos_sin_halves:
      return "all cosines, then all sines";
  }
  return "";
}

SinusoidalForm form_of(const SinusoidalConfig& config) {
  SinusoidalForm form{.base = config.base, .offset = config.offset};
  switch (config.layout) {
    case SinusoidalLayout::interleaved:
      break;
    case SinusoidalLayout::sin_cos:
      form.order = Order::sin_cos_halves;
      break;
    case SinusoidalLayout::fairseq:
      form.order = Order::sin_cos_halves;
      form.half_minus_one = true;
      break;
    case SinusoidalLayout::cos_sin:
      form.order = Order::cos_sin_halves;
      form.half_minus_one = true;
      break;
  }
  return form;
}

std::vector<double> frequencies(const SinusoidalForm& form, size_t pairs) {
  const double spaces = static_cast<double>(pairs) - (form.half_minus_one ? 1 : 0);
  std::vector<double> result;
  for (size_t i = 0; i < pairs; ++i) {
    result.push_back(std::pow(form.base, -static_cast<double>(i) / spaces));
  }
  return result;
}

}  // namespace ropewalk
