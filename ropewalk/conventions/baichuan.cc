// Baichuan and Baichuan2. The 7B models rotate, the 13B models use ALiBi, and no key of their
// config.json says so: only the size tells them apart.
// Source: modeling_baichuan.py of baichuan-inc/Baichuan-7B, Baichuan-13B-Chat, Baichuan2-13B-Chat.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"model_max_length", "z_loss_weight"};

constexpr std::string_view kEncoding = "7B: RoPE half_split on the whole head; 13B: ALiBi";

constexpr ModelType kTypes[] = {
    {.name = "baichuan",
     .architecture = "BaichuanForCausalLM",
     .other_architecture = "BaiChuanForCausalLM",
     .config_class = "BaichuanConfig",
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused, .q = "W_pack"},
     .gguf = gguf_norm("baichuan"),
     .encoding = kEncoding,
     .special = Special::baichuan},
    refused("baichuan_m1", "BaichuanM1ForCausalLM", "BaichuanM1Config",
            "its layers with a window have heads of their own, and k and v are convolved, which is "
            "not supported"),
};

}  // namespace

constinit const Family family::baichuan{
    .name = "baichuan", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
