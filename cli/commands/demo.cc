#include "cli/command.h"
namespace ropewalk::cli { Run declare_demo(CLI::App&) { return [] { return 70; }; } }
