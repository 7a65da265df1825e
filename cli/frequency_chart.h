#pragma once

#ifdef ROPEWALK_PLOTS

#include <cstdint>

#include "cli/plot/plot.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// What one layer of a model does with positions: of RoPE the wavelength of each pair, beside that
// without its scaling and the context (0: not known), where pairs above the line never complete a
// turn; of ALiBi the slope of each head. Throws unsupported for other encodings.
plot::LineChart frequency_chart(const ModelEncoding& model, int64_t layer, int64_t seq_len);

}  // namespace ropewalk::cli

#endif
