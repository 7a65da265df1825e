// A model's facts, and the rope of one of its layers. Include ropewalk.h.
#ifndef ROPEWALK_CAPI_MODEL_H_
#define ROPEWALK_CAPI_MODEL_H_

#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the file of a model says of positions and attention.
typedef struct ropewalk_model ropewalk_model;

typedef struct ropewalk_model_options {
  size_t struct_size;
  const char* assume;   // a model_type to read the file as, whatever it says; NULL: what it says
  const char* scaling;  // {"rope_type": "yarn", "factor": 4}: stands for the file's; NULL: none
  const char* label;    // names the text of ropewalk_parse_model in messages; NULL: "config.json"
} ropewalk_model_options;
#define ROPEWALK_MODEL_OPTIONS \
  { sizeof(ropewalk_model_options), NULL, NULL, NULL }

// Reads a config.json, a GGUF, a params.json, the folder of one, or a preset ("llama-3-8b").
// options may be NULL. Errors: io, malformed or unsupported, naming file and key; invalid_argument
// for the scaling.
ROPEWALK_CHECKED ropewalk_status ropewalk_read_model(const char* path_or_preset,
                                                     const ropewalk_model_options* options,
                                                     ropewalk_model** model);

// The same from `size` bytes of text of a config.json or params.json.
ROPEWALK_CHECKED ropewalk_status ropewalk_parse_model(const char* text, size_t size,
                                                      const ropewalk_model_options* options,
                                                      ropewalk_model** model);

// NULL is nothing to free, here and in the other functions of this name.
ROPEWALK_API void ropewalk_free_model(ropewalk_model* model);

// Every fact as JSON, as `ropewalk show --json` has it but for the frequencies of one layer:
// layers, what they do to q, k and the scores, the evidence for each field, warnings, traps. The
// text is the model's own and lives as long as it does.
ROPEWALK_CHECKED ropewalk_status ropewalk_model_json(const ropewalk_model* model,
                                                     const char** json);

// The number of its layers.
ROPEWALK_CHECKED ropewalk_status ropewalk_count_layers(const ropewalk_model* model,
                                                       int64_t* layers);

// Written by ropewalk_describe_layer up to the struct_size that the caller has set.
typedef struct ropewalk_layer {
  size_t struct_size;
  const char* mixer;  // "attention", "cross_attention", "recurrence", "convolution", "none", ...
  const char* positions;  // "rope", "alibi", "sinusoidal", "learned", "none", ...
  int64_t heads;          // of q
  int64_t kv_heads;       // of k and v
  int64_t head_dim;       // channels of a head of q and k
  int64_t value_dim;      // of v
} ropewalk_layer;
#define ROPEWALK_LAYER \
  { sizeof(ropewalk_layer), NULL, NULL, 0, 0, 0, 0 }

// Layers count from 0. Errors: invalid_argument naming the number of layers.
ROPEWALK_CHECKED ropewalk_status ropewalk_describe_layer(const ropewalk_model* model, int64_t layer,
                                                         ropewalk_layer* facts);

// A rotary encoding: where the pairs of a head are, and how fast each turns.
typedef struct ropewalk_rope ropewalk_rope;

// That of one layer. seq_len is the length of the whole sequence, prompt and cache, in tokens,
// which some scalings read (longrope, dynamic); 0: of each sequence, 1 + its largest position. Keys
// that were turned under another length must be turned anew: pass the length that the cache is for.
// Errors: invalid_argument for a layer that is not there, or does not turn.
ROPEWALK_CHECKED ropewalk_status ropewalk_rope_of_layer(const ropewalk_model* model, int64_t layer,
                                                        int64_t seq_len, ropewalk_rope** rope);

// That of a part beside the layers: "vision". Errors: the same, listing the parts.
ROPEWALK_CHECKED ropewalk_status ropewalk_rope_of_part(const ropewalk_model* model,
                                                       const char* part, int64_t seq_len,
                                                       ropewalk_rope** rope);

// Which two channels turn together.
typedef enum ropewalk_pairing {
  ROPEWALK_PAIRING_HALF_SPLIT = 1,  // i and i + dim/2: GPT-NeoX, LLaMA in Hugging Face's files
  ROPEWALK_PAIRING_INTERLEAVED = 2  // 2i and 2i + 1: GPT-J, LLaMA in Meta's files
} ropewalk_pairing;

// A rope that no file states: channels 0 .. rotary_dim - 1 of a head turn, the others pass.
typedef struct ropewalk_rope_options {
  size_t struct_size;
  int64_t head_dim;     // must be given
  int64_t rotary_dim;   // 0: the whole head
  int32_t pairing;      // a ropewalk_pairing; must be given
  double base;          // rope_theta
  const char* scaling;  // a rope block of config.json, as JSON; NULL: none
  // max_position_embeddings, for a scaling that states no length of its own; 0: not known.
  int64_t max_positions;
  int64_t seq_len;  // as of ropewalk_rope_of_layer
} ropewalk_rope_options;
#define ROPEWALK_ROPE_OPTIONS \
  { sizeof(ropewalk_rope_options), 0, 0, 0, 10000.0, NULL, 0, 0 }

//   inv_freq_i = base^(-2i / rotary_dim), i = 0 .. rotary_dim/2 - 1,
// in float32 as the code of models has it, and then scaled. Worked number: base 10000, rotary_dim
// 4: 1, 0.01. Errors: invalid_argument for sizes and for a scaling that no config may have.
ROPEWALK_CHECKED ropewalk_status ropewalk_make_rope(const ropewalk_rope_options* options,
                                                    ropewalk_rope** rope);

ROPEWALK_API void ropewalk_free_rope(ropewalk_rope* rope);

// Written by ropewalk_describe_rope up to the struct_size that the caller has set. The arrays are
// the rope's.
typedef struct ropewalk_rope_facts {
  size_t struct_size;
  int64_t head_dim;          // of the tensors that it turns
  int64_t pairs;             // that turn
  int64_t axes;              // of the position: 1, but for M-RoPE, ChatGLM-6B and pictures
  const double* inv_freq;    // [pairs] radians per position
  const int32_t* axis;       // [pairs] which axis of the position turns it
  double attention_scaling;  // of cos and sin (YaRN's mscale)
  double softmax_factor;     // of the softmax scale, beside it: DeepSeek's mscale_all_dim
  // 1: made with seq_len 0, and each sequence has the frequencies of its own length; the ones here
  // are those of a short one.
  int32_t by_length;
} ropewalk_rope_facts;
#define ROPEWALK_ROPE_FACTS \
  { sizeof(ropewalk_rope_facts), 0, 0, 0, NULL, NULL, 0.0, 0.0, 0 }

ROPEWALK_CHECKED ropewalk_status ropewalk_describe_rope(const ropewalk_rope* rope,
                                                        ropewalk_rope_facts* facts);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_MODEL_H_
