// CamemBERT of ALMAnaCH, Inria. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    learned_table({.name = "camembert",
                   .architecture = "CamembertForCausalLM",
                   .config_class = "CamembertConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
};

}  // namespace

constinit const Family family::almanach{.name = "almanach", .types = kTypes};

}  // namespace ropewalk
