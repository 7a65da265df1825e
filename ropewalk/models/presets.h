#pragma once

#include <span>
#include <string_view>

namespace ropewalk {

// A published model: its config.json as published, without the keys that say nothing of positions.
// It is read as any other config.json, so that preset and file cannot disagree.
struct Preset {
  std::string_view name;
  std::string_view config;
};
std::span<const Preset> presets();

}  // namespace ropewalk
