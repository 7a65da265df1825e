"""
The compiled part of ropewalk: what is public is imported from ropewalk itself.
"""

from typing import Any, Literal

import numpy

from ._error import Error as Error


class Rope:
    """
    A rotary position embedding: how fast each pair of channels turns, and which channels are pairs.

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
    Source: Su et al., RoFormer, arXiv 2104.09864; modeling_rope_utils.py of transformers.
    """

    def __init__(self, head_dim: int, *, pairing: Literal["half_split", "interleaved"], base: float | None = None, rotary_dim: int | None = None, scaling: dict | None = None, seq_len: int | None = None, heads: int | None = None, kv_heads: int | None = None) -> None: ...

    def apply(self, q: object, k: object | None = None, position_ids: object = None, *, layout: Literal["bshd", "bhsd", "thd"], inverse: bool = False, transpose: bool = False, threads: int = 0) -> Any:
        """
        The same into new arrays of the same kind (NumPy, torch, JAX), shape and type: that of q, or (q, k). See apply_. The inputs are only read.
        """

    def cos_sin(self, position_ids: object, *, dtype: object = "float32", angles: Literal["exact", "ideal", "hf_float32", "ggml_float32", "bf16_frequency", "bf16_position", "fp16", "tf32"] = "exact", form: Literal["half", "doubled", "interleaved"] = "half") -> tuple[Any, Any]:
        """
        cos and sin of the tokens, each [seq, C] or [batch, seq, C], attention_scaling included.

        dtype: float32, float16 or bfloat16, rounded once from the exact value. angles: "exact"; "ideal" (no float32
        inv_freq either); "hf_float32", "ggml_float32", ...: the angles that transformers, llama.cpp, ... compute, bit
        for bit, with their rounding. form: "half" [c_0 .. c_P-1] (ONNX, vLLM), "doubled" [c c] (transformers, half_split),
        "interleaved" [c_0 c_0 c_1 c_1 ..] (Cohere, diffusers). A scaling that depends on the length takes each sequence's
        own, as apply does, where seq_len is not given; transformers takes the longest of a batch for all. The arrays are of
        the kind of position_ids.
        """

    def decay(self, distances: object) -> numpy.ndarray:
        """
        q.k of q = k = (1, 1, ..., 1) at each distance, beside that at 0: [distances] float64. Worked number: a head of two channels, frequency 1, distance 1: cos(1) = 0.540302.
        """

    def to_dict(self) -> dict:
        """The configuration, as `ropewalk show --json` prints that of a layer."""

    def plot_decay(self, distances: object | None = None, *, ax: object | None = None) -> Any:
        """
        Draws how q.k of q = k = (1, ..., 1) falls with the distance (see decay), with matplotlib; returns the axes.
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    @property
    def head_dim(self) -> int:
        """Channels of a head, those that do not turn too."""

    @property
    def rotary_dim(self) -> int:
        """Channels that share one list of frequencies."""

    @property
    def base(self) -> float:
        """rope_theta, the base of the powers."""

    @property
    def rope_type(self) -> str:
        """Name of the scaling, as in config.json: "default", "yarn", ..."""

    @property
    def pairing(self) -> str | None:
        """"half_split" or "interleaved"; None where windows of the head differ."""

    @property
    def inv_freq(self) -> numpy.ndarray:
        """
        Radians per position of each pair, [pairs]: float32, or float64 for a model that keeps it so. With a scaling that depends on the length and no seq_len, those of a short sequence.
        """

    @property
    def axis(self) -> numpy.ndarray:
        """
        The row of the position ids that drives each pair, [pairs] int32: 0 but for M-RoPE and 2-D.
        """

    @property
    def attention_scaling(self) -> float:
        """Factor of cos and sin (YaRN's mscale, LongRoPE)."""

    @property
    def softmax_factor(self) -> float:
        """
        What the scaling multiplies the softmax scale by: 1 but for deepseek_yarn with mscale_all_dim.
        """

    @property
    def seq_len(self) -> int | None:
        """The length that was given, in tokens, or None."""

    @property
    def heads(self) -> int | None:
        """Query heads that q must have, or None."""

    @property
    def kv_heads(self) -> int | None:
        """Key heads that k must have, or None."""

    def rows(self, position_ids: object, *, inverse: bool = False, transpose: bool = False) -> Rows:
        """
        The rows of cos and sin for the tokens of a step, made once for all its layers.

        position_ids: as in apply_; an integer is one token. Rows.apply_ then gives the bits of apply_.
        """

class Rows:
    """
    Rows of cos and sin for the tokens of one step: Rope.rows(position_ids). Never changes, and may be used by
    several threads at once.
    """

    def apply(self, q: object, k: object | None = None, *, layout: Literal["bshd", "bhsd", "thd"], threads: int = 0) -> Any:
        """
        The same into new arrays of the same kind, shape and type: that of q, or (q, k).
        """

    @property
    def shape(self) -> tuple[int, int, int]:
        """(sequences, tokens of each, pairs)."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class Encoding:
    """
    Everything about positions and attention that a model's file says: read_model(...). Never changes.
    """

    @property
    def name(self) -> str:
        """The file or preset."""

    @property
    def family(self) -> str:
        """"llama", ..."""

    @property
    def model_type(self) -> str:
        """Whose code it is: "qwen3"."""

    @property
    def hidden_size(self) -> int:
        """Channels of x."""

    @property
    def heads(self) -> int:
        """Query heads of most layers."""

    @property
    def kv_heads(self) -> int:
        """Key heads of most layers."""

    @property
    def head_dim(self) -> int:
        """Channels of a head."""

    @property
    def max_positions(self) -> int | None:
        """The trained context in tokens, or None where no file says it."""

    @property
    def layers(self) -> list[Layer]:
        """One Layer for each layer of the model."""

    @property
    def parts(self) -> list[str]:
        """
        Names of what else in the model knows positions: "vision", "indexer", ...
        """

    @property
    def warnings(self) -> list[str]:
        """What a user should know: ignored keys, quirks of the model's code."""

    @property
    def evidence(self) -> list[Evidence]:
        """Where each fact was read: a key of the file, a default, a rule."""

    def rope(self, layer: int | None = None, seq_len: int | None = None, *, part: str | None = None) -> Rope:
        """
        The rotation of a layer, or of a part beside the layers ("vision", ...; see parts).

        layer: None: 0. seq_len: tokens of the sequence, for a scaling that depends on it; None: each sequence's own.
        Raises ropewalk.Error for a layer that does not rotate.
        """

    def to_dict(self) -> dict:
        """
        Everything as dicts, lists and numbers: what `ropewalk show --json` prints, but for the frequencies (rope(...).inv_freq) and what it finds in a checkpoint.
        """

    def plot(self, *, layer: int | None = None, seq_len: int | None = None, ax: object | None = None) -> Any:
        """
        Draws each pair's wavelength in positions, what the scaling did to it, and the context, with matplotlib; returns the axes.
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class Attention:
    """
    What a layer does to q, k, v and the scores besides positions: s = softcap((q.k) softmax_scale) over the keys that mask, window and chunk leave. None stands for what it does not do.
    """

    @property
    def softmax_scale(self) -> float:
        """
        Factor of q.k before the softmax; head_dim ** -0.5 where no file says another.
        """

    @property
    def mask(self) -> str:
        """"causal", "full" or "prefix"."""

    @property
    def window_left(self) -> int | None:
        """
        Keys to that side that a query sees, not counting itself; None: all. (Hugging Face's sliding_window counts it.)
        """

    @property
    def window_right(self) -> int | None:
        """
        Keys to that side that a query sees, not counting itself; None: all. (Hugging Face's sliding_window counts it.)
        """

    @property
    def chunk(self) -> int | None:
        """
        Only keys of the query's own chunk of so many tokens are seen (Llama 4).
        """

    @property
    def softcap(self) -> float | None:
        """A scaled score s becomes softcap * tanh(s / softcap)."""

    @property
    def sinks(self) -> bool:
        """A learned logit for each head joins the softmax (gpt-oss)."""

    @property
    def qk_norm(self) -> dict | None:
        """The norm of q and k."""

    @property
    def query_scale(self) -> dict | None:
        """q times a number that grows with its position."""

    @property
    def latent(self) -> dict | None:
        """The low-rank projections of multi-head latent attention."""

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict:
        """Every field, None where there is none."""

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class Layer:
    """
    One layer of a model: its heads, how it knows positions, what it does to the scores.
    """

    @property
    def index(self) -> int:
        """0 is the first."""

    @property
    def mixer(self) -> str:
        """"attention", "recurrence", ..."""

    @property
    def heads(self) -> int:
        """Query heads."""

    @property
    def kv_heads(self) -> int:
        """Key and value heads."""

    @property
    def head_dim(self) -> int:
        """Channels of a head of q and k."""

    @property
    def value_dim(self) -> int:
        """Channels of a head of v."""

    @property
    def rope(self) -> Rope | None:
        """Its rotation (a Rope), or None where it does not rotate."""

    @property
    def alibi_slopes(self) -> numpy.ndarray | None:
        """ALiBi's slope of each head, [heads] float32, or None."""

    @property
    def positions(self) -> dict:
        """
        How it knows positions, as a dict: {"kind": "rope", "rope_theta": 500000.0, ...}, alibi, learned, none, ...
        """

    @property
    def attention(self) -> Attention | None:
        """None where it has none."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class Evidence:
    """Where one fact about a model comes from."""

    @property
    def field(self) -> str:
        """"rope_theta\""""

    @property
    def value(self) -> str:
        """"500000\""""

    @property
    def source(self) -> str:
        """"config.json: /rope_theta", "default of LlamaConfig", ..."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

def read_model(source: object, *, assume: str = "", scaling: dict | None = None) -> Encoding:
    """
    What a model's file says about positions and attention, each fact with where it was read.

    source: the path of a config.json, GGUF or params.json, of a folder with one; the name of a preset
    ("llama-3-8b"); a dict as json.load gives it; or a config object of transformers (model.config). assume: a
    model_type to read it as, whatever it says. scaling: a rope block in the place of its own,
    {"rope_type": "yarn", "factor": 4.0}.

    print(encoding) shows the facts that `ropewalk show` prints. Raises ropewalk.Error with code "io", "malformed" or
    "unsupported", naming file and key.
    """

def preset_names() -> list[str]:
    """The names of the models that are built in."""

class Comparison:
    """What differs between two models: compare(a, b)."""

    @property
    def alike(self) -> bool:
        """Whether both encode positions and attend alike."""

    @property
    def differences(self) -> list[dict]:
        """Each field that differs: level, field, a, b, layers."""

    @property
    def rotations(self) -> list[dict]:
        """Rotations that are not the same, and how far apart they turn."""

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict:
        """As `ropewalk show A B --json` prints it."""

    def __getstate__(self) -> object: ...

    def __setstate__(self, arg: object, /) -> None: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

def compare(a: object, b: object, *, seq_len: int = 0, layer: int | None = None) -> Comparison:
    """
    How two models encode positions and attend, field by field and layer by layer.

    a, b: Encodings, or what read_model takes. seq_len: tokens, for scalings that depend on it. layer: only this one.
    print(comparison) shows the fields that differ; comparison.alike, .differences, .rotations and .to_dict() are its data.
    """

def rotary_embedding(x: object, cos: object, sin: object, position_ids: object | None = None, *, interleaved: bool = False, rotary_embedding_dim: int = 0, num_heads: int = 0) -> Any:
    """
    Rotates x by a caller's tables, as ONNX RotaryEmbedding-23 and PyTorch's F.rotary_embedding do.

    x: [batch, heads, seq, head_dim], or [batch, seq, hidden] with num_heads. cos, sin: [rows, pairs] with
    position_ids [batch, seq] (or [seq]) that pick the rows; without ids the rows of the tokens themselves, [batch, seq,
    pairs], [seq, pairs] or [batch, 1, seq, pairs]. interleaved: pairs are (2i, 2i+1), else (i, i + dim/2).
    rotary_embedding_dim: only the first so many channels turn; 0: all. Products and sums are float32, the result is
    rounded once to the type of x. Returns a new array of the kind of x. Raises ropewalk.Error; code "out_of_range"
    names an id that has no row.
    """

def sinusoidal(positions: object, d_model: int, layout: Literal["interleaved", "sin_cos", "fairseq", "cos_sin"] = "interleaved", *, base: float = 10000.0, dtype: object = "float32") -> Any:
    """
    The sinusoidal vectors of positions, [positions, d_model], every number correctly rounded, once:

        pe[2i] = sin(p / base ** (2i / d_model)),  pe[2i+1] = cos(p / base ** (2i / d_model))

    positions: integers, range(100), or an array [seq]. layout: "interleaved" (the paper), "sin_cos" [sin | cos] (Marian,
    Pegasus), "fairseq" [sin | cos] with exponents i / (d_model/2 - 1) (M2M100), "cos_sin" (MusicGen). Worked number:
    d_model 4, position 1: [0.841471, 0.540302, 0.0099998, 0.99995].
    Source: Vaswani et al., Attention Is All You Need, 2017.
    """

def alibi_slopes(heads: int, *, max_bias: float = 8.0) -> numpy.ndarray:
    """
    ALiBi's slope of each head, [heads] float32: 2 ** (-max_bias h / heads), h = 1 .. heads, for a power of two; for other counts as the authors' code. Worked number: 8 heads: 0.5, 0.25, ..., 0.00390625. Source: Press et al., 2022.
    """

def attention(q: object, k: object, v: object, *, layout: Literal["bshd", "bhsd", "thd"], causal: bool = False, scale: float | None = None, softcap: float | None = None, window_left: int | None = None, window_right: int | None = None, chunk: int | None = None, prefix: object | None = None, sinks: object | None = None, alibi_slopes: object | None = None, alibi_form: Literal["relative", "key_position", "symmetric"] = "relative", alibi_scale: float = 1.0, alibi_bf16: bool = False, distance_bias: object | None = None, key_mask: object | None = None, key_lengths: object | None = None, attn_mask: object | None = None, query_tokens: object | None = None, key_tokens: object | None = None, cu_seqlens: object | None = None, cu_seqlens_q: object | None = None, cu_seqlens_k: object | None = None, q_rows: Rows | None = None, k_rows: Rows | None = None, out: object | None = None, return_lse: bool = False, threads: int = 0) -> Any:
    """
    softmax(softcap(q k^T scale) + bias) v over the keys that a query sees, float32, of the kind of q.

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
    and on the keys that it sees alone. Raises ropewalk.Error, naming the argument. Source: docs/attention.md.
    """

def attention_scores(q: object, k: object, *, layout: Literal["bshd", "bhsd", "thd"], causal: bool = False, scale: float | None = None, softcap: float | None = None, window_left: int | None = None, window_right: int | None = None, chunk: int | None = None, prefix: object | None = None, sinks: object | None = None, alibi_slopes: object | None = None, alibi_form: Literal["relative", "key_position", "symmetric"] = "relative", alibi_scale: float = 1.0, alibi_bf16: bool = False, distance_bias: object | None = None, key_mask: object | None = None, key_lengths: object | None = None, attn_mask: object | None = None, query_tokens: object | None = None, key_tokens: object | None = None, q_rows: Rows | None = None, k_rows: Rows | None = None, threads: int = 0) -> Any:
    """
    The scores that attention takes the softmax of, [batch, heads, queries, keys] float32; -inf where a key is hidden.

    q, k and keywords as in attention, of which sinks add nothing here. For small sizes: this is the matrix that attention
    never writes.
    """

class KVCache:
    """
    Keys and values of one layer, of any number of sequences, in pages. A key is rotated when it is stored.

    rope: a Rope, whose rotation keys get, or None (ALiBi, layers without positions: give head_dim); with a scaling that
    depends on the length, one that has a seq_len. kv_heads: heads of k and v; None: those that rope knows. v_dim: channels
    of a value; None: those of a key; 0: no values are kept (latent attention: they are part of k). dtype, k_dtype, v_dtype:
    "float32", "bfloat16", "float16" or "int8" (each row of a token and head with a scale of its own, max |x| / 127).
    raw_k_dtype: keys are kept as they came, too, in this type: one that was moved then has the bits of a key rotated there.
    page_size: tokens; no result depends on it.

    Moves turn each key from where it was first stored by one exact difference of angles: a thousand shifts have the bits of
    one. Ranges are of positions, first <= p < end, on the first axis. sequence is the caller's number; append makes a new one.
    What fails raises ropewalk.Error and leaves the cache as it was. == compares what it was made with and what it holds; copy.copy shares nothing. Any number
    of threads may call: those that change the cache wait for the others. The GIL is released. Source: docs/kv_cache.md.
    """

    def __init__(self, rope: Rope | None = None, *, kv_heads: int | None = None, head_dim: int | None = None, v_dim: int | None = None, dtype: object = "bfloat16", k_dtype: object | None = None, v_dtype: object | None = None, raw_k_dtype: object | None = None, page_size: int = 64) -> None: ...

    def append(self, k: object, v: object | None = None, position_ids: object | None = None, *, sequence: int = 0, rows: Rows | None = None) -> None:
        """
        Adds tokens at the end of a sequence.

        k: [tokens, kv_heads, head_dim], not rotated, v: [tokens, kv_heads, v_dim], of float32, bfloat16 or float16, any strides,
        read where they are. position_ids: [tokens] or [axes, 1, tokens] (M-RoPE), or the position of the first; None: from
        length(sequence) on. rows: of Rope.rows at these positions, made once for all layers. The bits of Rope.apply, rounded once
        to k_dtype.
        """

    def attend(self, q: object, position_ids: object | None = None, *, sequence: int = 0, rows: Rows | None = None, v_dim: int | None = None, causal: bool = True, scale: float | None = None, softcap: float | None = None, window_left: int | None = None, window_right: int | None = None, chunk: int | None = None, prefix: object | None = None, sinks: object | None = None, alibi_slopes: object | None = None, alibi_form: Literal["relative", "key_position", "symmetric"] = "relative", alibi_scale: float = 1.0, alibi_bf16: bool = False, distance_bias: object | None = None, key_mask: object | None = None, key_lengths: object | None = None, attn_mask: object | None = None, query_tokens: object | None = None, key_tokens: object | None = None, out: object | None = None, return_lse: bool = False, threads: int = 0) -> Any:
        """
        attention of queries on the keys and values of a sequence, [tokens, heads, v_dim] float32, of the kind of q.

        q: [tokens, heads, head_dim], not rotated: it is rotated as the keys were, at position_ids; None: those of the last tokens of
        the sequence, which append has just added. rows: as in append. v_dim: where the cache keeps no values, how many channels of
        k are the value. The keywords are those of ropewalk.attention, but causal is True: a token is where its position says, so
        that windows, chunks and ALiBi count positions, gaps among them; on several axes (M-RoPE) tokens are counted in their order.
        Keys and values are read where they lie.
        """

    def shift(self, delta: object, first: int = 0, end: int | None = None, *, sequence: int = 0) -> None:
        """
        Adds delta to the positions first <= p < end (None: to the last) and turns their keys: one number for all axes, or a list of one for each. Worked number: k = [1, 0] of frequency 1 at position 3, shifted by -1, reads [cos 2, sin 2].
        """

    def rerotate(self, rope: Rope, *, sequence: int = 0) -> None:
        """
        Turns all keys of a sequence to the frequencies of another rope of the same channels, which those of later appends have, too: LongRoPE's long factors, dynamic NTK's base of a longer sequence (enc.rope(seq_len=...)).
        """

    def remove(self, first: int, end: int, *, sequence: int = 0) -> None:
        """
        Drops the tokens at positions first <= p < end; the others stay where they are.
        """

    def evict(self, first: int, end: int, *, sequence: int = 0) -> None:
        """
        Drops the tokens at positions first <= p < end and closes the gap: what follows moves by first - end on all axes.
        """

    def keep_ends(self, sinks: int, recent: int, *, sequence: int = 0) -> None:
        """
        StreamingLLM: keeps the first `sinks` tokens and the last `recent`, which move up behind them. Source: Xiao et al., ICLR 2024.
        """

    def copy(self, source: int, target: int) -> None:
        """Makes the new sequence `target`, equal to `source`."""

    def erase(self, sequence: int) -> None:
        """Drops a sequence."""

    def gather(self, sequence: int = 0, *, as_float32: bool = False, like: object | None = None) -> tuple[Any, Any, Any]:
        """
        A copy of a sequence, (k, v, positions): [tokens, kv_heads, head_dim], [tokens, kv_heads, v_dim] (None of v_dim 0) and
        int64 [tokens], or [axes, tokens]. k is rotated. In the types of the cache, int8 as float32; as_float32: all so. Of the kind
        of `like`, or NumPy.
        """

    def tokens(self, sequence: int = 0) -> int:
        """How many tokens a sequence has."""

    def length(self, sequence: int = 0) -> int:
        """1 + the largest position of a sequence on any axis."""

    @property
    def sequences(self) -> list[int]:
        """The numbers of the sequences, in ascending order."""

    @property
    def size_in_bytes(self) -> int:
        """Memory of all pages."""

    @property
    def kv_heads(self) -> int:
        """Heads of k and v."""

    @property
    def head_dim(self) -> int:
        """Channels of a key."""

    @property
    def v_dim(self) -> int:
        """Channels of a value; 0 where none are kept."""

    @property
    def k_dtype(self) -> str:
        """"float32", "bfloat16", "float16" or "int8"."""

    @property
    def v_dtype(self) -> str:
        """As k_dtype, of values."""

    @property
    def raw_k_dtype(self) -> str | None:
        """The type in which keys are kept as they came, or None."""

    @property
    def page_size(self) -> int:
        """Tokens of a page; no result depends on it."""

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

    def __copy__(self) -> KVCache: ...

    def __deepcopy__(self, arg: object, /) -> KVCache: ...

def attention_backward(d_out: object, q: object, k: object, v: object, out: object, lse: object, *, layout: Literal["bshd", "bhsd", "thd"], causal: bool = False, scale: float | None = None, softcap: float | None = None, window_left: int | None = None, window_right: int | None = None, chunk: int | None = None, prefix: object | None = None, sinks: object | None = None, alibi_slopes: object | None = None, alibi_form: Literal["relative", "key_position", "symmetric"] = "relative", alibi_scale: float = 1.0, alibi_bf16: bool = False, distance_bias: object | None = None, key_mask: object | None = None, key_lengths: object | None = None, attn_mask: object | None = None, query_tokens: object | None = None, key_tokens: object | None = None, cu_seqlens: object | None = None, cu_seqlens_q: object | None = None, cu_seqlens_k: object | None = None, threads: int = 0) -> tuple[Any, Any, Any]:
    """
    (dq, dk, dv), the gradients of attention, float32 in the shapes of q, k and v.

    d_out: the gradient of out, float32. out, lse: what attention(..., return_lse=True) returned, and the keywords that it
    was given. Scores are made again, block by block, never kept. Masks, biases and sinks get no gradient, and q and k are
    as attended: rotate first, and turn dq and dk back with Rope.apply(..., transpose=True). ropewalk.torch.attention does
    all this for autograd. Worked number: that of attention with d_out 1: dv 1/4 and 3/4, dq 3/4 ln 3, dk -3/4 and 3/4.
    Raises ropewalk.Error. Source: Dao 2023 (arXiv:2307.08691), section 3.1.
    """

def positions_from_mask(mask: object, *, masked_value: int = 0) -> Any:
    """
    Positions of a padded batch, [batch, seq] int64: tokens up to here - 1, and masked_value for padding.

    mask: [batch, seq], 1 is a token, 0 is padding. Worked number: 0 0 1 1 1: 0 0 0 1 2. transformers fills with 0 from
    version 5 and with 1 before.
    """

def positions_packed(cu_seqlens: object, firsts: object | None = None) -> Any:
    """
    Positions of sequences packed one after the other, [tokens] int64, each from 0 or from firsts[i].

    cu_seqlens: 0, the end of the first, ..., the number of tokens. Worked number: 0 4 8: 0 1 2 3 0 1 2 3.
    """

def positions_mrope(mm_token_type_ids: object, *, images: object = (), videos: object = (), mask: object | None = None, spatial_merge: int = 2, temporal_merge: int = 1, tokens_per_second: float = 0.0, frames_apart: bool = False, next: Literal["largest", "side"] = "largest", second_per_grid: object = (), masked_value: int = 0) -> tuple[Any, Any]:
    """
    Three positions of each token of text with images and videos, ([3, batch, seq] int64, deltas [batch] int64).

    mm_token_type_ids: [batch, seq] of 0 text, 1 image, 2 video, as transformers gives them. images, videos: (t, h, w) in
    patches of each, in the order of the tokens. mask: [batch, seq], 0 is padding. spatial_merge, temporal_merge,
    tokens_per_second, frames_apart, next: how the model counts, from its config.json: Qwen2-VL (), Qwen2.5-VL
    (tokens_per_second=2), Qwen3-VL and GLM-4V (frames_apart=True); next "largest" as the models were published and vLLM,
    "side" as transformers 5. second_per_grid: of each video. deltas: the next token's position is this + the tokens of
    the row.
    """

def positions_grid(grids: object, *, merge: int = 2, axes: Literal["hw", "wh", "thw"] = "hw") -> numpy.ndarray:
    """
    Positions of the patches of images and videos for a vision tower, [axes, 1, patches] int64.

    grids: (t, h, w) in patches of each. merge: patches come in blocks of merge x merge. axes: "hw" (Qwen2-VL), "wh"
    (Llama 4) or "thw".
    """

def positions_chatglm(token_ids: object) -> Any:
    """
    ChatGLM-6B's two positions of each token, [2, 1, seq] int64: position and block position, from its token ids.
    """

class Diagnosis:
    """What diagnose(...) found; print it. Never changes."""

    @property
    def consistent(self) -> bool:
        """
        Whether all is as the model has it; without a model, whether a rotation was found. The command then ends with 0, else with 1.
        """

    @property
    def verdict(self) -> str:
        """
        "consistent", "fault" (each of findings explains it) or "unexplained"; without a model "found" or "not_found", of two arrays as with one.
        """

    @property
    def findings(self) -> list[dict]:
        """
        At most 3, the likeliest first: causes (hypothesis, variant, their numbers), in_words, change and residual_in_ulp; without a model, each rotation that would have made the arrays, or whose fault would.
        """

    @property
    def residual_in_ulp(self) -> float | None:
        """
        How far apart the two are, in ULP of the arrays, root mean square; None of a rotation that was found.
        """

    @property
    def first_wrong(self) -> dict | None:
        """
        Where it is first not as expected, or None: token, pair and angles; of scores head, query, key and numbers.
        """

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict:
        """As `ropewalk diagnose --json` prints it."""

def diagnose(model: object | None = None, *, before: object | None = None, after: object | None = None, mine: object | None = None, reference: object | None = None, cos: object | None = None, sin: object | None = None, inv_freq: object | None = None, scores: object | None = None, q: object | None = None, k: object | None = None, position_ids: object | None = None, layout: Literal["bshd", "bhsd", "thd"] | None = None, layer: int | None = None, part: str | None = None, seq_len: int | None = None, name: Literal["q", "k", "v"] = "q", rotated: bool = False, after_softmax: bool = False, normed: bool = False, key_mask: object | None = None, q_norm: object | None = None, k_norm: object | None = None, bucket_bias: object | None = None, prefix: int | None = None) -> Diagnosis:
    """
    What a rotation did, and which convention it missed: `ropewalk diagnose`, of arrays.

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
    shapes or positions that do not fit, and as read_model.
    """
