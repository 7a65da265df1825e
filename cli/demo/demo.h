#pragma once

#include <string>
#include <vector>

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

// The parts of the walk, in order. Each prints its own text and figures.
void absolute_positions(Album& album);  // 我 愛 你: the naive ways, and the sinusoidal encoding
void order_matters();                   // 他欠我100萬 is not 我欠他100萬
void four_steps();                      // RoPE on numbers small enough to read
void rotary_positions(Album& album);  // q.k of LLaMA, Baichuan and ChatGLM only knows the distance

}  // namespace ropewalk::cli::demo
