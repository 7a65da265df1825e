#pragma once

#include "python/native/rope.h"

namespace ropewalk::python {

// q and k of one call, checked against the heads that are known.
struct Heads {
  // `k` may be None. Throws as Array, and invalid_argument for arrays of another layout or with a
  // count of heads that the model has not.
  Heads(nb::handle q, nb::handle k, TensorLayout layout, const Layer& known);

  // New arrays to write, and what is handed back of them: one, or a pair.
  void make_outputs();
  nb::object results() const;

  // Runs `call(q, k)` with the GIL released where that pays. An Error of it says what q and k are.
  template <typename Call>
  void run(Call call);

  nb::handle q_object, k_object;
  Array q;
  std::optional<Array> k;
  nb::object q_out, k_out;
  std::optional<Array> q_result, k_result;

 private:
  [[noreturn]] void tell(const Error& error) const;
  int64_t elements() const;
};

template <typename Call>
void Heads::run(Call call) {
  const Rotated of_q{q.in(), q_result ? q_result->out() : q.out()};
  std::optional<Rotated> of_k;
  if (k) of_k = Rotated{k->in(), k_result ? k_result->out() : k->out()};
  try {
    const KernelScope scope(elements());
    call(of_q, of_k);
  } catch (const Error& error) {
    tell(error);
  }
}

// The ids with which this rotation turns, checked for their axes.
PositionIds ids_of(const Rope& rope, const Positions& positions);

}  // namespace ropewalk::python
