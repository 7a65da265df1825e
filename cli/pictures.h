#pragma once

#include <string>

#include "ropewalk/formats/file.h"

#ifdef ROPEWALK_PLOTS
#include "cli/plot/plot.h"
#endif

namespace ropewalk::cli {

// Throws invalid_argument when this build draws none or the name does not end in
// .png or .svg. To be called before the work starts.
void check_picture(const std::string& path, Overwrite overwrite);

#ifdef ROPEWALK_PLOTS
void write_picture(const std::string& path, const plot::Figure& figure, Overwrite overwrite);
#endif

}  // namespace ropewalk::cli
