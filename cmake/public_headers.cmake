# The headers that users include: they are installed, and ropewalk/all.h includes them. What such a header includes is public
# too; every other header may change or move at any time. tools/check_public.py keeps this list, all.h and the README together.
set(ROPEWALK_PUBLIC_HEADERS
    ropewalk/apply/alibi.h
    ropewalk/apply/positional_encoding.h
    ropewalk/apply/rope.h
    ropewalk/apply/rope_by_length.h
    ropewalk/attention/attention.h
    ropewalk/attention/self_attention.h
    ropewalk/base/dims.h
    ropewalk/base/dtype.h
    ropewalk/base/error.h
    ropewalk/base/fixed_vector.h
    ropewalk/base/half.h
    ropewalk/base/parallel_for.h
    ropewalk/base/tensor.h
    ropewalk/base/tensor_layout.h
    ropewalk/base/tensor_view.h
    ropewalk/encoding/attention_config.h
    ropewalk/encoding/encodings.h
    ropewalk/encoding/model_encoding.h
    ropewalk/encoding/position_ids.h
    ropewalk/encoding/rotary_layout.h
    ropewalk/encoding/spectrum.h
    ropewalk/formats/checkpoint.h
    ropewalk/formats/file.h
    ropewalk/formats/gguf.h
    ropewalk/formats/gguf_types.h
    ropewalk/formats/npy.h
    ropewalk/formats/safetensors.h
    ropewalk/models/models.h
    ropewalk/positions/chatglm.h
    ropewalk/positions/grid.h
    ropewalk/positions/mrope.h
    ropewalk/positions/positions.h
    ropewalk/positions/shards.h
    ropewalk/spectrum/spectrum.h
    ropewalk/tables/angle_mode.h
    ropewalk/tables/rope_rows.h
    ropewalk/tables/sinusoidal.h
    ropewalk/tables/table.h
    ropewalk/weights/layer_weights.h)

# Public, but not in all.h: these include a header of other software.
set(ROPEWALK_PUBLIC_HEADERS_APART
    ropewalk/encoding/to_json.h)
