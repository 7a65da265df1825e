"""Attention, its scores and its gradients beside a formula in float64 NumPy that writes every score."""

import math

import numpy as np
import pytest
import ropewalk
from formulas import rotated, scored, softmax_of

INF = np.inf
B, SQ, SK, H, HKV, D, DV = 2, 5, 9, 4, 2, 8, 6


@pytest.fixture
def heads(random):
    """q, k, v in layout bhsd."""
    return [random.standard_normal(shape).astype(np.float32) for shape in ((B, H, SQ, D), (B, HKV, SK, D), (B, HKV, SK, DV))]


def hidden(seen):
    """What is added to a score where a key is seen or not."""
    return np.where(seen, 0.0, -INF)


def check(heads, bias, softcap=0.0, scale=None, sinks=None, **keywords):
    """attention, its log-sum-exp and its scores, where `bias` is what the keywords add."""
    q, k, v = heads
    given = dict(layout="bhsd", softcap=softcap or None, scale=scale, **keywords)
    out, lse = ropewalk.attention(q, k, v, sinks=sinks, return_lse=True, **given)
    scores = scored(q, k, scale or q.shape[-1] ** -0.5, softcap) + bias
    weights, expected_lse = softmax_of(scores, sinks)
    expected = weights @ np.repeat(v, q.shape[-3] // v.shape[-3], -3)
    np.testing.assert_allclose(out, expected, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(lse, expected_lse, rtol=2e-6, atol=2e-6)
    if "cu_seqlens" not in keywords:
        np.testing.assert_allclose(ropewalk.attention_scores(q, k, **given), scores, rtol=2e-5, atol=2e-6)
    return out


DISTANCE = np.arange(SK) - (np.arange(SQ)[:, None] + SK - SQ)  # key - query


def test_what_is_seen(heads):
    check(heads, 0.0)
    check(heads, hidden(DISTANCE <= 0), causal=True)
    check(heads, hidden((DISTANCE <= 1) & (DISTANCE >= -2)), window_left=2, window_right=1)
    chunk = (np.arange(SK) // 4) == ((np.arange(SQ)[:, None] + SK - SQ) // 4)
    check(heads, hidden(chunk & (DISTANCE <= 0)), chunk=4, causal=True)
    first = np.arange(SK) < np.array([3, 7])[:, None, None, None]
    check(heads, hidden(first | (DISTANCE <= 0)), causal=True, prefix=[3, 7])
    assert (ropewalk.attention(*heads, layout="bhsd", causal=True, prefix=9) == ropewalk.attention(*heads, layout="bhsd")).all()
    check(heads, hidden(np.arange(SK) < np.array([2, 9])[:, None, None, None]), key_lengths=[2, 9])
    mask = np.array([[0, 1, 1, 0, 1, 1, 1, 1, 0], [1] * 9])
    check(heads, hidden(mask[:, None, None] == 1), key_mask=mask)


@pytest.mark.parametrize("shape", ((SK,), (SQ, SK), (1, SK), (SQ, 1), (H, 1, SK), (B, 1, SQ, SK), (1, H, SQ, SK), (B, H, SQ, SK)))
def test_masks_of_any_shape_that_broadcasts(random, heads, shape):
    seen = random.random(shape) < 0.6
    seen.reshape(-1)[:2] = True, False
    out = check(heads, hidden(np.broadcast_to(seen, (B, H, SQ, SK))), attn_mask=seen)
    assert (out == ropewalk.attention(*heads, layout="bhsd", attn_mask=seen.astype(np.uint8))).all()
    added = np.where(seen, random.standard_normal(shape), -INF).astype(np.float32)
    check(heads, np.broadcast_to(added, (B, H, SQ, SK)), attn_mask=added, softcap=3.0)
    strided = np.repeat(added, 2, -1)[..., ::2]
    assert not strided.flags.c_contiguous or strided.size < 2
    check(heads, np.broadcast_to(added, (B, H, SQ, SK)), attn_mask=strided, causal=False)


def test_what_is_added(random, heads):
    check(heads, 0.0, scale=0.3, softcap=1.5)
    check(heads, 0.0, sinks=[0.5, -1, 2, 0])
    slopes = np.array([0.5, 0.25, 0.125, -0.3])
    by_head = slopes[:, None, None]
    check(heads, by_head * DISTANCE, alibi_slopes=slopes)
    check(heads, by_head * np.arange(SK), alibi_slopes=slopes, alibi_form="key_position")
    check(heads, -by_head * abs(DISTANCE), alibi_slopes=slopes, alibi_form="symmetric")
    check(heads, 0.25 * by_head * DISTANCE, alibi_slopes=slopes, alibi_scale=0.25, softcap=2.0)
    table = random.standard_normal((H, 7)).astype(np.float32)
    check(heads, table[:, 3 + np.clip(DISTANCE, -3, 3)], distance_bias=table)


def test_which_token_is_which(random, heads):
    check(heads, hidden(np.arange(SK) <= np.arange(SQ)[:, None] + 2), causal=True, query_tokens=2)
    queries, keys = random.permutation(20)[:SQ], random.permutation(20)[:SK]
    distance = keys - queries[:, None]
    out = check(heads, hidden((distance <= 0) & (distance >= -12)), causal=True, window_left=12, query_tokens=queries, key_tokens=keys)
    assert (out[:, :, (distance > 0).all(-1)] == 0).all()


def test_packed_sequences(random):
    starts, keys = [0, 3, 3, 8], [0, 4, 6, 11]
    q, k, v = (random.standard_normal(shape).astype(np.float32) for shape in ((8, H, D), (11, HKV, D), (11, HKV, DV)))
    out, lse = ropewalk.attention(q, k, v, layout="thd", causal=True, cu_seqlens_q=starts, cu_seqlens_k=keys, return_lse=True)
    assert out.shape == (8, H, DV) and lse.shape == (H, 8)
    for s in (0, 2):
        of_q, of_k = slice(starts[s], starts[s + 1]), slice(keys[s], keys[s + 1])
        alone = ropewalk.attention(q[of_q], k[of_k], v[of_k], layout="thd", causal=True, return_lse=True)
        assert (out[of_q] == alone[0]).all() and (lse[:, of_q] == alone[1]).all()
    same = dict(layout="thd", causal=True)
    both = ropewalk.attention(q, k[:8], v[:8], cu_seqlens=np.array(starts, np.int32), **same)
    assert (both == ropewalk.attention(q, k[:8], v[:8], cu_seqlens_q=starts, cu_seqlens_k=starts, **same)).all()


@pytest.mark.parametrize("pairing", ("half_split", "interleaved"))
def test_rotated_on_the_way_in(random, heads, pairing):
    q, k, v = (x.swapaxes(1, 2) for x in heads)  # bshd, strided
    rope = ropewalk.Rope(D, pairing=pairing, base=100.0)
    at_q, at_k = np.arange(SQ) + 40, np.arange(SK) + 36
    rows = dict(q_rows=rope.rows(at_q), k_rows=rope.rows(at_k))
    out = ropewalk.attention(q, k, v, layout="bshd", causal=True, **rows)
    turned = rope.apply(q, None, at_q, layout="bshd"), rope.apply(k, None, at_k, layout="bshd")
    assert (out == ropewalk.attention(*turned, v, layout="bshd", causal=True)).all()
    frequencies = 100.0 ** (-np.arange(0, D, 2) / D)
    exact = [rotated(x, at, frequencies, pairing).swapaxes(1, 2) for x, at in ((q, at_q), (k, at_k))]
    weights, _ = softmax_of(scored(*exact, D**-0.5) + hidden(DISTANCE <= 0))
    np.testing.assert_allclose(out.swapaxes(1, 2), weights @ np.repeat(heads[2], H // HKV, 1), rtol=2e-5, atol=2e-6)


def test_an_output_of_the_caller(heads):
    memory = np.full((B, SQ, H, 2 * DV), 7, np.float32)
    out = memory[..., :DV].swapaxes(1, 2)
    given = ropewalk.attention(*heads, layout="bhsd", out=out)
    assert given is out and (out == ropewalk.attention(*heads, layout="bhsd")).all() and (memory[..., DV:] == 7).all()
    out.flags.writeable = False
    with pytest.raises(ropewalk.Error, match="out: expected"):
        ropewalk.attention(*heads, layout="bhsd", out=out)
    with pytest.raises(ropewalk.Error, match="out: expected shape"):
        ropewalk.attention(*heads, layout="bhsd", out=memory)


@pytest.mark.parametrize("keywords", ({}, dict(causal=True, softcap=2.0, window_left=3), dict(sinks=[0.5, -1, 2, 0]), dict(attn_mask=True)), ids=str)
def test_gradients_are_those_of_differences(random, heads, keywords):
    q, k, v = heads
    bias, given = 0.0, dict(layout="bhsd", **keywords)
    if "causal" in keywords:
        bias = hidden((DISTANCE <= 0) & (DISTANCE >= -3))
    if "attn_mask" in keywords:
        bias = given["attn_mask"] = random.standard_normal((SQ, SK)).astype(np.float32)
    d_out = random.standard_normal((B, H, SQ, DV)).astype(np.float32)
    out, lse = ropewalk.attention(q, k, v, return_lse=True, **given)
    gradients = ropewalk.attention_backward(d_out, q, k, v, out, lse, **given)

    def loss(arrays):
        weights, _ = softmax_of(scored(*arrays[:2], D**-0.5, keywords.get("softcap", 0.0)) + bias, keywords.get("sinks"))
        return float((weights @ np.repeat(arrays[2], H // HKV, 1) * d_out).sum())

    arrays = [x.astype(np.float64) for x in heads]
    for x, gradient in zip(arrays, gradients):
        assert gradient.shape == x.shape
        for at in [tuple(random.integers(0, x.shape)) for _ in range(12)]:
            there, step = x[at], 1e-5
            x[at] = there + step
            above = loss(arrays)
            x[at] = there - step
            below = loss(arrays)
            x[at] = there
            assert math.isclose((above - below) / (2 * step), gradient[at], rel_tol=1e-4, abs_tol=1e-5)


def test_refusals_name_the_argument(heads):
    q, k, v = heads
    packed = (np.zeros((3, 2, 8), np.float32),) * 3
    rows = ropewalk.Rope(D, pairing="half_split").rows(range(SQ))
    for keywords, message in (
        (dict(sinks=[]), "sinks: expected one number for each head, found float64 of shape [0]"),
        (dict(sinks=[1.0]), "sinks: expected one for each of the 4 heads"),
        (dict(attn_mask=np.ones((SK, SQ), bool)), "attn_mask: expected a shape that broadcasts to [batch, heads, queries, keys] = [2, 4, 5, 9], found bool of shape [9, 5]"),
        (dict(attn_mask=np.ones((SQ, SK))), "attn_mask: expected dtype bool, u8, f32, bf16 or f16, found f64"),
        (dict(scale="wide"), "scale: expected a number, found 'wide'"),
        (dict(softcap=True), "softcap: expected a number, found True"),
        (dict(chunk=1.5), "chunk: expected an integer, found 1.5"),
        (dict(causal=2), "causal: expected True, False, 1 or 0, found 2"),
        (dict(alibi_form="both"), "alibi_form: expected relative, key_position or symmetric, found both"),
        (dict(distance_bias=np.ones((H, 4))), "distance_bias: expected an odd number of distances"),
        (dict(query_tokens=[1, 2]), "query_tokens: expected one for each of 5 tokens, found 2"),
        (dict(key_lengths=[1]), "key_lengths: expected one for each of 2 sequences, found 1"),
        (dict(key_lengths=[1, 99]), "key_lengths[1]: expected 0..9 keys, found 99"),
        (dict(q_rows=rows), "q_rows, k_rows: expected both or neither, found one"),
        (dict(q_rows=rows, k_rows=rows), "k_rows: expected forward rows of 2 sequences of 9 tokens, found 1 of 5"),
        (dict(q_rows=rows, k_rows=3), "k_rows: expected a ropewalk.Rows of Rope.rows(position_ids), found int"),
        (dict(cu_seqlens=[0, 5]), "cu_seqlens_q: expected layout thd, found bhsd"),
    ):
        with pytest.raises(ropewalk.Error) as caught:
            ropewalk.attention(q, k, v, layout="bhsd", **keywords)
        assert str(caught.value).startswith(message)
    with pytest.raises(ropewalk.Error, match="cu_seqlens: expected none beside cu_seqlens_q"):
        ropewalk.attention(*packed, layout="thd", cu_seqlens=[0, 3], cu_seqlens_k=[0, 3])
    with pytest.raises(ropewalk.Error, match="cu_seqlens_q: expected numbers that rise from 0 to 3"):
        ropewalk.attention(*packed, layout="thd", cu_seqlens=[0, 2])
    with pytest.raises(TypeError, match="attention\\(\\) got an unexpected keyword argument 'is_causal'"):
        ropewalk.attention(q, k, v, layout="bhsd", is_causal=True)
    with pytest.raises(TypeError, match="attention_scores\\(\\) got an unexpected keyword argument 'return_lse'"):
        ropewalk.attention_scores(q, k, layout="bhsd", return_lse=True)
    out, lse = ropewalk.attention(q, k, v, layout="bhsd", return_lse=True)
    with pytest.raises(ropewalk.Error, match="lse: expected shape"):
        ropewalk.attention_backward(out, q, k, v, out, lse[:1], layout="bhsd")


def test_a_known_count_of_heads_is_kept(heads):
    q, k, v = heads
    rope = ropewalk.Rope(D, pairing="half_split", heads=6, kv_heads=3)
    with pytest.raises(ropewalk.Error, match="q: expected 6 heads"):
        ropewalk.attention(q, k, v, layout="bhsd", q_rows=rope.rows(range(SQ)), k_rows=rope.rows(range(SK)))


def test_empty_lists_are_not_taken_for_none():
    x = np.ones((1, 4, 2, 8), np.float32)
    for word in ("cu_seqlens", "key_lengths", "prefix"):
        given = x[0] if word == "cu_seqlens" else x
        with pytest.raises(ropewalk.Error, match=f"{word}: expected numbers, found an empty list"):
            ropewalk.attention(given, given, given, layout="thd" if word == "cu_seqlens" else "bshd", **{word: []})
    for word in ("query_tokens", "key_tokens"):
        with pytest.raises(ropewalk.Error, match=f"{word}: expected 4 numbers, found none"):
            ropewalk.attention(x, x, x, layout="bshd", **{word: np.zeros(0, np.int64)})
    none = ropewalk.attention(x[:, :0], x, x, layout="bshd", query_tokens=np.zeros(0, np.int64))
    assert none.shape == (1, 0, 2, 8)
    for count in (3, np.int64(3), np.array(3), [3]):
        assert (ropewalk.attention(x, x, x, layout="bshd", key_lengths=count) == 1).all()
    with pytest.raises(ropewalk.Error, match="prefix: expected at least 0 tokens, found -1"):
        ropewalk.attention(x, x, x, layout="bshd", prefix=-1)
    rows = [ropewalk.Rope(8, pairing="half_split", base=base).rows(range(4)) for base in (1e4, 1e6)]
    with pytest.raises(ropewalk.Error, match="q_rows, k_rows: expected rows of one rope, found those of two"):
        ropewalk.attention(x, x, x, layout="bshd", q_rows=rows[0], k_rows=rows[1])


def test_chunks_are_floored():
    x = np.ones((1, 6, 1, 8), np.float32)
    _, lse = ropewalk.attention(x[:, :1], x, x, layout="bshd", chunk=4, query_tokens=-1, return_lse=True)
    assert lse.item() == -np.inf
    _, lse = ropewalk.attention(x, x, x, layout="bshd", chunk=2, key_mask=np.array([[0, 0, 0, 1, 1, 1]], bool), return_lse=True)
    scale = 8**0.5  # q.k: 8 / sqrt(8)
    np.testing.assert_allclose(lse.ravel(), [-np.inf] * 3 + [scale + np.log(2)] * 2 + [scale], rtol=1e-6)
