#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/diagnose/checkpoint_findings.h"
#include "ropewalk/diagnose/other_check.h"
#include "ropewalk/diagnose/table_check.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What is wrong with a folder of a model, or with what was made from it.
struct Verification {
  CheckpointFindings checkpoint;  // frequencies and shapes that the config contradicts
  bool has_weights = false;
  std::string weights_unread;          // a file that is spoilt or missing, an index that lies
  std::string layers_fault;            // q or k of a layer is missing, or of other rows
  std::string layers_unread;           // why they were not looked at
  std::vector<int64_t> layers_beyond;  // that the config does not count
  std::vector<OtherCheck> others;
  std::optional<TableCheck> table;
  bool adapter = false;  // only what is added to the weights

  // Whether something contradicts the config: a rounding alone does not.
  bool faulty() const;
  // Whether something that is there could not be read.
  bool unread() const;
};

struct VerifyOptions {
  std::optional<std::filesystem::path> against{};  // a folder, checkpoint or GGUF
  const ModelEncoding* against_model = nullptr;    // of it, where it does not say so itself
  CompareProgress progress{};                      // of each checkpoint whose rows are compared
};

// Looks at everything beside a model: its safetensors (frequencies, shapes, which layers there are,
// the index), the GGUFs of its folder, and the checkpoint that it is compared with. Tables are
// check_table's. What cannot be read is told, not thrown.
Verification verify(const ModelEncoding& model, const std::filesystem::path& path,
                    const VerifyOptions& options = {});

}  // namespace ropewalk
