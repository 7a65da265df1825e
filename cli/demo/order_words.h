#pragma once

#include "cli/demo/language.h"

namespace ropewalk::cli::demo::order_words {

inline constexpr Sentence kHeOwesMe{"他欠我100萬", "他欠我100萬", "他欠我100万"};
inline constexpr Sentence kIOweHim{"我欠他100萬", "我欠他100萬", "我欠他100万"};

inline constexpr Sentence kTitle{
    "2. Why order needs encoding: {} (he owes me a million) is not {} (I owe him a million)\n\n",
    "2. 為什麼順序需要編碼：「{}」不是「{}」\n\n", "2. 为什么顺序需要编码：“{}”不是“{}”\n\n"};
inline constexpr Sentence kSetting{
    "One attention layer, {} heads of {} channels, sees both sentences. Its embeddings and "
    "weights are seeded random\nnumbers (seed {}), no trained model. How far apart are its two "
    "outputs for the same token?\n\n",
    "同一個注意力層（{} 個頭，每頭 {} "
    "個通道）分別讀這兩句話。詞嵌入與權重是固定種子（{}）的隨機數，"
    "不是訓練好的模型。\n同一個 token 在兩句話裡的輸出相差多遠？\n\n",
    "同一个注意力层（{} 个头，每头 {} "
    "个通道）分别读这两句话。词嵌入和权重是固定种子（{}）的随机数，"
    "不是训练好的模型。\n同一个 token 在两句话里的输出相差多远？\n\n"};
inline constexpr Sentence kLength{"length of its output", "輸出的長度", "输出的长度"};
inline constexpr Sentence kWithout{"apart without positions", "不加位置時的差距",
                                   "不加位置时的差距"};
inline constexpr Sentence kWith{"apart with RoPE", "加上 RoPE 的差距", "加上 RoPE 的差距"};
inline constexpr Sentence kBag{
    "\nWithout positions the layer sees a bag of tokens: both sentences give it the same outputs, "
    "up to rounding.\n\n",
    "\n不加位置時，這一層看到的只是一袋 token：兩句話的輸出相同，只差捨入誤差。\n\n",
    "\n不加位置时，这一层看到的只是一袋 token：两句话的输出相同，只差舍入误差。\n\n"};

}  // namespace ropewalk::cli::demo::order_words
