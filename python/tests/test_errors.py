"""Each argument of each function of the module, given what it cannot be: the error names it, in our words."""

import re
from unittest import mock

import numpy as np
import pytest
import ropewalk
from ropewalk import _ropewalk

ROPE = ropewalk.Rope(8, pairing="half_split")
ENC = ropewalk.read_model("llama-2-7b")
X = np.ones((1, 3, 2, 8), np.float32)
TABLE = np.ones((5, 4), np.float32)
LAYOUT = dict(layout="bshd")
BACK = dict(inverse=False, transpose=False)

CACHED = X[0]  # of two heads, at positions 0..2 of sequence 0


def of_cache(method):
    """That method of a cache which has three tokens, made for each call."""

    def call(*arguments, **keywords):
        cache = ropewalk.KVCache(ROPE, kv_heads=2, dtype="float32")
        cache.append(CACHED, CACHED)
        return getattr(cache, method)(*arguments, **keywords)

    return call


# What each takes, one good value for each argument: a function that is missing here fails.
GOOD = {
    "Rope": (ropewalk.Rope, dict(head_dim=8, pairing="half_split", base=1e4, rotary_dim=8, scaling={"rope_type": "default"}, seq_len=9,
                                 heads=2, kv_heads=2)),
    "Rope.apply_": (ROPE.apply_, dict(q=X.copy(), k=X.copy(), position_ids=range(3), **LAYOUT, **BACK, threads=1)),
    "Rope.apply": (ROPE.apply, dict(q=X, k=X, position_ids=range(3), **LAYOUT, **BACK, threads=1)),
    "Rope.cos_sin": (ROPE.cos_sin, dict(position_ids=range(3), dtype="float32", angles="exact", form="half")),
    "Rope.decay": (ROPE.decay, dict(distances=range(3))),
    "Rope.to_dict": (ROPE.to_dict, {}),
    "Rope.plot_decay": (ROPE.plot_decay, dict(distances=range(3), ax=mock.MagicMock())),
    "Rope.rows": (ROPE.rows, dict(position_ids=range(3), **BACK)),
    "Rows.apply_": (ROPE.rows(range(3)).apply_, dict(q=X.copy(), k=X.copy(), **LAYOUT, threads=1)),
    "Rows.apply": (ROPE.rows(range(3)).apply, dict(q=X, k=X, **LAYOUT, threads=1)),
    "Encoding.rope": (ENC.rope, dict(layer=0, seq_len=9, part=None)),
    "Encoding.to_dict": (ENC.to_dict, {}),
    "Encoding.plot": (ENC.plot, dict(layer=0, seq_len=9, ax=mock.MagicMock())),
    "Attention.to_dict": (ENC.layers[0].attention.to_dict, {}),
    "Diagnosis.to_dict": (ropewalk.diagnose("llama-2-7b", inv_freq=ENC.rope().inv_freq).to_dict, {}),
    "Comparison.to_dict": (ropewalk.compare(ENC, ENC).to_dict, {}),
    "read_model": (ropewalk.read_model, dict(source="llama-2-7b", assume="", scaling={"rope_type": "linear", "factor": 2.0})),
    "preset_names": (ropewalk.preset_names, {}),
    "compare": (ropewalk.compare, dict(a=ENC, b="llama-2-7b", seq_len=0, layer=0)),
    "rotary_embedding": (ropewalk.rotary_embedding, dict(x=X.swapaxes(1, 2), cos=TABLE, sin=TABLE, position_ids=[[0, 1, 2]], interleaved=False,
                                                         rotary_embedding_dim=8, num_heads=2)),
    "sinusoidal": (ropewalk.sinusoidal, dict(positions=range(3), d_model=8, layout="interleaved", base=1e4, dtype="float32")),
    "alibi_slopes": (ropewalk.alibi_slopes, dict(heads=8, max_bias=8.0)),
    "positions_from_mask": (ropewalk.positions.from_mask, dict(mask=[[0, 1]], masked_value=0)),
    "positions_packed": (ropewalk.positions.packed, dict(cu_seqlens=[0, 2], firsts=[0])),
    "positions_mrope": (ropewalk.positions.mrope, dict(
        mm_token_type_ids=[[0, 1, 0]], images=[(1, 2, 2)], videos=[], mask=[[1, 1, 1]], spatial_merge=2, temporal_merge=1,
        tokens_per_second=0.0, frames_apart=False, next="largest", second_per_grid=[], masked_value=0)),
    "positions_grid": (ropewalk.positions.grid, dict(grids=[(1, 2, 2)], merge=2, axes="hw")),
    "KVCache": (ropewalk.KVCache, dict(rope=ROPE, kv_heads=2, head_dim=8, v_dim=8, dtype="float32", k_dtype=None, v_dtype=None, raw_k_dtype=None,
                                       page_size=64)),
    "KVCache.append": (of_cache("append"), dict(k=CACHED, v=CACHED, position_ids=range(3, 6), sequence=0, rows=ROPE.rows(range(3, 6)))),
    "KVCache.shift": (of_cache("shift"), dict(delta=1, first=0, end=3, sequence=0)),
    "KVCache.rerotate": (of_cache("rerotate"), dict(rope=ROPE, sequence=0)),
    "KVCache.remove": (of_cache("remove"), dict(first=0, end=2, sequence=0)),
    "KVCache.evict": (of_cache("evict"), dict(first=0, end=2, sequence=0)),
    "KVCache.keep_ends": (of_cache("keep_ends"), dict(sinks=1, recent=1, sequence=0)),
    "KVCache.copy": (of_cache("copy"), dict(source=0, target=1)),
    "KVCache.erase": (of_cache("erase"), dict(sequence=0)),
    "KVCache.gather": (of_cache("gather"), dict(sequence=0, as_float32=True, like=None)),
    "KVCache.tokens": (of_cache("tokens"), dict(sequence=0)),
    "KVCache.length": (of_cache("length"), dict(sequence=0)),
    "positions_chatglm": (ropewalk.positions.chatglm, dict(token_ids=[5, 130001, 130004])),
}

WRONG = (None, True, 1, -1, 0, 2.5, 2**63, 10**30, float("nan"), "8", "\udc80", b"8", "", [], [[1]], [[1], [2, 3]], ["a"], [None], {}, {"a": 1},
         {(1, 2): 3}, object(), object, len, np.zeros((2, 2)), np.array(["a"]), np.array([{}]), np.zeros(3, "V3"), np.zeros(3, "M8[s]"),
         np.float32(1), np.zeros((1,) * 9), 1j, slice(3))
# Drawn on: what it is, is no matter of ours.
NOT_OURS = {"ax"}
# What is read well and then found wrong is named otherwise: the key of a file, the token.
INSIDE = {
    "a": '/model_type|^"', "b": '/model_type|^"', "assume": "model_type",
    "mm_token_type_ids": "^mrope positions: ", "images": "^mrope positions: ", "spatial_merge": "^mrope positions: ",
    "token_ids": "^chatglm positions: ",
    "delta": "^position 0 by ", "sinks": "^keep_ends: ", "recent": "^keep_ends: ", "source": '/model_type|^"|^copy: ', "target": "^copy: ",
    "position_ids": "^append: expected (positions|rows) ", "first": "^shift: ", "end": "^shift: ", "page_size": "^page_size",
}
# These are in tests of their own.
ELSEWHERE = re.compile("attention(_|$)|KVCache.attend$|diagnose$")


def functions():
    for name, value in vars(_ropewalk).items():
        if isinstance(value, type):
            if type(value.__init__).__name__ == "nb_method":
                yield name, value.__init__
            for member, function in vars(value).items():
                if not member.startswith("_") and type(function).__name__ == "nb_method":
                    yield f"{name}.{member}", function
        elif not name.startswith("_") and type(value).__name__ == "nb_func":
            yield name, value


NAMES = [name for name, function in functions() if not ELSEWHERE.match(name)]


def parameters(name):
    signature = dict(functions())[name].__nb_signature__[0][0]
    return re.findall(r"[(,] ?(\w+)(?=:)", re.sub(r"\[[^]]*\]", "", signature))


def test_every_function_is_tried():
    assert set(NAMES) == set(GOOD)
    for name in NAMES:
        assert parameters(name) == list(GOOD[name][1]), name
        GOOD[name][0](**GOOD[name][1])


@pytest.mark.parametrize("name", NAMES)
def test_what_an_argument_cannot_be_is_named(name):
    function, good = GOOD[name]
    for argument in good:
        if argument in NOT_OURS:
            continue
        for wrong in WRONG:
            try:
                function(**{**good, argument: wrong})
            except ropewalk.Error as error:
                where = rf"\b{argument}\b|{INSIDE.get(argument, '(?!)')}"
                assert re.search(where, str(error)), f"{name}({argument}={wrong!r}): {error}"
                assert re.search(" found | is (not )?among | is there", str(error)) or error.code != "invalid_argument", f"{name}({argument}={wrong!r}): {error}"
            except Exception as error:
                raise AssertionError(f"{name}({argument}={wrong!r}): {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_does_not_fit_is_a_type_error_in_our_words(name):
    function, good = GOOD[name]
    short = name.rpartition(".")[2]

    def message(*arguments, **keywords):
        with pytest.raises(TypeError) as caught:
            function(*arguments, **keywords)
        text = str(caught.value)
        assert text.startswith(f"{short}: ") and "expected" in text and "found" in text and "nanobind" not in text, text
        return text

    assert message(**good, lay_out=1).endswith('found "lay_out"')
    assert "arguments by position, found 20" in message(*[None] * 20)
    if name in ("Rope", "alibi_slopes", "read_model"):
        first = next(iter(good))
        assert message() == f"{short}: {first}: expected an argument, found none"
        assert message(good[first], **{first: good[first]}) == f"{short}: {first}: expected one, found two, by position and by keyword"
    if "layout" in good and short.startswith("apply"):
        keywords = {key: value for key, value in good.items() if key != "layout"}
        with pytest.raises(ropewalk.Error, match='layout: expected "bshd".* found none'):
            function(**keywords)


def test_words():
    x = np.ones((1, 3, 2, 8), np.float32)
    for call, message in (
        (lambda: ROPE.apply_(x, None, 0, layout=None), 'layout: expected "bshd"'),
        (lambda: ROPE.apply_(x, None, 0, layout=5), "layout: expected a str, found 5"),
        (lambda: ROPE.apply_(x, None, 0, layout="bshd", inverse=1), "inverse: expected True or False, found 1"),
        (lambda: ropewalk.Rope(head_dim="8", pairing="half_split"), "head_dim: expected an integer, found '8'"),
        (lambda: ropewalk.Rope(8.0, pairing="half_split"), "head_dim: expected an integer, found 8.0"),
        (lambda: ropewalk.Rope(8, pairing="half_split", base="1e4"), "base: expected a number, found '1e4'"),
        (lambda: ROPE.apply_("abc", None, 0, layout="bshd"), "q: expected an array (of NumPy, PyTorch, JAX, ... with a buffer or __dlpack__), found str"),
        (lambda: ROPE.apply_([[1.0]], None, 0, layout="bshd"), "q: expected an array"),
        (lambda: ropewalk.compare(ENC, 5), "b: expected a path, the name of a preset, a dict or a config of transformers, found 5"),
        (lambda: ropewalk.attention(x, x, x), 'layout: expected "bshd"'),
        (lambda: of_cache("attend")(CACHED, sequence=1.5), "sequence: expected an integer, found 1.5"),
        (lambda: ROPE.rows(2**63), "position_ids: expected an integer of 64 bits, found 9223372036854775808"),
        (lambda: ropewalk.positions.grid([(1, 2)]), "grids: expected t, h and w of each, found shape [1, 2]"),
        (lambda: ropewalk.read_model({(1, 2): 3}), "source: expected what JSON can hold, found {(1, 2): 3}"),
    ):
        with pytest.raises(ropewalk.Error) as caught:
            call()
        assert str(caught.value).startswith(message), caught.value
    for call, message in (
        (lambda: ropewalk.attention(x, x, layout="bshd"), "attention: v: expected an argument, found none"),
        (lambda: ropewalk.attention_backward(x, x, x, x, x), "attention_backward: lse: expected an argument, found none"),
        (lambda: of_cache("attend")(), "attend: q: expected an argument, found none"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    # Numbers of NumPy are numbers.
    rope = ropewalk.Rope(np.int64(8), pairing="half_split", base=np.float32(1e4), heads=np.uint8(2))
    assert rope == ropewalk.Rope(8, pairing="half_split", base=1e4, heads=2)
    rope.apply_(x, None, 0, layout="bshd", inverse=np.True_, threads=np.int32(1))


def test_the_docs_name_one_signature():
    for name, function in functions():
        if name in ("Rope", "KVCache") or ELSEWHERE.match(name):
            continue
        lines = [line for line in function.__doc__.splitlines() if line.startswith(name.rpartition(".")[2] + "(")]
        assert len(lines) == 2 and lines[1].endswith("(...)"), name
