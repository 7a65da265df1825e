#pragma once

#include "cli/demo/language.h"

namespace ropewalk::cli::demo::absolute_words {

inline constexpr Sentence kTitle{"1. Where is a token?   {}\n\n", "1. 一個字在哪裡？   {}\n\n",
                                 "1. 一个字在哪里？   {}\n\n"};

inline constexpr Sentence kNaiveWays{
    "The naive ways: the number grows without bound, a one-hot vector is as long as the text and "
    "says\nnothing of near and far.\n\n",
    "直覺的做法：直接用序號，數字會無限增大；one-hot 向量則和整段文字一樣長，也看不出遠近。\n\n",
    "直观的做法：直接用序号，数值会无限增大；独热（one-hot）向量则和整段文本一样长，也看不出远近。"
    "\n\n"};
inline constexpr Sentence kNumber{"a number", "序號", "序号"};
inline constexpr Sentence kOneHot{"one-hot", "one-hot", "独热"};

inline constexpr Sentence kSinusoidal{
    "The sinusoidal encoding of \"Attention Is All You Need\", {} dimensions:\n",
    "《Attention Is All You Need》的正弦位置編碼，{} 維：\n",
    "《Attention Is All You Need》的正弦位置编码，{} 维：\n"};
inline constexpr Sentence kProducts{
    "\nEach vector has the length sqrt({}/2) = {:.4f}, and the product of two depends on their "
    "distance only:\n",
    "\n每個向量的長度都是 sqrt({}/2) = {:.4f}，兩個向量的內積只取決於它們的距離：\n",
    "\n每个向量的长度都是 sqrt({}/2) = {:.4f}，两个向量的内积只取决于它们的距离：\n"};

inline constexpr Sentence kModule{
    "PositionalEncoding(d_model = {}, dropout = {}, max_len = {}) adds it to the embeddings x of "
    "the tokens,\nx + pe[:, :{}], and in training drops one number in ten and multiplies the rest "
    "by 1/0.9:\n",
    "PositionalEncoding(d_model = {}, dropout = {}, max_len = {}) 把它加到各 token 的詞嵌入 x "
    "上：\nx + pe[:, :{}]；訓練時隨機丟棄十分之一的數，其餘乘以 1/0.9：\n",
    "PositionalEncoding(d_model = {}, dropout = {}, max_len = {}) 把它加到各 token 的词嵌入 x "
    "上：\nx + pe[:, :{}]；训练时随机丢弃十分之一的数，其余乘以 1/0.9：\n"};
inline constexpr Sentence kInference{"x + pe (inference)", "x + pe（推論）", "x + pe（推理）"};
inline constexpr Sentence kTraining{"dropout(x + pe) (training)", "dropout(x + pe)（訓練）",
                                    "dropout(x + pe)（训练）"};
inline constexpr Sentence kDropped{"{} of {} numbers were dropped in training.\n\n",
                                   "訓練時 {1} 個數裡丟棄了 {0} 個。\n\n",
                                   "训练时 {1} 个数里丢弃了 {0} 个。\n\n"};

inline constexpr Sentence kWordsPicture{"Sinusoidal encoding of {}, {} dimensions",
                                        "「{}」的正弦位置編碼，{} 維", "“{}”的正弦位置编码，{} 维"};
inline constexpr Sentence kHundredPicture{"Sinusoidal encoding of positions 0 to 99, {} dimensions",
                                          "位置 0 到 99 的正弦位置編碼，{} 維",
                                          "位置 0 到 99 的正弦位置编码，{} 维"};
inline constexpr Sentence kDimension{"dimension", "維度", "维度"};
inline constexpr Sentence kPositionOfToken{"position (token)", "位置（token）", "位置（token）"};
inline constexpr Sentence kPosition{"position (tokens)", "位置", "位置"};
inline constexpr Sentence kValue{"value of the encoding", "編碼的值", "编码的值"};

}  // namespace ropewalk::cli::demo::absolute_words
