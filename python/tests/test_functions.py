import ml_dtypes
import numpy as np
import pytest
import ropewalk
from formulas import attended


def onnx_rotary(x, cos, sin, interleaved, dim):
    """RotaryEmbedding-23 of ONNX in NumPy, after its specification: x [batch, heads, seq, head_dim], cos [batch, seq, dim/2]."""
    turning, rest = x[..., :dim].astype(np.float64), x[..., dim:]
    cos, sin = cos[:, None].astype(np.float64), sin[:, None].astype(np.float64)
    a, b = (turning[..., 0::2], turning[..., 1::2]) if interleaved else np.split(turning, 2, -1)
    real, imaginary = cos * a - sin * b, sin * a + cos * b
    if interleaved:
        turned = np.stack([real, imaginary], -1).reshape(turning.shape)
    else:
        turned = np.concatenate([real, imaginary], -1)
    return np.concatenate([turned, rest], -1)


@pytest.mark.parametrize("interleaved", (False, True))
@pytest.mark.parametrize("dim", (8, 4))
def test_rotary_embedding_is_onnx_s(random, interleaved, dim):
    x = random.standard_normal((2, 3, 5, 8)).astype(np.float32)
    cache = random.standard_normal((2, 50, dim // 2)).astype(np.float32)
    ids = random.integers(0, 50, (2, 5))
    keywords = dict(interleaved=interleaved, rotary_embedding_dim=dim if dim < 8 else 0)
    expected = onnx_rotary(x, cache[0][ids], cache[1][ids], interleaved, dim)
    got = ropewalk.rotary_embedding(x, cache[0], cache[1], ids, **keywords)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    for same in (int(interleaved), np.bool_(interleaved)):  # ONNX's attribute is an integer
        keywords["interleaved"] = same
        assert (ropewalk.rotary_embedding(x, cache[0], cache[1], ids, **keywords) == got).all()
    rows = cache[0][ids], cache[1][ids]
    assert (ropewalk.rotary_embedding(x, *rows, **keywords) == got).all()
    assert (ropewalk.rotary_embedding(x, rows[0][:, None], rows[1][:, None], **keywords) == got).all()
    flat = np.ascontiguousarray(x.swapaxes(1, 2)).reshape(2, 5, 24)
    of_flat = ropewalk.rotary_embedding(flat, *rows, num_heads=3, **keywords)
    assert (of_flat.reshape(2, 5, 3, 8).swapaxes(1, 2) == got).all()
    one = ropewalk.rotary_embedding(x, rows[0][0], rows[1][0], **keywords)
    assert (one[0] == got[0]).all() and not (one[1] == got[1]).all()


def test_rotary_embedding_refuses(random):
    x, table = np.zeros((2, 3, 5, 8), np.float32), np.zeros((50, 4), np.float32)

    def message(*arguments, code="invalid_argument", **keywords):
        with pytest.raises(ropewalk.Error) as caught:
            ropewalk.rotary_embedding(*arguments, **keywords)
        assert caught.value.code == code
        return str(caught.value)

    assert "position_ids[1, 4] is 50" in message(x, table, table, [[0] * 5, [0] * 4 + [50]], code="out_of_range")
    assert "expected 4 pairs for 8 channels" in message(x, table[:, :2], table[:, :2], 0)
    assert "without position_ids, found float32 of shape [50, 4]" in message(x, table, table)
    assert "num_heads: expected a divisor" in message(x[0], table, table, 0)
    assert "two tables of one shape" in message(x, table, table[:9], 0)
    assert "x: expected [batch, heads" in message(x[0, 0], table, table, 0)


@pytest.mark.parametrize("dim", (4, 7, 512))
def test_sinusoidal_is_the_paper_s(dim):
    positions = [0, 1, 99, 100000]
    got = ropewalk.sinusoidal(positions, dim)
    angle = np.array(positions)[:, None] / 10000.0 ** (np.arange(0, dim, 2) / dim)
    expected = np.empty((4, dim))
    expected[:, 0::2], expected[:, 1::2] = np.sin(angle), np.cos(angle)[:, : dim // 2]
    np.testing.assert_allclose(got, expected, atol=6e-8)
    assert ropewalk.sinusoidal(range(3), dim, dtype="bfloat16").dtype == ml_dtypes.bfloat16
    with pytest.raises(ropewalk.Error, match="positions: expected a list"):
        ropewalk.sinusoidal(100, dim)


def test_alibi_slopes():
    assert ropewalk.alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert ropewalk.alibi_slopes(12)[8:].tolist() == [np.float32(2.0 ** -(h - 0.5)) for h in range(1, 5)]


@pytest.mark.parametrize("causal", (False, True))
def test_attention(random, causal):
    q = random.standard_normal((2, 3, 4, 16)).astype(np.float32)
    k, v = (random.standard_normal((2, 5, 2, 16)).astype(np.float32) for _ in range(2))
    expected = attended(q, np.repeat(k, 2, 2), np.repeat(v, 2, 2), causal)
    np.testing.assert_allclose(ropewalk.attention(q, k, v, layout="bshd", causal=causal), expected, rtol=1e-5, atol=1e-6)
    q, k, v = (np.ascontiguousarray(x.swapaxes(1, 2)) for x in (q, k, v))
    got = ropewalk.attention(q, k, v, layout="bhsd", causal=causal)
    np.testing.assert_allclose(got.swapaxes(1, 2), expected, rtol=1e-5, atol=1e-6)
    mask = np.ones((2, 5), np.int64)
    mask[0, 0] = 0
    hidden = ropewalk.attention(q, k, v, layout="bhsd", causal=causal, key_mask=mask)
    alone = ropewalk.attention(q[:1], k[:1, :, 1:], v[:1, :, 1:], layout="bhsd", causal=causal)
    assert (hidden[:1] == alone).all() and (hidden[1] == got[1]).all()
    with pytest.raises(ropewalk.Error, match="layout: expected"):
        ropewalk.attention(q, k, v)
    with pytest.raises(ropewalk.Error, match=r"q is float32 of shape \[2, 4, 3, 16\]"):
        ropewalk.attention(q, k, v, layout="bshd")


def test_positions():
    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]])
    assert ropewalk.positions.from_mask(mask).tolist() == [[0, 0, 0, 1, 2], [0, 1, 2, 0, 0]]
    assert ropewalk.positions.from_mask(mask == 1, masked_value=1).tolist()[0] == [1, 1, 0, 1, 2]
    assert ropewalk.positions.packed([0, 4, 8]).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert ropewalk.positions.packed(np.array([0, 2, 4]), firsts=[7, 0]).tolist() == [7, 8, 0, 1]
    kinds = np.array([[0] * 4 + [1] * 6 + [0] * 2])
    ids, deltas = ropewalk.positions.mrope(kinds, images=[(1, 4, 6)])
    assert ids[:, 0].tolist() == [
        [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 7, 8],
        [0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 7, 8],
        [0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8],
    ]
    assert deltas.tolist() == [-3]
    assert ropewalk.positions.grid([(1, 2, 4)]).tolist() == [[[0, 0, 1, 1, 0, 0, 1, 1]], [[0, 1, 0, 1, 2, 3, 2, 3]]]
    with pytest.raises(ropewalk.Error, match="mask: expected integers of 2 dimensions"):
        ropewalk.positions.from_mask([1, 1])
    with pytest.raises(ropewalk.Error, match="mm_token_type_ids: expected 0..2, found 3"):
        ropewalk.positions.mrope([[0, 3]])


def test_attention_takes_lists(random):
    q, k, v = (random.standard_normal((1, 3, 2, 4)).astype(np.float32) for _ in range(3))
    numbers, mask = [2, -1], [[True, False, True]]
    listed = ropewalk.attention(q, k, v, layout="bshd", sinks=numbers, alibi_slopes=numbers, key_mask=mask)
    keywords = dict(sinks=np.float32(numbers), alibi_slopes=np.float32(numbers), key_mask=np.array(mask))
    assert (listed == ropewalk.attention(q, k, v, layout="bshd", **keywords)).all()
    assert (ropewalk.attention(q, k, v, layout="bshd", window_left=0, window_right=0) == v).all()
    with pytest.raises(ropewalk.Error, match="sinks: expected floats, found int64 of shape"):
        ropewalk.attention(q, k, v, layout="bshd", sinks=np.array(numbers))
