#pragma once

#include <string_view>

namespace ropewalk {

// The words in which encodings and attention are described, each a choice of a few.

// Which channels of a window turn together. A pair (a, b) at angle t becomes
//   a' = a cos t - b sin t,   b' = b cos t + a sin t.
enum class Pairing {
  interleaved,  // pair i is channels (2i, 2i+1): GPT-J, Meta's LLaMA files, ChatGLM2, GLM-4
  half_split,   // pair i is channels (i, i + dim/2): GPT-NeoX, Hugging Face LLaMA, Baichuan
};

// Which axis of the position ids drives pair i, for a head whose pairs are shared between several.
enum class MropeOrder {
  contiguous,   // the first section[0] pairs take axis 0, the next section[1] axis 1, ...: Qwen2-VL
  interleaved,  // i % 3 == 1 and i < 3 section[1]: axis 1; i % 3 == 2 and i < 3 section[2]: axis 2;
                // else axis 0: Qwen3-VL
  height_width_first,  // i < 2 section[0]: even i axis 1, odd i axis 2; else axis 0: ERNIE-4.5-VL
  strided,      // axis a has the frequencies a, a + axes, a + 2 axes, ..., axis 0 first: Pixtral
  alternating,  // no section, every axis has all frequencies: pair i has axis i % axes and
                // frequency i / axes: Kimi-K2.5's vision tower
};

// What the slope of ALiBi multiplies, for a query at position q and a key at position k. The first
// two differ by one number for each query, which the softmax does not see, and in their rounding.
enum class AlibiForm {
  relative,      // k - q: the paper, MPT (q: the last position), Baichuan2-13B
  key_position,  // k: BLOOM, Falcon-RW, Baichuan-13B
  symmetric,     // -|k - q|, for attention in both directions: jina-bert-v2
};

// How learned numbers of the distance between query and key enter a score.
enum class RelativeForm {
  shaw,            // q . r(k - q): Shaw et al. 2018; wav2vec2-bert
  disentangled,    // q . r(q - k) + r'(k - q) . k, of the layer's own projections: DeBERTa
  transformer_xl,  // (q + u) . k + (q + v) . R(q - k), R projected sines: XLNet, Conformer
  distance_table,  // table[k - q, h]: a number for each distance and head
  window_table,    // table[dy, dx, h] of two places in a window: Swin, BEiT
  window_mlp,      // the same from a small network: Swin V2
  decomposed,      // q . (r(dy) + r'(dx)): SAM, ViTDet
  content_bias,    // numbers of the distance that the hidden state chooses: Inkling
};

// How a learned table with a row for each place of a grid is stretched over the grid of a picture.
enum class Resampling {
  none,                  // it is not: a row for each position
  bilinear,              // between the middles of its places, the outermost rows beyond them
  bilinear_corners,      // between its places, the corners of both grids on each other: Qwen3-VL
  bilinear_zeros,        // as bilinear, zeros beyond its outermost places: Muse
  bilinear_antialiased,  // as bilinear, over all places that fall on one: SigLIP 2
  bicubic,               // GLM-4V, Kimi-K2.5
};

// Sines and other features of places that are added where a model's code wants them.
enum class FeatureForm {
  fourier,     // sin, cos of 2 pi c W for places c, W random or learned: SAM
  sine_2d,     // sines of row and column, each half of the channels: DETR
  sine_boxes,  // sines of the corners of boxes
  timestamps,  // learned features of the time of day, week, ...: forecasting
};

// Order of the channels of a sinusoidal encoding, and the spacing of its frequencies.
enum class SinusoidalLayout {
  interleaved,  // pe[2i] = sin(p f_i), pe[2i+1] = cos(p f_i); f_i = base^(-2i/d): the paper, the
                // article
  sin_cos,      // [sin | cos], same f_i: Marian, Pegasus
  fairseq,  // [sin | cos], f_i = base^(-i/(d/2 - 1)), the row of the padding token zero: M2M100,
            // NLLB
  cos_sin,  // [cos | sin], f_i as fairseq: MusicGen
};

// How a layer mixes its tokens.
enum class Mixer {
  attention,
  cross_attention,  // q of the text, k and v of a picture: no positions of the text
  recurrence,       // Mamba, linear attention, ...
  convolution,
  none,  // only what stands beside attention in other models: an MLP or experts
};

enum class NormKind {
  none,
  rms,    // x / sqrt(mean(x^2) + eps)
  l2,     // x / max(|x|, eps); the same direction as rms, of length 1
  layer,  // (x - mean(x)) / sqrt(var(x) + eps)
};
enum class NormExtent { head, all_heads };  // over the channels of a head, or of all heads at once
enum class NormPlace { before_rotation, after_rotation };

// A norm of q and k, of v, or of what a layer's heads give.
struct Norm {
  NormKind kind = NormKind::none;
  NormExtent extent = NormExtent::head;
  NormPlace place = NormPlace::before_rotation;  // of q and k
  double eps = 1e-6;
  bool weights = true;       // multiplied by a learned number for each channel ...
  bool unit_offset = false;  // ... of which the checkpoint keeps what it is above 1 (Gemma)

  bool operator==(const Norm&) const = default;
};

// Which keys a query sees, but for windows, chunks and padding.
enum class Mask {
  causal,  // itself and those before it
  full,    // all
  prefix,  // all of the prompt, and those before it: ChatGLM-6B
};

// What the heads give is multiplied by a number between 0 and 1 before the last projection.
enum class OutputGate {
  none,
  per_channel,  // sigmoid(x Wg): one for each channel of each head
  per_head,     // sigmoid(x Wg): one for each head
};

// What a model's code does that no field says and attend does not compute; it refuses by this name.
enum class NotComputed {
  unknown,                 // nobody has looked at what the code does
  differential_attention,  // two softmaxes are subtracted: DiffLlama
  dynamic_mask,            // keys are chosen by their values: Doge
  sparse_indexer,          // keys are chosen by an indexer: DeepSeek-V3.2
  expert_heads,            // the heads are experts that a router chooses: JetMoE
  shared_keys,             // k and v are those of an earlier layer: Gemma 3n, Gemma 4
  hidden_state_beside,     // the layer reads the input beside the hidden state: Zamba2
  compressed_keys,         // keys of many tokens are made one: DeepSeek-V4
  convolved_projections,   // q, k or v are convolved over the tokens: Zaya
  softplus_gate,           // the output gate is no sigmoid: Laguna
  growing_queries,         // q grows with a power of the position: Beam
  prompt_window,           // a window, but for the prompt: Unlimited-OCR
  dual_chunk,              // positions start again in chunks: Qwen2.5-1M
  learned_query_scale,     // q is multiplied by learned numbers: TimesFM
  other,                   // what has no name here
};

std::string_view name(MropeOrder order);
std::string_view name(AlibiForm form);
std::string_view name(RelativeForm form);
std::string_view name(FeatureForm form);
std::string_view name(Resampling resampling);
std::string_view name(SinusoidalLayout layout);
std::string_view name(NormKind kind);
std::string_view name(NormExtent extent);
std::string_view name(NormPlace place);
std::string_view name(Mask mask);
std::string_view name(OutputGate gate);
std::string_view name(NotComputed what);
std::string_view name(Pairing pairing);
std::string_view name(Mixer mixer);

}  // namespace ropewalk
