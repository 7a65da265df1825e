#include "ropewalk/models/models.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/output.h"
#include "ropewalk/report/columns.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"

namespace ropewalk::cli {
namespace {

struct Options {
  std::vector<std::string> names;
  bool json = false, markdown = false;
};

std::string words(const TypeInfo& type) {
  if (type.part.empty()) return type.encoding;
  return fmt::format("{}: {}", type.part, type.part_type);
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json conventions_json(const std::vector<FamilyInfo>& list) {
  auto array = nlohmann::ordered_json::array();
  for (const FamilyInfo& family : list) {
    auto types = nlohmann::ordered_json::array();
    for (const TypeInfo& type : family.types) {
      types.push_back({{"model_type", type.name},
                       {"architecture", text_or_null(type.architecture)},
                       {"other_names", type.other_names},
                       {"other_architectures", type.other_architectures},
                       {"kind", type.kind},
                       {"encoding", words(type)},
                       {"attention", text_or_null(type.attention)},
                       {"reads_weights", type.reads_weights},
                       {"pairing", text_or_null(type.pairing)},
                       {"gguf_architecture", text_or_null(type.gguf_architecture)},
                       {"other_gguf_architectures", type.other_gguf_architectures},
                       {"gguf_pairing", text_or_null(type.gguf_pairing)},
                       {"q_and_k_rows_permuted_in_gguf", type.permuted}});
    }
    array.push_back({{"family", family.name}, {"types", types}, {"presets", family.presets}});
  }
  return array;
}

// "internvl_chat (also NVLM_D)"
std::string with_other_names(const TypeInfo& type) {
  if (type.other_names.empty()) return type.name;
  return fmt::format("{} (also {})", type.name, fmt::join(type.other_names, ", "));
}

// docs/models.md.
void print_markdown(const std::vector<FamilyInfo>& list) {
  size_t count = 0;
  for (const FamilyInfo& family : list) count += family.types.size();
  fmt::print(
      "# Conventions of {} model type{}\n\n"
      "Printed by `ropewalk models --markdown`. The pairing is that of the Hugging Face weights; "
      "no "
      "key of a config.json or\nof a GGUF file states it. Permuted: the rows of Q and K are moved "
      "on the way to the GGUF, so that the other pairing\nholds there.\n",
      count, count == 1 ? "" : "s");
  for (const FamilyInfo& family : list) {
    fmt::print(
        "\n## {}\n\n| model_type | encoding | attention | weights | GGUF architecture | pairing in "
        "GGUF |\n|---|---|---|---|---|---|\n",
        family.name);
    for (const TypeInfo& type : family.types) {
      fmt::print("| {} | {} | {} | {} | {} | {}{} |\n", with_other_names(type), words(type),
                 type.attention, type.reads_weights ? "yes" : "", type.gguf_architecture,
                 type.gguf_pairing, type.permuted ? ", permuted" : "");
    }
  }
}

std::vector<std::string_view> names_of(const TypeInfo& type) {
  std::vector<std::string_view> names;
  for (const std::string* name : {&type.name, &type.architecture, &type.gguf_architecture}) {
    if (!name->empty()) names.push_back(*name);
  }
  for (const std::vector<std::string>* others :
       {&type.other_names, &type.other_architectures, &type.other_gguf_architectures}) {
    names.insert(names.end(), others->begin(), others->end());
  }
  return names;
}

bool holds(const std::vector<std::string>& wanted, std::string_view name) {
  return std::ranges::count(wanted, name) > 0;
}

// A word that names nothing is mostly misspelt.
void check_names(const std::vector<std::string>& wanted, const std::vector<FamilyInfo>& all) {
  std::vector<std::string_view> names;
  for (const FamilyInfo& family : all) {
    names.push_back(family.name);
    names.insert(names.end(), family.presets.begin(), family.presets.end());
    for (const TypeInfo& type : family.types) {
      for (const std::string_view name : names_of(type)) names.push_back(name);
    }
  }
  for (const std::string& word : wanted) {
    if (std::ranges::count(names, word) > 0) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("NAME: expected a family, model type, class, architecture of llama.cpp "
                            "or preset, found \"{}\"{}",
                            escaped(word), did_you_mean(word, names)));
  }
}

// The families and types of these names, all where there is none. A family's name or preset stands
// for all its types.
std::vector<FamilyInfo> chosen(const std::vector<std::string>& wanted) {
  std::vector<FamilyInfo> all = families();
  if (wanted.empty()) return all;
  check_names(wanted, all);
  for (FamilyInfo& family : all) {
    const auto is_wanted = [&](std::string_view name) { return holds(wanted, name); };
    if (is_wanted(family.name) || std::ranges::any_of(family.presets, is_wanted)) continue;
    std::erase_if(family.types, [&](const TypeInfo& type) {
      return std::ranges::none_of(names_of(type), is_wanted);
    });
  }
  std::erase_if(all, [](const FamilyInfo& family) { return family.types.empty(); });
  return all;
}

// A line for each type, of at most 100 columns, below that of its family.
void print_families(const std::vector<FamilyInfo>& list) {
  constexpr int kColumns = 100;
  size_t width = 0;
  for (const FamilyInfo& family : list) {
    for (const TypeInfo& type : family.types) width = std::max(width, type.name.size());
  }
  for (const FamilyInfo& family : list) {
    fmt::print("{}{}\n", family.name,
               family.presets.empty()
                   ? ""
                   : fmt::format(" (presets {})", fmt::join(family.presets, ", ")));
    for (const TypeInfo& type : family.types) {
      std::string_view name = type.name;
      for (const std::string& line : wrapped(words(type), kColumns - 4 - static_cast<int>(width))) {
        fmt::print("  {:<{}}  {}\n", name, width, line);
        name = "";
      }
    }
  }
}

}  // namespace

Run declare_models(CLI::App& app) {
  app.description(
      "Example: ropewalk models qwen3\n\nThe families whose files (config.json, GGUF, params.json) "
      "can be read, what encodes position in each\nmodel type, and the presets that need no file.");
  const auto options = std::make_shared<Options>();
  app.add_option("NAME", options->names,
                 "only these: a family, model type, class (Qwen3ForCausalLM), architecture of "
                 "llama.cpp, or preset")
      ->type_name("TYPE");
  app.add_flag("--json", options->json, "as JSON");
  app.add_flag("--markdown", options->markdown, "as docs/models.md");
  return [options] {
    const std::vector<FamilyInfo> list = chosen(options->names);
    if (options->markdown) {
      print_markdown(list);
    } else if (options->json) {
      print_json(conventions_json(list));
    } else {
      print_families(list);
    }
    return 0;
  };
}

}  // namespace ropewalk::cli
