// CamemBERT of ALMAnaCH, Inria. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    learned_table("camembert", "CamembertModel"),
};

}  // namespace

constinit const Family family::almanach{.name = "almanach", .types = kTypes};

}  // namespace ropewalk
