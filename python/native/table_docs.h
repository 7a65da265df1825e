#pragma once

// As docs.h, for the functions of the module.
namespace ropewalk::python::docs {

inline constexpr const char* kRotaryEmbeddingSig =
    "def rotary_embedding(x: object, cos: object, sin: object, position_ids: object | None = None, "
    "*, "
    "interleaved: bool = False, rotary_embedding_dim: int = 0, num_heads: int = 0) -> typing.Any";
inline constexpr const char* kRotaryEmbedding =
    R"(Rotates x by a caller's tables, as ONNX RotaryEmbedding-23 and PyTorch's F.rotary_embedding do.

x: [batch, heads, seq, head_dim], or [batch, seq, hidden] with num_heads. cos, sin: [rows, pairs] with
position_ids [batch, seq] (or [seq]) that pick the rows; without ids the rows of the tokens themselves, [batch, seq,
pairs], [seq, pairs] or [batch, 1, seq, pairs]. interleaved: pairs are (2i, 2i+1), else (i, i + dim/2).
rotary_embedding_dim: only the first so many channels turn; 0: all. Products and sums are float32, the result is
rounded once to the type of x. Returns a new array of the kind of x. Raises ropewalk.Error; code "out_of_range"
names an id that has no row.)";

inline constexpr const char* kSinusoidalSig =
    "def sinusoidal(positions: object, d_model: int, layout: typing.Literal[\"interleaved\", "
    "\"sin_cos\", \"fairseq\", "
    "\"cos_sin\"] = \"interleaved\", *, base: float = 10000.0, dtype: object = \"float32\") -> "
    "typing.Any";
inline constexpr const char* kSinusoidal =
    R"(The sinusoidal vectors of positions, [positions, d_model], every number correctly rounded, once:

    pe[2i] = sin(p / base ** (2i / d_model)),  pe[2i+1] = cos(p / base ** (2i / d_model))

positions: integers, range(100), or an array [seq]. layout: "interleaved" (the paper), "sin_cos" [sin | cos] (Marian,
Pegasus), "fairseq" [sin | cos] with exponents i / (d_model/2 - 1) (M2M100), "cos_sin" (MusicGen). Worked number:
d_model 4, position 1: [0.841471, 0.540302, 0.0099998, 0.99995].
Source: Vaswani et al., Attention Is All You Need, 2017.)";

inline constexpr const char* kAlibiSig =
    "def alibi_slopes(heads: int, *, max_bias: float = 8.0) -> numpy.ndarray";
inline constexpr const char* kAlibi =
    "ALiBi's slope of each head, [heads] float32: 2 ** (-max_bias h / heads), h = 1 .. heads, for "
    "a power of two; for "
    "other counts as the authors' code. Worked number: 8 heads: 0.5, 0.25, ..., 0.00390625. "
    "Source: Press et al., 2022.";

inline constexpr const char* kFromMask =
    R"(Positions of a padded batch, [batch, seq] int64: tokens up to here - 1, and masked_value for padding.

mask: [batch, seq], 1 is a token, 0 is padding. Worked number: 0 0 1 1 1: 0 0 0 1 2. transformers fills with 0 from
version 5 and with 1 before.)";
inline constexpr const char* kPacked =
    R"(Positions of sequences packed one after the other, [tokens] int64, each from 0 or from firsts[i].

cu_seqlens: 0, the end of the first, ..., the number of tokens. Worked number: 0 4 8: 0 1 2 3 0 1 2 3.)";
inline constexpr const char* kMropeSig =
    "def positions_mrope(mm_token_type_ids: object, *, images: object = (), videos: object = (), "
    "mask: object | None = None, spatial_merge: int = 2, temporal_merge: int = 1, "
    "tokens_per_second: float = 0.0, frames_apart: bool = False, "
    "next: typing.Literal[\"largest\", \"side\"] = \"largest\", second_per_grid: object = (), "
    "masked_value: int = 0) -> tuple[typing.Any, typing.Any]";
inline constexpr const char* kMrope =
    R"(Three positions of each token of text with images and videos, ([3, batch, seq] int64, deltas [batch] int64).

mm_token_type_ids: [batch, seq] of 0 text, 1 image, 2 video, as transformers gives them. images, videos: (t, h, w) in
patches of each, in the order of the tokens. mask: [batch, seq], 0 is padding. spatial_merge, temporal_merge,
tokens_per_second, frames_apart, next: how the model counts, from its config.json: Qwen2-VL (), Qwen2.5-VL
(tokens_per_second=2), Qwen3-VL and GLM-4V (frames_apart=True); next "largest" as the models were published and vLLM,
"side" as transformers 5. second_per_grid: of each video. deltas: the next token's position is this + the tokens of
the row.)";
inline constexpr const char* kGrid =
    R"(Positions of the patches of images and videos for a vision tower, [axes, 1, patches] int64.

grids: (t, h, w) in patches of each. merge: patches come in blocks of merge x merge. axes: "hw" (Qwen2-VL), "wh"
(Llama 4) or "thw".)";
inline constexpr const char* kChatglm =
    R"(ChatGLM-6B's two positions of each token, [2, 1, seq] int64: position and block position, from its token ids.)";

}  // namespace ropewalk::python::docs
