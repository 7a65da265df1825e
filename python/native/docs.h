#pragma once

// Signatures for the stub, and docstrings: shapes, units, errors, sources.
namespace ropewalk::python::docs {

#define ROPEWALK_LAYOUT "layout: typing.Literal[\"bshd\", \"bhsd\", \"thd\"]"

inline constexpr const char* kRope =
    R"(A rotary position embedding: how fast each pair of channels turns, and which channels are pairs.

    ropewalk.Rope(head_dim=128, pairing="half_split", base=1e4,
                  scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096})

inv_freq[i] = base ** (-2 i / rotary_dim), i < rotary_dim / 2, then what the rope_type makes of it, each
operation rounded to float32 as in the model's own code. Of a model: Encoding.rope(layer).

head_dim: channels of a head. pairing: "half_split" (i, i + rotary_dim/2: Hugging Face LLaMA, GPT-NeoX) or
"interleaved" (2i, 2i+1: Meta's LLaMA files, GPT-J); no default, as the wrong one gives fluent nonsense.
base: rope_theta; 10000 where it is not given. rotary_dim: the first so many channels turn; None: all.
scaling: the rope block of a config.json, with rope_type and its parameters. seq_len: tokens of the sequence,
for a scaling that depends on it (dynamic, longrope); None: each sequence's own, 1 + its largest position.
heads, kv_heads: an array that contradicts them is an error.

Never changes, and may be used by several threads at once. Raises ropewalk.Error for impossible numbers, a
rope_type that is not known, or a parameter that it does not read.
Source: Su et al., RoFormer, arXiv 2104.09864; modeling_rope_utils.py of transformers.)";

inline constexpr const char* kHeadDim = "Channels of a head, those that do not turn too.";
inline constexpr const char* kRotaryDim = "Channels that share one list of frequencies.";
inline constexpr const char* kBase = "rope_theta, the base of the powers.";
inline constexpr const char* kRopeType =
    "Name of the scaling, as in config.json: \"default\", \"yarn\", ...";
inline constexpr const char* kPairing =
    "\"half_split\" or \"interleaved\"; None where windows of the head differ.";
inline constexpr const char* kInvFreq =
    "Radians per position of each pair, [pairs]: float32, or float64 for a model that keeps it so. "
    "With a "
    "scaling that depends on the length and no seq_len, those of a short sequence.";
inline constexpr const char* kAxis =
    "The row of the position ids that drives each pair, [pairs] int32: 0 but for M-RoPE and 2-D.";
inline constexpr const char* kAttentionScaling = "Factor of cos and sin (YaRN's mscale, LongRoPE).";
inline constexpr const char* kSoftmaxFactor =
    "What the scaling multiplies the softmax scale by: 1 but for deepseek_yarn with "
    "mscale_all_dim.";
inline constexpr const char* kSeqLen = "The length that was given, in tokens, or None.";
inline constexpr const char* kHeads = "Query heads that q must have, or None.";
inline constexpr const char* kKvHeads = "Key heads that k must have, or None.";

inline constexpr const char* kMakeRopeSig =
    "def __init__(self, head_dim: int, *, pairing: typing.Literal[\"half_split\", "
    "\"interleaved\"], base: float | None = None, rotary_dim: int | None = None, "
    "scaling: dict | None = None, seq_len: int | None = None, heads: int | None = None, "
    "kv_heads: int | None = None) -> None";

inline constexpr const char* kApplyInPlaceSig =
    "def apply_(self, q: object, k: object | None = None, position_ids: object = None, "
    "*, " ROPEWALK_LAYOUT
    ", inverse: bool = False, transpose: bool = False, threads: int = 0) -> None";
inline constexpr const char* kApplyInPlace =
    R"(Rotates q and k in their own memory: nothing is copied.

    y_a = x_a cos(p w_i) - x_b sin(p w_i),  y_b = x_b cos(p w_i) + x_a sin(p w_i)

for each pair i = (a, b) of channels and each token at position p. The angle is exact, cos and sin are
correctly rounded to float32, results in bfloat16 and float16 are rounded once; the same bits for any
instruction set, threads, strides and layout.

q, k: NumPy arrays, torch tensors or others with a buffer or DLPack, in CPU memory; float32, bfloat16 or
float16, each its own; any strides. k may be None.
layout: "bshd" [batch, seq, heads, head_dim] (or [seq, heads, head_dim]), "bhsd" [batch, heads, seq, head_dim],
"thd" [tokens, heads, head_dim]. No array says which it is, so there is no default.
position_ids: int64 or int32, [seq], [batch, seq] or [axes, batch, seq]; an integer p (of NumPy or torch too) is p, p + 1, ...
inverse: undoes the rotation, R(-p) / attention_scaling. transpose: the backward pass, attention_scaling R(-p).
threads: at most so many; 0: OMP_NUM_THREADS, or one a processor.

Raises ropewalk.Error, before anything is written, for a read-only array, a tensor with requires_grad
(ropewalk.torch has functions that autograd knows), another shape, type or count of heads.
The GIL is released from 16384 numbers on: for fewer, handing it over takes longer than the rotation.)";

inline constexpr const char* kApplySig =
    "def apply(self, q: object, k: object | None = None, position_ids: object = None, "
    "*, " ROPEWALK_LAYOUT
    ", inverse: bool = False, transpose: bool = False, threads: int = 0) -> typing.Any";
inline constexpr const char* kApply =
    "The same into new arrays of the same kind (NumPy, torch, JAX), shape and type: that of q, or "
    "(q, k). See "
    "apply_. The inputs are only read.";

inline constexpr const char* kMakeRowsSig =
    "def rows(self, position_ids: object, *, inverse: bool = False, transpose: bool = False) -> "
    "Rows";
inline constexpr const char* kMakeRows =
    R"(The rows of cos and sin for the tokens of a step, made once for all its layers.

position_ids: as in apply_; an integer is one token. Rows.apply_ then gives the bits of apply_.)";
inline constexpr const char* kRows =
    R"(Rows of cos and sin for the tokens of one step: Rope.rows(position_ids). Never changes, and may be used by
several threads at once.)";
inline constexpr const char* kRowsApplyInPlaceSig =
    "def apply_(self, q: object, k: object | None = None, *, " ROPEWALK_LAYOUT
    ", threads: int = 0) -> None";
inline constexpr const char* kRowsApplyInPlace =
    "Rotates q and k in their own memory, as Rope.apply_ with the positions of the rows. Rows of "
    "one sequence "
    "serve any number of sequences.";
inline constexpr const char* kRowsApplySig =
    "def apply(self, q: object, k: object | None = None, *, " ROPEWALK_LAYOUT
    ", threads: int = 0) -> typing.Any";
inline constexpr const char* kRowsApply =
    "The same into new arrays of the same kind, shape and type: that of q, or (q, k).";
inline constexpr const char* kRowsShape = "(sequences, tokens of each, pairs).";

inline constexpr const char* kCosSinSig =
    "def cos_sin(self, position_ids: object, *, dtype: object = \"float32\", angles: "
    "typing.Literal[\"exact\", "
    "\"ideal\", \"hf_float32\", \"ggml_float32\", \"bf16_frequency\", \"bf16_position\", \"fp16\", "
    "\"tf32\"] = "
    "\"exact\", form: typing.Literal[\"half\", \"doubled\", \"interleaved\"] = \"half\") -> "
    "tuple[typing.Any, "
    "typing.Any]";
inline constexpr const char* kCosSin =
    R"(cos and sin of the tokens, each [seq, C] or [batch, seq, C], attention_scaling included.

dtype: float32, float16 or bfloat16, rounded once from the exact value. angles: "exact"; "ideal" (no float32
inv_freq either); "hf_float32", "ggml_float32", ...: the angles that transformers, llama.cpp, ... compute, bit
for bit, with their rounding. form: "half" [c_0 .. c_P-1] (ONNX, vLLM), "doubled" [c c] (transformers, half_split),
"interleaved" [c_0 c_0 c_1 c_1 ..] (Cohere, diffusers). A scaling that depends on the length takes each sequence's
own, as apply does, where seq_len is not given; transformers takes the longest of a batch for all. The arrays are of
the kind of position_ids.)";
inline constexpr const char* kDecay =
    "q.k of q = k = (1, 1, ..., 1) at each distance, beside that at 0: [distances] float64. Worked "
    "number: a head "
    "of two channels, frequency 1, distance 1: cos(1) = 0.540302.";
inline constexpr const char* kRopeToDict =
    "The configuration, as `ropewalk show --json` prints that of a layer.";

inline constexpr const char* kReadModelSig =
    "def read_model(source: object, *, assume: str = \"\", scaling: dict | None = None) -> "
    "Encoding";
inline constexpr const char* kReadModel =
    R"(What a model's file says about positions and attention, each fact with where it was read.

source: the path of a config.json, GGUF or params.json, of a folder with one; the name of a preset
("llama-3-8b"); a dict as json.load gives it; or a config object of transformers (model.config). assume: a
model_type to read it as, whatever it says. scaling: a rope block in the place of its own,
{"rope_type": "yarn", "factor": 4.0}.

print(encoding) shows the facts that `ropewalk show` prints. Raises ropewalk.Error with code "io", "malformed" or
"unsupported", naming file and key.)";
inline constexpr const char* kEncoding =
    "Everything about positions and attention that a model's file says: read_model(...). Never "
    "changes.";
inline constexpr const char* kEncodingRopeSig =
    "def rope(self, layer: int | None = None, seq_len: int | None = None, *, part: str | None = "
    "None) -> Rope";
inline constexpr const char* kEncodingRope =
    R"(The rotation of a layer, or of a part beside the layers ("vision", ...; see parts).

layer: None: 0. seq_len: tokens of the sequence, for a scaling that depends on it; None: each sequence's own.
Raises ropewalk.Error for a layer that does not rotate.)";
inline constexpr const char* kLayers = "One Layer for each layer of the model.";
inline constexpr const char* kEvidence =
    "Where each fact was read: a key of the file, a default, a rule.";
inline constexpr const char* kWarnings =
    "What a user should know: ignored keys, quirks of the model's code.";
inline constexpr const char* kParts =
    "Names of what else in the model knows positions: \"vision\", \"indexer\", ...";
inline constexpr const char* kMaxPositions =
    "The trained context in tokens, or None where no file says it.";
inline constexpr const char* kEncodingToDict =
    "Everything as dicts, lists and numbers: what `ropewalk show --json` prints, but for the "
    "frequencies (rope(...).inv_freq) and "
    "what it finds in a checkpoint.";
inline constexpr const char* kLayer =
    "One layer of a model: its heads, how it knows positions, what it does to the scores.";
inline constexpr const char* kLayerRope =
    "Its rotation (a Rope), or None where it does not rotate.";
inline constexpr const char* kLayerPositions =
    "How it knows positions, as a dict: {\"kind\": \"rope\", \"rope_theta\": 500000.0, ...}, "
    "alibi, learned, none, ...";
inline constexpr const char* kLayerSlopes = "ALiBi's slope of each head, [heads] float32, or None.";
inline constexpr const char* kAttention =
    "What a layer does to q, k, v and the scores besides positions: s = softcap((q.k) "
    "softmax_scale) over the keys "
    "that mask, window and chunk leave. None stands for what it does not do.";
inline constexpr const char* kSoftmaxScale =
    "Factor of q.k before the softmax; head_dim ** -0.5 where no file says another.";
inline constexpr const char* kWindow =
    "Keys to that side that a query sees, not counting itself; None: all. (Hugging Face's "
    "sliding_window counts it.)";
inline constexpr const char* kCompareSig =
    "def compare(a: object, b: object, *, seq_len: int = 0, layer: int | None = None) -> "
    "Comparison";
inline constexpr const char* kCompare =
    R"(How two models encode positions and attend, field by field and layer by layer.

a, b: Encodings, or what read_model takes. seq_len: tokens, for scalings that depend on it. layer: only this one.
print(comparison) shows the fields that differ; comparison.alike, .differences, .rotations and .to_dict() are its data.)";
inline constexpr const char* kPlotSig =
    "def plot(self, *, layer: int | None = None, seq_len: int | None = None, ax: object | None = "
    "None) -> typing.Any";
inline constexpr const char* kPlot =
    "Draws each pair's wavelength in positions, what the scaling did to it, and the context, with "
    "matplotlib; returns the axes.";
inline constexpr const char* kPlotDecaySig =
    "def plot_decay(self, distances: object | None = None, *, ax: object | None = None) -> "
    "typing.Any";
inline constexpr const char* kPlotDecay =
    "Draws how q.k of q = k = (1, ..., 1) falls with the distance (see decay), with matplotlib; "
    "returns the axes.";

}  // namespace ropewalk::python::docs
