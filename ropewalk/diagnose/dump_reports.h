#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/attention/head_counts.h"
#include "ropewalk/diagnose/diagnose_dumps.h"
#include "ropewalk/diagnose/diagnose_scores.h"
#include "ropewalk/diagnose/find_encoding.h"
#include "ropewalk/diagnose/layer_kinds.h"

namespace ropewalk {

// What a dump is compared with: a layer of a model, or a part beside its layers.
struct DumpSubject {
  std::string name;            // "llama-3-8b, layer 0", escaped
  std::optional<Layer> layer;  // none: a part
  ExpectedRotation expected;   // its model is the caller's, which has to outlive it
};

// A layer that does not rotate is told by the rotation of others, which should not have happened.
// Throws as layer_at; unsupported for a model of which no layer rotates.
DumpSubject subject_of_layer(const ModelEncoding& model, int64_t layer, int64_t seq_len);
// Throws unsupported for a part that does something else.
DumpSubject subject_of_part(const ModelEncoding& model, const NamedEncoding& part, int64_t seq_len);
void subject_of_layer(ModelEncoding&&, int64_t, int64_t) = delete;
void subject_of_part(ModelEncoding&&, const NamedEncoding&, int64_t) = delete;

// What was found in one array.
struct DumpReport {
  std::string name;     // "q"
  std::string subject;  // as of DumpSubject
  Dims shape;
  TensorLayout layout = TensorLayout::bshd;
  std::string note = {};  // on how it was compared
  bool rotates = true;    // as it should
  DumpDiagnosis diagnosis;
};

// What was found in the scores of a layer.
struct ScoreReport {
  std::string subject;
  Dims shape;  // of the scores
  TensorLayout layout = TensorLayout::bshd;
  ScoreDiagnosis diagnosis;
};

// Two arrays of one shape that belong together.
struct DumpArrays {
  std::string name;  // "q"; "v" should not be rotated
  ConstTensorView first, second;
  TensorLayout layout = TensorLayout::bshd;
  PositionIds positions;
};

// `first` before the rotation, `second` after it. A dump of the channels that turn alone, as of
// latent attention, is compared with their window. Throws as diagnose_dump.
DumpReport report_of_rotation(const DumpArrays& arrays, const DumpSubject& subject);

// `first` after a rotation that is right, `second` after one that may be wrong; `reference` is what
// the first is called. Throws as diagnose_dump.
DumpReport report_of_two(const DumpArrays& arrays, const DumpSubject& subject,
                         const std::string& reference);

// What a table turns, or a list of frequencies, where no model is known. Throws as dump_of_table
// and dump_of_frequencies.
FoundEncodings found_in_table(const ConstTensorView& cos, const ConstTensorView& sin,
                              const PositionIds& positions);
FoundEncodings found_in_frequencies(const ConstTensorView& inv_freq);

// How many tokens a table has. Throws as dump_of_table.
int64_t rows_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                      const DumpSubject& subject);
// The same where no model is known.
int64_t rows_of_table(const ConstTensorView& cos, const ConstTensorView& sin);

// Rows of cos and sin for the positions of its tokens. Throws as dump_of_table.
DumpReport report_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                           const PositionIds& positions, const DumpSubject& subject);

// One frequency for each pair. Throws as dump_of_frequencies.
DumpReport report_of_frequencies(const ConstTensorView& inv_freq, const DumpSubject& subject);

// How many tokens each sequence of an array has. Throws invalid_argument for a rank that is not of
// the layout.
int64_t tokens_of(const ConstTensorView& array, TensorLayout layout, const char* what);

// The layouts that a dump of q, or of k or v by its name, may have, the likelier first: what the
// counts of heads of the layer allow.
std::vector<TensorLayout> likely_layouts(const std::optional<Layer>& layer,
                                         const NamedHeads& heads);

// The report of the layout that leaves the fewest faults, the first of equals. A layout that the
// dump or its positions do not fit counts only where none does: then the error of the first.
DumpReport of_likeliest(const std::vector<TensorLayout>& layouts,
                        const std::function<DumpReport(TensorLayout)>& report_of);

// The layout of q that scores [.., heads, queries, keys] allow: bhsd where q has their heads and
// queries in this order, else bshd.
TensorLayout likely_layout_of_q(const Dims& q, const Dims& scores);

}  // namespace ropewalk
