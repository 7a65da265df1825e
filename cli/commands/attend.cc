#include "cli/command.h"
namespace ropewalk::cli { Run declare_attend(CLI::App&) { return [] { return 70; }; } }
