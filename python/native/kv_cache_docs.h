#pragma once

#include "python/native/attention_docs.h"

// As docs.h, for ropewalk.KVCache.
namespace ropewalk::python::docs {

inline constexpr const char* kCache =
    R"(Keys and values of one layer, of any number of sequences, in pages. A key is rotated when it is stored.

rope: a Rope, whose rotation keys get, or None (ALiBi, layers without positions: give head_dim); with a scaling that
depends on the length, one that has a seq_len. kv_heads: heads of k and v; None: those that rope knows. v_dim: channels
of a value; None: those of a key; 0: no values are kept (latent attention: they are part of k). dtype, k_dtype, v_dtype:
"float32", "bfloat16", "float16" or "int8" (each row of a token and head with a scale of its own, max |x| / 127).
raw_k_dtype: keys are kept as they came, too, in this type: one that was moved then has the bits of a key rotated there.
page_size: tokens; no result depends on it.

Moves turn each key from where it was first stored by one exact difference of angles: a thousand shifts have the bits of
one. Ranges are of positions, first <= p < end, on the first axis. sequence is the caller's number; append makes a new one.
What fails raises ropewalk.Error and leaves the cache as it was. == compares what it was made with and what it holds; copy.copy shares nothing. Any number
of threads may call: those that change the cache wait for the others. The GIL is released. Source: docs/kv_cache.md.)";
inline constexpr const char* kCacheInitSig =
    "def __init__(self, rope: Rope | None = None, *, kv_heads: int | None = None, head_dim: int | "
    "None = None, v_dim: int | None = None, dtype: object = \"bfloat16\", k_dtype: object | None = "
    "None, v_dtype: object | None = None, raw_k_dtype: object | None = None, page_size: int = 64) "
    "-> None";
inline constexpr const char* kAppendSig =
    "def append(self, k: object, v: object | None = None, position_ids: object | None = None, *, "
    "sequence: int = 0, rows: Rows | None = None) -> None";
inline constexpr const char* kAppend =
    R"(Adds tokens at the end of a sequence.

k: [tokens, kv_heads, head_dim], not rotated, v: [tokens, kv_heads, v_dim], of float32, bfloat16 or float16, any strides,
read where they are. position_ids: [tokens] or [axes, 1, tokens] (M-RoPE), or the position of the first; None: from
length(sequence) on. rows: of Rope.rows at these positions, made once for all layers. The bits of Rope.apply, rounded once
to k_dtype.)";
inline constexpr const char* kCacheAttendSig =
    "def attend(self, q: object, position_ids: object | None = None, *, sequence: int = 0, rows: "
    "Rows | None = None, v_dim: int | None = None, " ROPEWALK_SCORE_KEYWORDS("True")
        ROPEWALK_RESULT_KEYWORDS "threads: int = 0) -> typing.Any";
inline constexpr const char* kCacheAttend =
    R"(attention of queries on the keys and values of a sequence, [tokens, heads, v_dim] float32, of the kind of q.

q: [tokens, heads, head_dim], not rotated: it is rotated as the keys were, at position_ids; None: those of the last tokens of
the sequence, which append has just added. rows: as in append. v_dim: where the cache keeps no values, how many channels of
k are the value. The keywords are those of ropewalk.attention, but causal is True: a token is where its position says, so
that windows, chunks and ALiBi count positions, gaps among them; on several axes (M-RoPE) tokens are counted in their order.
Keys and values are read where they lie.)";
inline constexpr const char* kShiftSig =
    "def shift(self, delta: object, first: int = 0, end: int | None = None, *, sequence: int = 0) "
    "-> None";
inline constexpr const char* kShift =
    "Adds delta to the positions first <= p < end (None: to the last) and turns their keys: one "
    "number for all axes, or a list of one for each. Worked number: k = [1, 0] of frequency 1 at "
    "position 3, shifted by -1, reads [cos 2, sin 2].";
inline constexpr const char* kRerotate =
    "Turns all keys of a sequence to the frequencies of another rope of the same channels, which "
    "those of later appends have, too: LongRoPE's long factors, dynamic NTK's base of a longer "
    "sequence (enc.rope(seq_len=...)).";
inline constexpr const char* kRemove =
    "Drops the tokens at positions first <= p < end; the others stay where they are.";
inline constexpr const char* kEvict =
    "Drops the tokens at positions first <= p < end and closes the gap: what follows moves by "
    "first - end on all axes.";
inline constexpr const char* kKeepEnds =
    "StreamingLLM: keeps the first `sinks` tokens and the last `recent`, which move up behind "
    "them. Source: Xiao et al., ICLR 2024.";
inline constexpr const char* kCopy = "Makes the new sequence `target`, equal to `source`.";
inline constexpr const char* kErase = "Drops a sequence.";
inline constexpr const char* kGatherSig =
    "def gather(self, sequence: int = 0, *, as_float32: bool = False, like: object | None = None) "
    "-> tuple[typing.Any, typing.Any, typing.Any]";
inline constexpr const char* kGather =
    R"(A copy of a sequence, (k, v, positions): [tokens, kv_heads, head_dim], [tokens, kv_heads, v_dim] (None of v_dim 0) and
int64 [tokens], or [axes, tokens]. k is rotated. In the types of the cache, int8 as float32; as_float32: all so. Of the kind
of `like`, or NumPy.)";
inline constexpr const char* kTokens = "How many tokens a sequence has.";
inline constexpr const char* kLength = "1 + the largest position of a sequence on any axis.";
inline constexpr const char* kSequences = "The numbers of the sequences, in ascending order.";
inline constexpr const char* kSizeInBytes = "Memory of all pages.";
inline constexpr const char* kVDim = "Channels of a value; 0 where none are kept.";
inline constexpr const char* kRawKDtype = "The type in which keys are kept as they came, or None.";

}  // namespace ropewalk::python::docs
