#pragma once

#include "cli/demo/language.h"

namespace ropewalk::cli::demo::rotary_words {

inline constexpr Sentence kTitle{
    "4. RoPE as models use it: the inner product q.k that self-attention takes depends on m - n "
    "only.\nq and k are seeded random numbers here, of each model's real shape.\n\n",
    "4. 實際模型裡的 RoPE：自注意力所取的內積 q.k 只取決於 m - n。\n"
    "這裡的 q 與 k 是固定種子的隨機數，形狀與各模型相同。\n\n",
    "4. 实际模型里的 RoPE：自注意力所取的内积 q.k 只取决于 m - n。\n"
    "这里的 q 和 k 是固定种子的随机数，形状与各模型相同。\n\n"};

inline constexpr Sentence kModel{"{}: {} query heads, {} key heads of {} channels, {} layers",
                                 "{}：{} 個 query 頭，{} 個 key 頭，每頭 {} 個通道，{} 層",
                                 "{}：{} 个 query 头，{} 个 key 头，每头 {} 个通道，{} 层"};
inline constexpr Sentence kAlibi{", ALiBi\n", "，ALiBi\n", "，ALiBi\n"};
inline constexpr Sentence kRope{", RoPE with base {}\n", "，RoPE，底數 {}\n", "，RoPE，底数 {}\n"};
inline constexpr Sentence kWindow{"  channels {}..{} turn in pairs {}\n",
                                  "  通道 {}..{} 兩兩旋轉，成對方式 {}\n",
                                  "  通道 {}..{} 两两旋转，配对方式 {}\n"};
inline constexpr Sentence kTwoAxes{
    "  the first window by the position, the second by the block position; of a prompt and the "
    "beginning of its answer:\n",
    "  前一段依位置旋轉，後一段依區塊內的位置旋轉；一段提示和它的回答的開頭：\n",
    "  前一段按位置旋转，后一段按块内位置旋转；一段提示词和它的回答的开头：\n"};
inline constexpr Sentence kPositionIds{"position", "位置", "位置"};
inline constexpr Sentence kBlockIds{"block position", "區塊內的位置", "块内位置"};
inline constexpr Sentence kBothAxes{"  below, m and n are both of them\n",
                                    "  下表裡兩者都取 m 與 n\n", "  下表里两者都取 m 和 n\n"};
inline constexpr Sentence kSlopes{
    "No rotation: {} x (key - query) is added to the scores of head 0, {} x (key - query) to those "
    "of head {}.\nThe bias knows the distance only, by its form.\n\n",
    "不旋轉：第 0 個頭的分數加上 {0} x (key - query)，第 {2} 個頭的加上 {1} x (key - query)。\n"
    "這個偏置的形式就決定了它只看得到距離。\n\n",
    "不旋转：第 0 个头的分数加上 {0} x (key - query)，第 {2} 个头的加上 {1} x (key - query)。\n"
    "这个偏置的形式就决定了它只看得到距离。\n\n"};

inline constexpr Sentence kHere{"q.k at (m, n)", "(m, n) 的 q.k", "(m, n) 处的 q.k"};
inline constexpr Sentence kThere{"q.k at (m+{0}, n+{0})", "(m+{0}, n+{0}) 的 q.k",
                                 "(m+{0}, n+{0}) 处的 q.k"};
inline constexpr Sentence kDifference{"difference", "兩者之差", "两者之差"};
inline constexpr Sentence kLargest{
    "largest difference {:.1e}, rounding allows {:.1e}: ", "最大差 {:.1e}，捨入誤差最多 {:.1e}：",
    "最大差 {:.1e}，舍入误差最多 {:.1e}："};
inline constexpr Sentence kHolds{"q.k depends on m - n only\n\n", "q.k 只取決於 m - n\n\n",
                                 "q.k 只取决于 m - n\n\n"};
inline constexpr Sentence kFails{"MORE THAN ROUNDING\n\n", "超出捨入誤差\n\n", "超出舍入误差\n\n"};

inline constexpr Sentence kPairsPicture{
    "llama-2-7b: pairs of channels turn by the position m, each at its own speed",
    "llama-2-7b：成對的通道隨位置 m 旋轉，每一對各有各的速度",
    "llama-2-7b：成对的通道随位置 m 旋转，每一对各有各的速度"};
inline constexpr Sentence kPair{"pair {}: {:.3g} rad per position", "第 {} 對：每個位置 {:.3g} rad",
                                "第 {} 对：每个位置 {:.3g} rad"};
inline constexpr Sentence kChannel{"channel {}", "通道 {}", "通道 {}"};
inline constexpr Sentence kPairsCaption{
    "The pair (1, 0) of a query at positions 0 to 6, rotated by ropewalk.",
    "query 的一對通道 (1, 0) 在位置 0 到 6，由 ropewalk 旋轉。",
    "query 的一对通道 (1, 0) 在位置 0 到 6，由 ropewalk 旋转。"};

inline constexpr Sentence kDecayPicture{"q·k of equal q and k falls with the distance m − n",
                                        "q = k 時，q·k 隨距離 m − n 下降",
                                        "q = k 时，q·k 随距离 m − n 下降"};
inline constexpr Sentence kDistance{"distance m − n (positions)", "距離 m − n（位置）",
                                    "距离 m − n（位置）"};
inline constexpr Sentence kRatio{"q·k divided by q·q", "q·k 除以 q·q", "q·k 除以 q·q"};
inline constexpr Sentence kSeries{"{} (base {})", "{}（底數 {}）", "{}（底数 {}）"};
inline constexpr Sentence kDecayCaption{
    "q = k = (1, 1, ..., 1). glm-4-9b-chat turns half of the head only; the rest keeps its "
    "product.",
    "q = k = (1, 1, ..., 1)。glm-4-9b-chat 只旋轉每個頭的一半通道，其餘通道的內積不變。",
    "q = k = (1, 1, ..., 1)。glm-4-9b-chat 只旋转每个头的一半通道，其余通道的内积不变。"};

}  // namespace ropewalk::cli::demo::rotary_words
