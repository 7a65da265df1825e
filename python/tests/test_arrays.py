"""What is refused, and how it is said: nothing is copied without a word, nothing read-only is written."""

import numpy as np
import pytest
import ropewalk


def error_of(code, call):
    with pytest.raises(ropewalk.Error) as caught:
        call()
    assert isinstance(caught.value, ValueError) and caught.value.code == code
    return str(caught.value)


@pytest.fixture
def rope():
    return ropewalk.Rope(128, pairing="half_split", heads=32, kv_heads=8)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def test_the_layout_has_no_default(rope):
    message = error_of("invalid_argument", lambda: rope.apply_(zeros(1, 3, 32, 128), None, 0))
    assert message.startswith('layout: expected "bshd"')
    assert "thd" in error_of("invalid_argument", lambda: rope.apply_(zeros(1, 3, 32, 128), None, 0, layout="sbhd"))


def test_an_array_of_the_other_layout_is_refused(rope):
    q, k = zeros(1, 32, 16, 128), zeros(1, 8, 16, 128)
    message = error_of("invalid_argument", lambda: rope.apply_(q, k, 0, layout="bshd"))
    assert "q: expected 32 heads in layout bshd, found 16 and 32 tokens" in message and "is it bhsd?" in message
    rope.apply_(q, k, 0, layout="bhsd")
    message = error_of("invalid_argument", lambda: rope.apply_(q, zeros(1, 5, 16, 128), 0, layout="bhsd"))
    assert "k: expected 8 heads" in message and "found 5" in message and "float32 of shape [1, 5, 16, 128]" in message
    rope.apply_(q[:, :16], k[:, :4], 0, layout="bhsd")  # the heads of one of two devices


def test_wrong_types_name_argument_shape_stride_and_dtype(rope):
    message = error_of("unsupported", lambda: rope.apply_(zeros(1, 2, 32, 128, dtype=np.float64), None, 0, layout="bshd"))
    assert message.startswith("q: expected dtype") and "float64 of shape [1, 2, 32, 128] with strides [8192, 4096, 128, 1]" in message
    message = error_of("invalid_argument", lambda: rope.apply_(zeros(1, 2, 32, 128, dtype=">f4"), None, 0, layout="bshd"))
    assert message == 'q: expected numbers of a known type, found the dtype >f4'
    message = error_of("invalid_argument", lambda: rope.apply_([[1.0]], None, 0, layout="bshd"))
    assert message.startswith("q: expected an array") and message.endswith("found list")
    message = error_of("invalid_argument", lambda: rope.apply_(zeros(1, 2, 32, 64), None, 0, layout="bshd"))
    assert "128" in message and "[1, 2, 32, 64]" in message
    odd = np.zeros((1, 2, 32, 128), np.dtype([("x", "f4"), ("y", "u1")]))["x"]
    message = error_of("invalid_argument", lambda: rope.apply_(odd, None, 0, layout="bshd"))
    assert message == "q: expected strides in whole elements of 4 bytes, found 5 bytes"


def test_nothing_read_only_is_written(rope):
    x = zeros(1, 2, 32, 128)
    x.flags.writeable = False
    message = error_of("invalid_argument", lambda: rope.apply_(x, None, 0, layout="bshd"))
    assert "q: expected an array that may be written, found a read-only one" in message
    with pytest.raises(ropewalk.Error, match="k: expected an array that may be written"):
        rope.apply_(zeros(1, 2, 32, 128), x[:, :, :8], 0, layout="bshd")
    assert rope.apply(x, None, 0, layout="bshd").flags.writeable
    shared = np.broadcast_to(zeros(1, 1, 1, 128), (1, 2, 32, 128))
    error_of("invalid_argument", lambda: rope.apply_(shared, None, 0, layout="bshd"))
    twice = np.lib.stride_tricks.as_strided(zeros(128), (1, 2, 32, 128), (0, 0, 0, 4))
    assert "one address twice" in error_of("invalid_argument", lambda: rope.apply_(twice, None, 0, layout="bshd"))


def test_q_and_k_in_one_array(rope):
    fused = np.arange(1 * 3 * 48 * 128, dtype=np.float32).reshape(1, 3, 48, 128) / 1000
    expected = rope.apply(fused[:, :, :32], fused[:, :, 32:40], 5, layout="bshd")
    v = fused[:, :, 40:].copy()
    rope.apply_(fused[:, :, :32], fused[:, :, 32:40], 5, layout="bshd")
    assert (fused[:, :, :32] == expected[0]).all() and (fused[:, :, 32:40] == expected[1]).all()
    assert (fused[:, :, 40:] == v).all()
    message = error_of("invalid_argument", lambda: rope.apply_(fused[:, :, :32], fused[:, :, 31:39], 5, layout="bshd"))
    assert "overlap" in message


def test_position_ids(rope):
    x = zeros(2, 3, 32, 128)

    def call(ids):
        return error_of("invalid_argument", lambda: rope.apply_(x, None, ids, layout="bshd"))

    assert "found None" in call(None) and "found a bool" in call(True)
    assert "position_ids: expected int64 or int32, found float64 of shape [3]" in call([0.0, 1.0, 2.0])
    assert "int64 or int32, found uint8" in call(np.zeros(3, np.uint8))
    assert "expected [3], [2, 3] or [1, 2, 3], found [4]" in call(range(4))
    assert "position_ids: expected int64 or int32, found float64 of shape []" in call(np.float64(3))
    assert "position_ids: expected int64 or int32, found bool of shape []" in call(np.True_)
    x[...] = np.arange(x.size).reshape(x.shape) / 1000
    expected = rope.apply(x, None, 3, layout="bshd")
    for first in (np.int64(3), np.int32(3), np.array(3)):
        assert (rope.apply(x, None, first, layout="bshd") == expected).all()
    for none in ([], (), range(0), [[], []]):
        assert rope.apply(x[:, :0], None, none, layout="bshd").shape == (2, 0, 32, 128)
    assert ropewalk.sinusoidal([], 4).shape == (0, 4) and ropewalk.positions.from_mask([[], []]).shape == (2, 0)
    message = error_of("invalid_argument", lambda: ropewalk.sinusoidal([0.5], 4))
    assert message.startswith("positions: expected int64 or int32, found float64")
    message = error_of("invalid_argument", lambda: rope.decay(None))
    assert message.startswith("distances: expected an array") and message.endswith("found None")
    assert "position_ids: expected an integer of 64 bits, found 9223372036854775808" in call(2**63)


def test_memory_that_is_no_numpy_array(rope):
    numbers = bytearray(4 * 128)
    view = memoryview(numbers).cast("f", (1, 1, 128))
    view[0, 0, 0] = 1.0
    ropewalk.Rope(128, pairing="half_split").apply_(view, None, 1, layout="thd")
    assert view[0, 0, 0] == pytest.approx(np.cos(1.0))
    out = ropewalk.Rope(128, pairing="half_split").apply(memoryview(bytes(numbers)).cast("f", (1, 1, 128)), None, 1, layout="thd")
    assert isinstance(out, np.ndarray)

    class Wrapped:  # DLPack alone, as another library has it
        def __init__(self, array, old):
            self.array, self.old = array, old

        def __dlpack__(self, **keywords):
            if self.old and keywords:
                raise TypeError("no max_version")
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    for old in (False, True):
        x = np.ones((1, 1, 128), np.float32)
        ropewalk.Rope(128, pairing="half_split").apply_(Wrapped(x, old), None, 1, layout="thd")
        assert x[0, 0, 0] == pytest.approx(np.cos(1.0) - np.sin(1.0))
    frozen = np.ones((1, 1, 128), np.float32)
    frozen.flags.writeable = False
    assert "read-only" in error_of("invalid_argument", lambda: ropewalk.Rope(128, pairing="half_split").apply_(
        Wrapped(frozen, False), None, 1, layout="thd"))

    class Elsewhere(Wrapped):
        def __dlpack_device__(self):
            return (2, 0)

    message = error_of("invalid_argument", lambda: rope.apply_(Elsewhere(zeros(1, 32, 128), False), None, 0, layout="thd"))
    assert message == "q: expected an array in the memory of the CPU, found one on a device of DLPack type 2"


def test_a_bad_rope_is_refused():
    for keywords, message in (
        (dict(head_dim=1), "head_dim: expected 2..65536, found 1"),
        (dict(head_dim=8, rotary_dim=7), "rotary_dim: expected an even number in 2..8, found 7"),
        (dict(head_dim=8, heads=0), "heads: expected at least 1, found 0"),
        (dict(head_dim=8, scaling={"rope_type": "yarn", "factr": 2}), 'found "factr"'),
        (dict(head_dim=8, scaling={"rope_type": "linear", "factor": "four"}), "scaling: factor: expected a number"),
        (dict(head_dim=8, heads=3, kv_heads=2), "kv_heads: expected a divisor of heads = 3, found 2"),
        (dict(head_dim=8, scaling="yarn"), "scaling: expected a dict with the keys of a rope block, found 'yarn'"),
        (dict(head_dim=8, scaling=[1]), "scaling: expected a dict with the keys of a rope block, found [1]"),
        (dict(head_dim=8, scaling={"rope_theta": "x"}), "scaling: rope_theta: expected a number, found 'x'"),
        (dict(head_dim=8, scaling={"mrope_section": 4}), "scaling: mrope_section: expected a list of integers, found 4"),
        (dict(head_dim=8, scaling={"mrope_interleaved": 1}), "scaling: mrope_interleaved: expected true or false, found 1"),
        (dict(head_dim=8, base=5.0, scaling={"rope_type": "linear", "factor": 2, "rope_theta": 6.0}), "base: expected one"),
    ):
        assert message in error_of("invalid_argument", lambda: ropewalk.Rope(pairing="half_split", **keywords))
    assert "yarn" in error_of("unsupported", lambda: ropewalk.Rope(8, pairing="half_split", scaling={"rope_type": "yran"}))
    error_of("invalid_argument", lambda: ropewalk.Rope(8, pairing="neox"))
    assert error_of("invalid_argument", lambda: ropewalk.Rope(8)).startswith('pairing: expected "half_split" or "interleaved", found none')


def test_arguments_of_another_type_are_named(rope):
    x = zeros(1, 3, 32, 128)
    for call, message in (
        (lambda: rope.apply_(x, None, [[1], [2, 3]], layout="bshd"), "position_ids: expected lists of one length, found [[1], [2, 3]]"),
        (lambda: ropewalk.Rope(8, pairing=None), "pairing: expected"),
        (lambda: ropewalk.read_model(None), "source: expected a path, "),
        (lambda: rope.apply_(None, x, 0, layout="bshd"), "q: expected an array"),
        (lambda: rope.rows(0).apply(None, x, layout="bshd"), "q: expected an array"),
        (lambda: rope.rows(None), "position_ids: expected an array"),
        (lambda: rope.apply_(x, None, 0, layout="bshd", threads=-1), "threads: expected at least 0, found -1"),
        (lambda: rope.rows(range(3)).apply_(x, layout="bshd", threads=-1), "threads: expected at least 0, found -1"),
        (lambda: ropewalk.attention(x, x, x, layout="bshd", threads=-2), "threads: expected at least 0, found -2"),
        (lambda: ropewalk.attention(x, x, x, layout="bshd", scale=0), "scale: expected a number other than 0"),
        (lambda: ropewalk.attention(x, x, x, layout="bshd", window_left=-1), "window_left: expected at least 0 keys, or None for all, found -1"),
        (lambda: ropewalk.attention(x, x, x, layout="bshd", window_right=-2), "window_right: expected at least 0 keys, or None for all, found -2"),
        (lambda: ropewalk.rotary_embedding(x, x[0, 0, :, :64], x[0, 0, :, :64], interleaved=2), "interleaved: expected True, False, 1 or 0, found 2"),
    ):
        assert error_of("invalid_argument", call).startswith(message)
