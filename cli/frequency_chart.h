#pragma once

#ifdef ROPEWALK_PLOTS

#include <vector>

#include "cli/plot/plot.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/report/shown.h"

namespace ropewalk::cli {

// What a layer or part of a model does with positions: of RoPE the wavelength of each pair, beside
// that without its scaling and the context (0: not known), where pairs above the line never
// complete a turn; of ALiBi the slope of each head. Throws unsupported for other encodings.
plot::LineChart frequency_chart(const ModelEncoding& model, const Shown& shown);

// The wavelengths, or the slopes, of the same layer of two models, with the context of each. Throws
// unsupported where one has neither, or the two are not of one kind.
plot::LineChart frequency_chart(const ModelEncoding& a, const ModelEncoding& b, const Shown& shown);

// What is left of q.k of equal q and k with the distance, up to the context (else 4096): a curve
// for each model. Throws unsupported where a layer or part does not rotate.
plot::LineChart decay_chart(const std::vector<const ModelEncoding*>& models, const Shown& shown);

}  // namespace ropewalk::cli

#endif
