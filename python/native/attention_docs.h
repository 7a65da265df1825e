#pragma once

// As docs.h, for attention and its cache.
namespace ropewalk::python::docs {

#define ROPEWALK_HEADS_LAYOUT "layout: typing.Literal[\"bshd\", \"bhsd\", \"thd\"], "
#define ROPEWALK_SCORE_KEYWORDS(causal)                                                          \
  "causal: bool = " causal                                                                       \
  ", scale: float | None = None, softcap: float | None = None, window_left: int | None = None, " \
  "window_right: int | None = None, chunk: int | None = None, prefix: object | None = None, "    \
  "sinks: object | None = None, alibi_slopes: object | None = None, alibi_form: "                \
  "typing.Literal[\"relative\", \"key_position\", \"symmetric\"] = \"relative\", alibi_scale: "  \
  "float = 1.0, alibi_bf16: bool = False, distance_bias: object | None = None, key_mask: "       \
  "object | None = None, key_lengths: object | None = None, attn_mask: object | None = None, "   \
  "query_tokens: object | None = None, key_tokens: object | None = None, "
#define ROPEWALK_PACKED_KEYWORDS                                                                  \
  "cu_seqlens: object | None = None, cu_seqlens_q: object | None = None, cu_seqlens_k: object | " \
  "None = None, "
#define ROPEWALK_ROWS_KEYWORDS "q_rows: Rows | None = None, k_rows: Rows | None = None, "
#define ROPEWALK_RESULT_KEYWORDS "out: object | None = None, return_lse: bool = False, "

inline constexpr const char* kAttentionSig =
    "def attention(q: object, k: object, v: object, *, " ROPEWALK_HEADS_LAYOUT
        ROPEWALK_SCORE_KEYWORDS("False")
            ROPEWALK_PACKED_KEYWORDS ROPEWALK_ROWS_KEYWORDS ROPEWALK_RESULT_KEYWORDS
    "threads: int = 0) -> typing.Any";
inline constexpr const char* kAttention =
    R"(softmax(softcap(q k^T scale) + bias) v over the keys that a query sees, float32, of the kind of q.

q: [batch, seq, heads, head_dim] in the order of layout; k, v: the same with kv heads, of which heads is a multiple; v
may have another width. float32, bfloat16 or float16; any strides. No row of scores is ever written. Unless told
otherwise, queries are the last of the keys. A query that sees no key gives zeros; a NaN in a hidden key is not met.

What is seen. causal: keys whose token is not after the query's own. window_left, window_right: tokens to that side,
not counting the query's own. chunk: only keys of the query's chunk of so many tokens. prefix: the first so many tokens
are seen by all ([batch] or a number). key_mask [batch, keys]: 0 hides. key_lengths [batch]: keys after them are
padding. attn_mask: broadcasts to [batch, heads, queries, keys]; of bool or uint8, 0 (False) hides; of floats, it is
added to the score, and -inf hides.
What is added to a score. scale: of q.k; None: head_dim ** -0.5. softcap: s becomes softcap tanh(s / softcap). sinks
[heads]: a logit more in the softmax. alibi_slopes [heads]: times key - query (alibi_form "relative"), the number of
keys seen before the key ("key_position") or -|key - query| ("symmetric"), times alibi_scale; alibi_bf16: these are
rounded to bfloat16. distance_bias [heads, 2 r + 1]: column r + d is added at distance d = key - query, in tokens;
farther keys have that of r (T5).
Which token is which. query_tokens: the token of the first query, or of each, [queries]; key_tokens: of each key.
cu_seqlens ("thd"): sequences in one array, sequence s has tokens cu_seqlens[s] .. cu_seqlens[s + 1] - 1; cu_seqlens_q
and cu_seqlens_k where queries and keys differ.
q_rows, k_rows: of Rope.rows: q and k are rotated on the way in, with the bits of Rope.apply first.
out: a float32 array to write, and to return. return_lse: returns (out, lse), lse [batch, heads, queries] float32, ln of
the sum of e ** score over what is seen (its sink included), -inf where nothing is. threads: 0: as many as there are.

Worked number: one head of one channel, scale 1, q 1, k 0 and ln 3, v 0 and 4: 3. The bits of a row depend on its query
and on the keys that it sees alone. Raises ropewalk.Error, naming the argument. Source: docs/attention.md.)";

inline constexpr const char* kScoresSig =
    "def attention_scores(q: object, k: object, *, " ROPEWALK_HEADS_LAYOUT ROPEWALK_SCORE_KEYWORDS(
        "False") ROPEWALK_ROWS_KEYWORDS "threads: int = 0) -> typing.Any";
inline constexpr const char* kScores =
    R"(The scores that attention takes the softmax of, [batch, heads, queries, keys] float32; -inf where a key is hidden.

q, k and keywords as in attention, of which sinks add nothing here. For small sizes: this is the matrix that attention
never writes.)";

inline constexpr const char* kBackwardSig =
    "def attention_backward(d_out: object, q: object, k: object, v: object, out: object, lse: "
    "object, *, " ROPEWALK_HEADS_LAYOUT ROPEWALK_SCORE_KEYWORDS("False") ROPEWALK_PACKED_KEYWORDS
    "threads: int = 0) -> tuple[typing.Any, typing.Any, typing.Any]";
inline constexpr const char* kBackward =
    R"((dq, dk, dv), the gradients of attention, float32 in the shapes of q, k and v.

d_out: the gradient of out, float32. out, lse: what attention(..., return_lse=True) returned, and the keywords that it
was given. Scores are made again, block by block, never kept. Masks, biases and sinks get no gradient, and q and k are
as attended: rotate first, and turn dq and dk back with Rope.apply(..., transpose=True). ropewalk.torch.attention does
all this for autograd. Worked number: that of attention with d_out 1: dv 1/4 and 3/4, dq 3/4 ln 3, dk -3/4 and 3/4.
Raises ropewalk.Error. Source: Dao 2023 (arXiv:2307.08691), section 3.1.)";

}  // namespace ropewalk::python::docs
