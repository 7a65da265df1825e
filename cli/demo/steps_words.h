#pragma once

#include "cli/demo/language.h"

namespace ropewalk::cli::demo::steps_words {

inline constexpr Sentence kTitle{"3. RoPE in four steps: {}, one head of {} channels\n\n",
                                 "3. RoPE 的四個步驟：「{}」，一個 {} 通道的頭\n\n",
                                 "3. RoPE 的四个步骤：“{}”，一个 {} 通道的头\n\n"};
inline constexpr Sentence kWanted{
    "What is wanted is a product that knows the distance only: <f(q, m), f(k, n)> = g(q, k, m - "
    "n).\nf(q, m) = R(m) q has it, for <R(m) q, R(n) k> = <R(m - n) q, k>: R(m) turns each pair "
    "(a, b) of channels\nby the angle mθᵢ, where θᵢ = 10000^(-2i/{}):\n",
    "我們要一個只看得到相對距離的內積：<f(q, m), f(k, n)> = g(q, k, m - n)。\n"
    "f(q, m) = R(m) q 正是如此，因為 <R(m) q, R(n) k> = <R(m - n) q, k>：R(m) 把每一對通道 (a, b)\n"
    "旋轉 mθᵢ 的角度，其中 θᵢ = 10000^(-2i/{})：\n",
    "我们要一个只看得到相对距离的内积：<f(q, m), f(k, n)> = g(q, k, m - n)。\n"
    "f(q, m) = R(m) q 正是如此，因为 <R(m) q, R(n) k> = <R(m - n) q, k>：R(m) 把每一对通道 (a, b)\n"
    "旋转 mθᵢ 的角度，其中 θᵢ = 10000^(-2i/{})：\n"};
inline constexpr Sentence kStep1{
    "Step 1: q = Wq x and k = Wk x from the embedding x of each token (seeded random numbers)\n",
    "步驟 1：由每個 token 的詞嵌入 x（固定種子的隨機數）算出 q = Wq x 與 k = Wk x\n",
    "步骤 1：由每个 token 的词嵌入 x（固定种子的随机数）算出 q = Wq x 和 k = Wk x\n"};
inline constexpr Sentence kStep2{"Step 2: the rotation of each position\n",
                                 "步驟 2：每個位置的旋轉\n", "步骤 2：每个位置的旋转\n"};
inline constexpr Sentence kStep3{
    "Step 3: the pairs turn, channels 0 and 2 by mθ₀, 1 and 3 by mθ₁\n",
    "步驟 3：成對旋轉，通道 0 與 2 轉 mθ₀，1 與 3 轉 mθ₁\n",
    "步骤 3：成对旋转，通道 0 和 2 转 mθ₀，1 和 3 转 mθ₁\n"};
inline constexpr Sentence kStep4{
    "Step 4: self-attention: f(q, m).f(k, n) / sqrt({}), softmax over n <= m, mean of v\n",
    "步驟 4：自注意力：f(q, m).f(k, n) / sqrt({})，對 n <= m 取 softmax，再對 v 加權平均\n",
    "步骤 4：自注意力：f(q, m).f(k, n) / sqrt({})，对 n <= m 取 softmax，再对 v 加权平均\n"};
inline constexpr Sentence kScores{"scores", "分數", "分数"};
inline constexpr Sentence kOutput{"output", "輸出", "输出"};
inline constexpr Sentence kSame{
    "The same text from position 1000 on gives the same scores, up to {:.1e}.\n\n",
    "同一段文字改從位置 1000 開始，分數不變，最多相差 {:.1e}。\n\n",
    "同一段文本改从位置 1000 开始，分数不变，最多相差 {:.1e}。\n\n"};
inline constexpr Sentence kComplex{
    "LLaMA in Meta's own code takes neighbours for a complex number a + bi and multiplies by e^(i "
    "mθ):\n",
    "Meta 的 LLaMA 原始碼把相鄰的兩個通道看作複數 a + bi，乘以 e^(i mθ)：\n",
    "Meta 的 LLaMA 原版代码把相邻的两个通道看作复数 a + bi，乘以 e^(i mθ)：\n"};
inline constexpr Sentence kProduct{"their product", "兩者的積", "两者之积"};
inline constexpr Sentence kTurnedPair{"the pair, turned", "旋轉後的一對", "旋转后的一对"};
inline constexpr Sentence kEqual{
    "The same rotation, up to {:.1e}, with pairs (2i, 2i + 1) instead of (i, i + 2).\n\n",
    "是同一個旋轉，最多相差 {:.1e}；只是成對方式是 (2i, 2i + 1)，不是 (i, i + 2)。\n\n",
    "是同一个旋转，最多相差 {:.1e}；只是配对方式是 (2i, 2i + 1)，不是 (i, i + 2)。\n\n"};

}  // namespace ropewalk::cli::demo::steps_words
