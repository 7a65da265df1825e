#include "ropewalk/conventions/params_code.h"

#include "ropewalk/conventions/layer_tables.h"

namespace ropewalk {
namespace {

constexpr std::string_view kEps = "norm_eps";
constexpr WindowRule kWindow{.key = "sliding_window", .all_layers = true};
constexpr LatentHead kLatentHead{.nope_dim = 128, .rope_dim = 64, .q_rank = 1536};

constexpr ModelType kMeta{.name = "Meta",
                          .config_class = "Meta's code",
                          .max_positions = 0,
                          .pairing = Pairing::interleaved,
                          .attention = {.known = true, .window = kWindow}};

constexpr ModelType kMetaLlama4{
    .name = "Meta",
    .config_class = "Meta's code",
    .max_positions = 0,
    .pairing = Pairing::interleaved,
    .layers = {.rotates = "RRR-", .keys = {kNoRopeLayers, kNoRopeInterval}},
    .attention = {.known = true,
                  .qk_norm = {.norm = {.kind = NormKind::rms,
                                       .place = NormPlace::after_rotation,
                                       .eps = 1e-5,
                                       .weights = false},
                              .eps_key = kEps,
                              .on = {"use_qk_norm", true},
                              .rotating_layers_only = true},
                  .window = kWindow,
                  .chunk = {"attention_chunk_size", 8192},
                  .query_scale = QueryScaleFrom::llama4}};

constexpr ModelType kMistral{
    .name = "Mistral",
    .config_class = "mistral-inference",
    .max_positions = 0,
    .pairing = Pairing::interleaved,
    .attention = {.known = true, .window = kWindow, .query_scale = QueryScaleFrom::mistral}};

constexpr ModelType kMistralLatent{
    .name = "Mistral",
    .config_class = "mistral-inference",
    .max_positions = 0,
    .pairing = Pairing::interleaved,
    .yarn_type = "deepseek_yarn",
    .latent = kLatentHead,
    .value_dim = {"v_head_dim", 128},
    .attention = {.known = true, .window = kWindow, .query_scale = QueryScaleFrom::mistral}};

constexpr ModelType kDeepSeek{.name = "DeepSeek",
                              .config_class = "DeepSeek's code",
                              .max_positions = 0,
                              .pairing = Pairing::interleaved,
                              .yarn_type = "deepseek_yarn",
                              .latent = kLatentHead,
                              .value_dim = {"v_head_dim", 128},
                              .attention = {.known = true, .window = kWindow}};

constexpr ModelType kDeepSeekSparse{
    .name = "DeepSeek",
    .config_class = "DeepSeek's code",
    .max_positions = 0,
    .pairing = Pairing::interleaved,
    .yarn_type = "deepseek_yarn",
    .latent = kLatentHead,
    .value_dim = {"v_head_dim", 128},
    .attention = {.known = true, .window = kWindow, .not_computed = kSparseIndexer},
    .parts = kHalfSplitIndexer};

}  // namespace

const ModelType& params_code(ParamsOf publisher) {
  switch (publisher) {
    case ParamsOf::meta:
      return kMeta;
    case ParamsOf::meta_llama4:
      return kMetaLlama4;
    case ParamsOf::mistral:
      return kMistral;
    case ParamsOf::mistral_latent:
      return kMistralLatent;
    case ParamsOf::deepseek:
      return kDeepSeek;
    case ParamsOf::deepseek_sparse:
      break;
  }
  return kDeepSeekSparse;
}

}  // namespace ropewalk
