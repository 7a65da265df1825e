"""ropewalk.KVCache beside formulas in float64 NumPy, and beside the calls that it saves."""

import copy
import gc
import threading

import ml_dtypes
import numpy as np
import pytest
import ropewalk
from formulas import inv_freq, rotated, scored, softmax_of

HKV, D, DV, H = 2, 8, 4, 6


@pytest.fixture
def rope():
    return ropewalk.Rope(D, pairing="half_split", base=100.0)


@pytest.fixture
def tokens(random):
    """k and v of 20 tokens, and q."""
    return [random.standard_normal((20, heads, width)).astype(np.float32) for heads, width in ((HKV, D), (HKV, DV), (H, D))]


def filled(rope, tokens, **keywords):
    cache = ropewalk.KVCache(rope, kv_heads=HKV, v_dim=DV, **{"dtype": "float32", "page_size": 4, **keywords})
    cache.append(*tokens[:2])
    return cache


def turned(x, positions):
    return rotated(x, positions, inv_freq(D, 100.0), "half_split")


def attended(q, k, v, seen):
    """[tokens, heads, dim] each, q and k rotated."""
    weights, _ = softmax_of(scored(q.swapaxes(0, 1), k.swapaxes(0, 1), D**-0.5) + np.where(seen, 0, -np.inf))
    return (weights @ np.repeat(v.swapaxes(0, 1), H // HKV, 0)).swapaxes(0, 1)


@pytest.mark.parametrize("dtype, bound", (("float32", 1e-6), ("bfloat16", 2**-8), ("float16", 2**-11), ("int8", 1 / 126)))
def test_keys_are_rotated_and_values_kept(rope, tokens, dtype, bound):
    cache = filled(rope, tokens, dtype=dtype)
    k, v, positions = cache.gather(as_float32=True)
    exact = turned(tokens[0], range(20))
    largest = bound * abs(exact).max(-1, keepdims=True) if dtype == "int8" else bound * abs(exact) + 1e-6
    assert (abs(k - exact) <= largest).all() and positions.tolist() == list(range(20)) and positions.dtype == np.int64
    assert abs(v - tokens[1]).max() <= bound * abs(tokens[1]).max()
    stored = cache.gather()[0]
    assert stored.dtype == {"int8": np.float32, "bfloat16": ml_dtypes.bfloat16}.get(dtype, np.dtype(dtype if dtype != "bfloat16" else "V"))
    assert (cache.k_dtype, cache.v_dtype, cache.raw_k_dtype) == (dtype, dtype, None)
    if dtype == "bfloat16":  # the bits of the rotation
        in_bf16 = [x.astype(ml_dtypes.bfloat16) for x in tokens]
        again = filled(rope, in_bf16, dtype=np.dtype(ml_dtypes.bfloat16)).gather()[0]
        assert (again == rope.apply(in_bf16[0], None, range(20), layout="thd")).all()


def test_decoding_is_the_whole_sequence(rope, tokens):
    k, v, q = tokens
    cache = ropewalk.KVCache(rope, kv_heads=HKV, v_dim=DV, dtype="float32", page_size=3)
    expected = attended(turned(q, range(20)), turned(k, range(20)), v, np.tri(20, dtype=bool))
    for t in range(20):
        rows = rope.rows(t)
        cache.append(k[t : t + 1], v[t : t + 1], rows=rows)
        out = cache.attend(q[t : t + 1])
        assert (out == cache.attend(q[t : t + 1], t, rows=rows)).all()
        np.testing.assert_allclose(out[0], expected[t], rtol=1e-5, atol=1e-6)
    out, lse = cache.attend(q, return_lse=True)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
    assert lse.shape == (H, 20)
    full = cache.attend(q, causal=False)
    np.testing.assert_allclose(full, attended(turned(q, range(20)), turned(k, range(20)), v, np.ones((20, 20), bool)), rtol=1e-5, atol=1e-6)
    memory = np.empty((20, H, DV), np.float32)
    assert cache.attend(q, out=memory) is memory and (memory == out).all()
    mask = np.zeros((20, 20), bool)
    mask[:, 0] = True
    np.testing.assert_allclose(cache.attend(q, attn_mask=mask), np.repeat(v[:1], H // HKV, 1).repeat(20, 0), rtol=1e-6)


def test_moves(rope, tokens):
    k = tokens[0]
    cache = filled(rope, tokens)
    before = copy.deepcopy(cache)
    cache.shift(5)
    np.testing.assert_allclose(cache.gather()[0], turned(k, np.arange(20) + 5), atol=1e-6)
    for _ in range(10):
        cache.shift(1000, 5, 25)
        cache.shift(-1000, 1005)
    cache.shift(-5)
    assert cache == before and (cache.gather()[0] == before.gather()[0]).all()
    cache.evict(4, 10)
    positions = [0, 1, 2, 3, *range(4, 14)]
    kept = k[[0, 1, 2, 3, *range(10, 20)]]
    assert cache.gather()[2].tolist() == positions and cache != before
    np.testing.assert_allclose(cache.gather()[0], turned(kept, positions), atol=1e-6)
    cache.remove(2, 4)
    assert cache.gather()[2].tolist() == [0, 1, *range(4, 14)] and cache.tokens() == 12 and cache.length() == 14
    cache.keep_ends(1, 3)
    assert cache.gather()[2].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(cache.gather()[0], turned(k[[0, 17, 18, 19]], range(4)), atol=1e-6)
    other = ropewalk.Rope(D, pairing="half_split", base=1e6)
    cache.rerotate(other)
    np.testing.assert_allclose(cache.gather()[0], rotated(k[[0, 17, 18, 19]], range(4), inv_freq(D, 1e6), "half_split"), atol=1e-6)
    cache.append(k[:1], tokens[1][:1])
    np.testing.assert_allclose(cache.gather()[0][4], rotated(k[:1], [4], inv_freq(D, 1e6), "half_split")[0], atol=1e-6)


def test_raw_keys_have_the_bits_of_a_rotation_there(rope, tokens):
    cache = filled(rope, tokens, dtype="float16", raw_k_dtype="float32")
    cache.shift(77)
    there = rope.apply(tokens[0], None, 77, layout="thd").astype(np.float16)
    assert (cache.gather()[0] == there).all() and cache.raw_k_dtype == "float32"


def test_a_window_counts_positions(rope, tokens):
    k, v, q = tokens
    cache = filled(rope, tokens)
    cache.remove(8, 15)
    left = np.array([*range(8), *range(15, 20)])
    at = np.array([6, 16, 19])
    seen = (left <= at[:, None]) & (left >= at[:, None] - 9)
    out = cache.attend(q[at], at, window_left=9)
    np.testing.assert_allclose(out, attended(turned(q[at], at), turned(k[left], left), v[left], seen), rtol=1e-5, atol=1e-6)


def test_without_rotation_and_without_values(random, tokens):
    k, v, q = tokens
    alibi = ropewalk.KVCache(kv_heads=HKV, head_dim=D, v_dim=DV, dtype="float32")
    alibi.append(k, v)
    assert (alibi.gather()[0] == k).all()
    slopes = ropewalk.alibi_slopes(H)
    whole = ropewalk.attention(q, k, v, layout="thd", causal=True, alibi_slopes=slopes)
    assert (alibi.attend(q, alibi_slopes=slopes) == whole).all()
    latent = ropewalk.KVCache(kv_heads=HKV, head_dim=D, v_dim=0, dtype="float32")
    latent.append(k)
    assert latent.gather()[1] is None
    np.testing.assert_allclose(latent.attend(q, v_dim=3), ropewalk.attention(q, k, k, layout="thd", causal=True)[..., :3], atol=1e-6)


def test_sequences_and_memory(rope, tokens):
    cache = filled(rope, tokens)
    bytes_of_one = cache.size_in_bytes
    assert bytes_of_one >= 20 * HKV * (D + DV) * 4
    cache.copy(0, 7)
    cache.append(*(x[:3] for x in tokens[:2]), 100, sequence=-1)
    assert cache.sequences == [-1, 0, 7] and cache.tokens(7) == 20 and cache.length(-1) == 103
    cache.shift(1, sequence=7)
    assert cache.gather(0)[2][0] == 0 and cache.gather(7)[2][0] == 1
    cache.erase(7)
    cache.erase(-1)
    assert cache.sequences == [0] and cache.size_in_bytes == bytes_of_one
    assert repr(cache) == f"<ropewalk.KVCache: 1 sequence, 20 tokens, 2 heads of 8 and 4 channels, k float32, v float32, pages of 4, {bytes_of_one} bytes>"
    shallow = copy.copy(cache)
    shallow.shift(3)
    assert cache.gather()[2][0] == 0
    k = cache.gather()[0]
    del cache
    gc.collect()
    np.testing.assert_allclose(k, turned(tokens[0], range(20)), atol=1e-6)  # what was gathered is the caller's


def test_arrays_of_any_strides_are_read_where_they_are(rope, tokens):
    k = np.asfortranarray(tokens[0])[::-1]
    v = np.repeat(tokens[1], 2, -1)[..., ::2]
    k.flags.writeable = False
    cache = ropewalk.KVCache(rope, kv_heads=HKV, v_dim=DV, dtype="float32")
    cache.append(k, v, np.arange(20, dtype=np.int32))
    assert cache == filled(rope, (np.ascontiguousarray(k), np.ascontiguousarray(v)), page_size=64)


def test_mrope(random):
    rope = ropewalk.Rope(D, pairing="half_split", scaling={"rope_type": "default", "mrope_section": [2, 1, 1]})
    k, v, q = (random.standard_normal((6, heads, width)).astype(np.float32) for heads, width in ((HKV, D), (HKV, DV), (H, D)))
    ids = random.integers(0, 50, (3, 1, 6))
    cache = ropewalk.KVCache(rope, kv_heads=HKV, v_dim=DV, dtype="float32")
    cache.append(k, v, ids)
    there = rope.apply(k[None], None, ids, layout="bshd")[0]
    assert (cache.gather()[0] == there).all() and (cache.gather()[2] == ids[:, 0]).all()
    of_q = rope.apply(q[None], None, ids, layout="bshd")[0]
    assert (cache.attend(q) == ropewalk.attention(of_q, there, v, layout="thd", causal=True)).all()
    cache.shift([1, 2, 3])
    np.testing.assert_allclose(cache.gather()[0], rope.apply(k[None], None, ids + np.array([1, 2, 3])[:, None, None], layout="bshd")[0], atol=1e-6)


def test_threads_wait_for_each_other(rope, tokens):
    """Four threads fill sequences of one cache while two read it: as one after the other."""
    k, v, q = tokens
    shared = ropewalk.KVCache(rope, kv_heads=HKV, v_dim=DV, dtype="float32", page_size=4)
    shared.append(k, v, sequence=9)
    expected = shared.attend(q, sequence=9)
    wrong = []

    def fill(sequence):
        for t in range(20):
            shared.append(k[t : t + 1], v[t : t + 1], sequence=sequence)

    def read():
        for _ in range(50):
            if not (shared.attend(q, sequence=9) == expected).all():
                wrong.append("a row differs")

    threads = [threading.Thread(target=fill, args=(s,)) for s in range(4)] + [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and all((shared.gather(s)[0] == shared.gather(9)[0]).all() for s in range(4))


def test_refusals_leave_it_as_it_was(rope, tokens):
    k, v, q = tokens
    cache = filled(rope, tokens)
    before = copy.copy(cache)
    dynamic = ropewalk.Rope(D, pairing="half_split", scaling={"rope_type": "dynamic", "factor": 2.0, "max_position_embeddings": 4})
    for code, message, call in (
        ("invalid_argument", "append: expected k [tokens, 2, 8], found [20, 6, 8]; k is float32", lambda: cache.append(q, v)),
        ("invalid_argument", "append: expected v of 20 tokens as k, found 3", lambda: cache.append(k, v[:3])),
        ("invalid_argument", "append: expected v [tokens, 2, 4]", lambda: cache.append(k)),
        ("unsupported", "append: expected k of f32, bf16 or f16, found f64", lambda: cache.append(k.astype(np.float64), v)),
        ("invalid_argument", "append: expected positions in 0..2^63-2, found -1", lambda: cache.append(k, v, -1)),
        ("invalid_argument", "append: expected rows of 1 sequence, 20 tokens", lambda: cache.append(k, v, rows=rope.rows(3))),
        ("invalid_argument", "rows: expected a ropewalk.Rows", lambda: cache.append(k, v, rows=rope)),
        ("out_of_range", "evict: expected a range within positions 0..20 of sequence 0, found 4..21", lambda: cache.evict(4, 21)),
        ("invalid_argument", "remove: expected a range 0 <= first <= end, found 4..2", lambda: cache.remove(4, 2)),
        ("invalid_argument", "position 0 by -1: expected 0..2^63-2 on axis 0, found -1", lambda: cache.shift(-1)),
        ("invalid_argument", "sequence 3 is not among the 1 of the cache", lambda: cache.attend(q, sequence=3)),
        ("invalid_argument", "q: expected [tokens, heads, 8], found float32 of shape [6, 8]", lambda: cache.attend(q[0])),
        ("invalid_argument", "v_dim: expected the 4 channels of the values of the cache, found 3", lambda: cache.attend(q, v_dim=3)),
        ("invalid_argument", "attn_mask: expected a shape that broadcasts", lambda: cache.attend(q, attn_mask=np.ones((3, 20), bool))),
        ("invalid_argument", "rope: expected one with a seq_len", lambda: cache.rerotate(dynamic)),
        ("invalid_argument", "rope: expected one with a seq_len", lambda: ropewalk.KVCache(dynamic, kv_heads=1)),
        ("invalid_argument", "rope: expected the channels of the cache's own, 8 of 8, found others, 16 of 16", lambda: cache.rerotate(ropewalk.Rope(16, pairing="half_split"))),
        ("invalid_argument", "kv_heads: expected how many heads k has, found none", lambda: ropewalk.KVCache(rope)),
        ("invalid_argument", "head_dim: expected the channels of a key", lambda: ropewalk.KVCache(kv_heads=1)),
        ("invalid_argument", "head_dim: expected the 8 of rope, found 9", lambda: ropewalk.KVCache(rope, kv_heads=1, head_dim=9)),
        ("invalid_argument", "dtype: expected float32, float16, bfloat16 or int8, found float64", lambda: ropewalk.KVCache(rope, kv_heads=1, dtype="float64")),
        ("invalid_argument", "page_size", lambda: ropewalk.KVCache(rope, kv_heads=1, page_size=0)),
    ):
        with pytest.raises(ropewalk.Error) as caught:
            call()
        assert message in str(caught.value) and caught.value.code == code, message
        assert cache == before
    with pytest.raises(TypeError, match="attend\\(\\) got an unexpected keyword argument 'layout'"):
        cache.attend(q, layout="thd")
    assert ropewalk.KVCache(ropewalk.Rope(D, pairing="half_split", heads=6, kv_heads=3)).kv_heads == 3


def test_rows_of_another_rope_or_place_are_refused():
    rope, other = (ropewalk.Rope(8, pairing="half_split", base=base) for base in (1e4, 1e6))
    x = np.ones((1, 1, 8), np.float32)
    cache = ropewalk.KVCache(rope, kv_heads=1, dtype="float32")
    for rows in (other.rows(100), rope.rows(5)):
        with pytest.raises(ropewalk.Error, match="expected rows of the spectrum of the sequence at the positions of the tokens"):
            cache.append(x, x, 100, rows=rows)
    cache.append(x, x, 100, rows=rope.rows(100))
    with pytest.raises(ropewalk.Error, match="rows: expected those of the spectrum of the sequence"):
        cache.attend(x, rows=other.rows(100))
    cache.rerotate(other)
    with pytest.raises(ropewalk.Error, match="found rows of others"):
        cache.append(x, x, 101, rows=rope.rows(101))
    cache.append(x, x, 101, rows=other.rows(101))


def test_named_queries_see_keys_by_their_positions():
    cache = ropewalk.KVCache(kv_heads=1, head_dim=8, dtype="float32")
    k = np.ones((4, 1, 8), np.float32)
    v = np.arange(32, dtype=np.float32).reshape(4, 1, 8)
    cache.append(k, v, [0, 1, 10, 11])
    by_position = cache.attend(k[:1], 5)
    assert (by_position == v[:2].mean(0)).all()
    assert (cache.attend(k[:1], query_tokens=5) == by_position).all()
    assert (cache.attend(k[:2], query_tokens=[5, 10]) == np.stack([v[:2].mean(0), v[:3].mean(0)])).all()
    cache.shift(np.int64(1))
    assert cache.length() == 13
