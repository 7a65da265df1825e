// Marian models of the University of Helsinki. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    sinusoidal_table("marian", "MarianMTModel", "MarianConfig", 1024, {.part = kEncoderAndDecoder},
                     kSinCosAdded),
};

}  // namespace

constinit const Family family::helsinki_nlp{.name = "helsinki_nlp", .types = kTypes};

}  // namespace ropewalk
