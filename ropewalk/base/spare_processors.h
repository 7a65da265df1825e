#pragma once

#include <optional>
#include <string_view>

namespace ropewalk {

// How many threads of the whole machine run or want to, of a text as /proc/loadavg has it: 3 of
// "0.52 0.58 0.59 3/602 12345". None where the text is another one.
std::optional<int> running_threads(std::string_view loadavg);

// How many more threads `processors` can run at once while `running` do: at least 0.
int spare_processors(int processors, int running);

// The same of this machine now, `own` of whose threads do not count; asked again after 2 ms at the
// earliest, for asking takes microseconds. As many as there are processors where the system does
// not tell.
int spare_processors_now(int own);

}  // namespace ropewalk
