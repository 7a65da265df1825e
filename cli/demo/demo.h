#pragma once

#include <string>
#include <vector>

#include "cli/demo/language.h"
#include "cli/pictures.h"

namespace ropewalk::cli::demo {

// Where the pictures of the walk go, and which were written.
class Album {
 public:
  explicit Album(std::string folder) : folder_(std::move(folder)) {}

#ifdef ROPEWALK_PLOTS
  // Replaces the picture of an earlier walk.
  void add(const std::string& name, const plot::Figure& figure) {
    const std::string path = folder_ + "/" + name;
    write_picture(path, figure, Overwrite::replace);
    written_.push_back(path);
  }
#endif
  const std::vector<std::string>& written() const { return written_; }

 private:
  std::string folder_;
  std::vector<std::string> written_;
};

inline constexpr Sentence kILoveYou{"我 愛 你", "我 愛 你", "我 爱 你"};

// The parts of the walk, in order. Each prints its own text and figures, in the voice's language.
// 我 愛 你: the naive ways, and the sinusoidal encoding.
void absolute_positions(const Voice& say, Album& album);
// 他欠我100萬 is not 我欠他100萬.
void order_matters(const Voice& say);
// RoPE on numbers small enough to read.
void four_steps(const Voice& say);
// q.k of LLaMA, Baichuan and ChatGLM only knows the distance.
void rotary_positions(const Voice& say, Album& album);

}  // namespace ropewalk::cli::demo
