#pragma once

#include "python/native/docs.h"

// Of diagnose: the signature for the stub, and docstrings.
namespace ropewalk::python::docs {

#define ROPEWALK_ARRAY(name) #name ": object | None = None, "

inline constexpr const char* kDiagnoseSig =
    "def diagnose(model: object | None = None, *, " ROPEWALK_ARRAY(before) ROPEWALK_ARRAY(after)
        ROPEWALK_ARRAY(mine) ROPEWALK_ARRAY(reference) ROPEWALK_ARRAY(cos) ROPEWALK_ARRAY(sin)
            ROPEWALK_ARRAY(inv_freq) ROPEWALK_ARRAY(scores) ROPEWALK_ARRAY(q) ROPEWALK_ARRAY(k)
                ROPEWALK_ARRAY(position_ids) ROPEWALK_LAYOUT
    " | None = None, layer: int | None = None, part: str | None = None, seq_len: int | None = "
    "None, name: typing.Literal[\"q\", \"k\", \"v\"] = \"q\", rotated: bool = False, after_softmax: bool "
    "= False, normed: bool = False, " ROPEWALK_ARRAY(key_mask) ROPEWALK_ARRAY(q_norm)
        ROPEWALK_ARRAY(k_norm) ROPEWALK_ARRAY(bucket_bias) "prefix: int | None = None) -> "
                                                           "Diagnosis";
inline constexpr const char* kDiagnose =
    R"(What a rotation did, and which convention it missed: `ropewalk diagnose`, of arrays.

    ropewalk.diagnose("llama-3-8b", before=q, after=q_rotated)       did it turn q as the model does?
    ropewalk.diagnose("llama-3-8b", mine=a, reference=b)             after two rotations: what turns one into the other?
    ropewalk.diagnose("llama-3-8b", cos=cos, sin=sin)                a table: each pair once, doubled or interleaved
    ropewalk.diagnose("llama-3-8b", inv_freq=inv_freq)               a list of frequencies
    ropewalk.diagnose("llama-3-8b", scores=s, q=q, k=k)              the scores: scale, bias, softcap and mask too
    ropewalk.diagnose(before=q, after=q_rotated)                     no model: which rotation is it? Of cos, sin and inv_freq too
    ropewalk.diagnose(mine=a, reference=b)                           no model: which fault, of which preset's rotation?

model: an Encoding, or what read_model takes. Arrays are read where they are, float32, float16 or bfloat16 of any
strides, in CPU memory; float64 becomes float32. position_ids: as Rope.apply_ takes them; None: 0, 1, 2, ...
layout: of q and k; None: bshd, unless the heads of the layer say otherwise. layer: None: the first that knows
positions. part: "vision", ... beside the layers. seq_len: tokens, for a scaling that depends on it. name: "k" for
an array of keys, by whose heads the layout is told, "v" for values, which should not be turned. Complex numbers f, as
Meta's freqs_cis, are cos=f.real, sin=f.imag.
Of scores: q and k are as projected, or, if rotated, as the product takes them; s [batch, heads, queries, keys] is
taken before the softmax, or after_softmax; normed: the norm of q and k was done before, else q_norm and k_norm are
its weights; key_mask: 1 is a key, 0 hides it; bucket_bias: T5's numbers [buckets, heads]; prefix: tokens of the
prompt that all see (ChatGLM-6B).

print(diagnosis) is what the command prints; docs/diagnose.md says how it works. Raises ropewalk.Error for arrays,
shapes or positions that do not fit, and as read_model.)";
inline constexpr const char* kDiagnosis = "What diagnose(...) found; print it. Never changes.";
inline constexpr const char* kConsistent =
    "Whether all is as the model has it; without a model, whether a rotation was found. The "
    "command then ends with 0, else with 1.";
inline constexpr const char* kVerdict =
    "\"consistent\", \"fault\" (each of findings explains it) or \"unexplained\"; without a model "
    "\"found\" or \"not_found\", of two arrays as with one.";
inline constexpr const char* kFindings =
    "At most 3, the likeliest first: causes (hypothesis, variant, their numbers), in_words, change "
    "and residual_in_ulp; without a model, each rotation that would have made the arrays, or whose "
    "fault would.";
inline constexpr const char* kResidual =
    "How far apart the two are, in ULP of the arrays, root mean square; None of a rotation that "
    "was found.";
inline constexpr const char* kFirstWrong =
    "Where it is first not as expected, or None: token, pair and angles; of scores head, query, "
    "key and numbers.";
inline constexpr const char* kDiagnosisToDict = "As `ropewalk diagnose --json` prints it.";

#undef ROPEWALK_ARRAY

}  // namespace ropewalk::python::docs
