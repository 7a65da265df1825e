import copy
import pickle
import threading

import ml_dtypes
import numpy as np
import pytest
import ropewalk
from formulas import inv_freq, rotated

PAIRINGS = ("half_split", "interleaved")


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("dtype", (np.float32, np.float16, ml_dtypes.bfloat16))
def test_apply_is_the_formula(random, pairing, dtype):
    rope = ropewalk.Rope(64, pairing=pairing, base=500000.0)
    q = random.standard_normal((2, 7, 4, 64)).astype(dtype)
    k = random.standard_normal((2, 7, 2, 64)).astype(dtype)
    ids = random.integers(0, 100000, (2, 7))
    of_q, of_k = rope.apply(q, k, ids, layout="bshd")
    for out, x in ((of_q, q), (of_k, k)):
        assert out.dtype == dtype and out.shape == x.shape
        expected = rotated(x, ids, rope.inv_freq, pairing)
        step = 2 * float(ml_dtypes.finfo(dtype).eps)
        np.testing.assert_allclose(out.astype(np.float64), expected, rtol=step, atol=4 * step)


def test_frequencies_are_powers_of_the_base():
    np.testing.assert_allclose(ropewalk.Rope(128, pairing="half_split").inv_freq, inv_freq(128), rtol=3e-7)
    yarn = ropewalk.Rope(
        128,
        pairing="half_split",
        base=1e6,
        scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
    )
    # Of Qwen2.5-7B: pairs 0..23 are kept, 40..63 slowed by the factor; mscale 0.1 ln 4 + 1.
    np.testing.assert_allclose(yarn.inv_freq[:24], inv_freq(128, 1e6)[:24], rtol=1e-6)
    np.testing.assert_allclose(yarn.inv_freq[40:], inv_freq(128, 1e6)[40:] / 4, rtol=1e-6)
    assert yarn.attention_scaling == pytest.approx(0.1 * np.log(4) + 1)


def test_the_bits_of_the_readme():
    x = np.array([[[[1, 2, 3, 4]]]], np.float32)
    address = x.ctypes.data
    assert ropewalk.Rope(4, pairing="half_split").apply_(x, None, 1, layout="bshd") is None
    assert x.ctypes.data == address
    assert [float(f"{value:.8g}") for value in x.ravel()] == [-1.9841106, 1.9599006, 2.4623778, 4.0197997]


def test_layouts_strides_and_rows_give_the_same_bits(random):
    rope = ropewalk.Rope(32, pairing="interleaved", rotary_dim=16)
    x = random.standard_normal((2, 5, 3, 32)).astype(np.float32)
    ids = random.integers(-50, 50, (2, 5)).astype(np.int32)
    expected = rope.apply(x, None, ids, layout="bshd")
    assert (expected[..., 16:] == x[..., 16:]).all()

    heads_first = np.ascontiguousarray(x.swapaxes(1, 2))
    assert (rope.apply(heads_first, None, ids, layout="bhsd").swapaxes(1, 2) == expected).all()
    assert (rope.apply(heads_first.swapaxes(1, 2), None, ids, layout="bshd") == expected).all()
    assert (rope.apply(x.reshape(10, 3, 32), None, ids.ravel(), layout="thd").reshape(x.shape) == expected).all()

    wide = np.zeros((2, 5, 3, 80), np.float32)
    inside = wide[..., 8:72:2]
    inside[...] = x
    rope.apply_(inside, None, ids, layout="bshd")
    assert (inside == expected).all() and (wide[..., :8] == 0).all() and (wide[..., 9:72:2] == 0).all()

    backwards = np.ascontiguousarray(x[:, ::-1])[:, ::-1]
    rows = rope.rows(ids)
    assert rows.shape == (2, 5, 8)
    assert (rows.apply(backwards, layout="bshd") == expected).all()
    rows.apply_(backwards, layout="bshd")
    assert (backwards == expected).all()


def test_an_integer_is_the_first_position_and_a_list_the_positions(random):
    rope = ropewalk.Rope(8, pairing="half_split")
    x = random.standard_normal((4, 1, 8)).astype(np.float32)
    expected = rope.apply(x, None, np.arange(7, 11), layout="thd")
    for ids in (7, range(7, 11), [7, 8, 9, 10], np.arange(7, 11, dtype=np.int32)):
        assert (rope.apply(x, None, ids, layout="thd") == expected).all()
    assert (rope.rows(7).apply(x[:1], layout="thd") == expected[:1]).all()


def test_inverse_undoes_and_transpose_is_the_backward_pass(random):
    rope = ropewalk.Rope(
        16, pairing="half_split", scaling={"rope_type": "yarn", "factor": 8, "original_max_position_embeddings": 512}
    )
    x = random.standard_normal((1, 6, 2, 16)).astype(np.float32)
    y = rope.apply(x, None, 100, layout="bshd")
    np.testing.assert_allclose(rope.apply(y, None, 100, layout="bshd", inverse=True), x, rtol=1e-5, atol=1e-6)
    back = rope.apply(y, None, 100, layout="bshd", transpose=True)
    np.testing.assert_allclose(back, x * rope.attention_scaling**2, rtol=1e-5, atol=1e-6)
    rows = rope.rows(range(100, 106), inverse=True)
    assert (rows.apply(y, layout="bshd") == rope.apply(y, None, 100, layout="bshd", inverse=True)).all()


def test_a_scaling_that_depends_on_the_length_takes_each_sequence_s_own():
    scaling = {"rope_type": "dynamic", "factor": 2.0, "max_position_embeddings": 16}
    rope = ropewalk.Rope(8, pairing="half_split", scaling=scaling)
    x = np.ones((2, 1, 1, 8), np.float32)
    both = rope.apply(x, None, np.array([[3], [100]]), layout="bshd")
    fixed = ropewalk.Rope(8, pairing="half_split", scaling=scaling, seq_len=101)
    assert (both[1] == fixed.apply(x[1:], None, 100, layout="bshd")[0]).all()
    assert (both[0] == ropewalk.Rope(8, pairing="half_split").apply(x[:1], None, 3, layout="bshd")[0]).all()
    assert (rope.rows([[3], [100]]).apply(x, layout="bshd") == both).all()
    assert fixed.seq_len == 101 and rope.seq_len is None
    for angles in ("exact", "hf_float32"):
        cos, sin = rope.cos_sin(np.array([[3, 2], [100, 7]]), angles=angles, form="doubled")
        for row, ids, length in ((0, [3, 2], 4), (1, [100, 7], 101)):
            own = ropewalk.Rope(8, pairing="half_split", scaling=scaling, seq_len=length)
            expected = own.cos_sin(ids, angles=angles, form="doubled")
            assert (cos[row] == expected[0]).all() and (sin[row] == expected[1]).all()
    assert (rope.cos_sin(100)[0] == fixed.cos_sin(100)[0]).all() and rope.cos_sin(np.zeros((0, 3), np.int64))[0].shape == (0, 3, 4)
    assert rope.cos_sin([])[0].shape == (0, 4)


def test_rows_say_what_they_are():
    rows = ropewalk.Rope(8, pairing="half_split").rows([[1, 2, 3], [4, 5, 6]])
    assert repr(rows) == str(rows) == "<ropewalk.Rows: 2 x 3 tokens, 4 pairs>"


def test_cos_sin(random):
    rope = ropewalk.Rope(8, pairing="half_split")
    ids = random.integers(0, 1000, (2, 3))
    cos, sin = rope.cos_sin(ids)
    angle = ids[..., None] * rope.inv_freq.astype(np.float64)
    np.testing.assert_allclose(cos, np.cos(angle), atol=6e-8)
    np.testing.assert_allclose(sin, np.sin(angle), atol=6e-8)
    doubled, _ = rope.cos_sin(ids, form="doubled")
    assert (doubled == np.concatenate([cos, cos], -1)).all()
    repeated, _ = rope.cos_sin(ids, form="interleaved", dtype=np.float16)
    assert repeated.dtype == np.float16 and (repeated == np.repeat(np.cos(angle).astype(np.float16), 2, -1)).all()
    theirs = np.cos((ids[..., None].astype(np.float32) * rope.inv_freq).astype(np.float64))
    np.testing.assert_allclose(rope.cos_sin(ids, angles="hf_float32")[0], theirs, atol=6e-8)
    assert rope.cos_sin(ids, dtype="bfloat16")[0].dtype == ml_dtypes.bfloat16


def test_a_rope_is_a_value(testdata):
    scaling = {"rope_type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [2.0, 3.0], "factor": 4.0,
               "original_max_position_embeddings": 64}
    rope = ropewalk.Rope(4, pairing="interleaved", scaling=scaling, heads=4, kv_heads=2)
    for other in (copy.deepcopy(rope), copy.copy(rope), pickle.loads(pickle.dumps(rope))):
        assert other == rope and hash(other) == hash(rope)
        assert other.heads == 4 and other.to_dict() == rope.to_dict()
    assert rope != ropewalk.Rope(4, pairing="half_split", scaling=scaling, heads=4, kv_heads=2)
    mla = ropewalk.read_model(testdata / "models" / "deepseek-v3" / "config.json").rope()
    assert pickle.loads(pickle.dumps(mla)) == mla
    assert rope.rope_type == "longrope" and rope.pairing == "interleaved" and rope.base == 10000


def test_eight_threads_share_one_rope(random):
    rope = ropewalk.Rope(128, pairing="half_split", heads=32, kv_heads=8)
    q = random.standard_normal((1, 300, 32, 128)).astype(np.float32)
    small = random.standard_normal((1, 1, 32, 128)).astype(np.float32)
    rows = rope.rows(range(300))
    expected, of_small = rope.apply(q, None, 0, layout="bshd"), rope.apply(small, None, 9, layout="bshd")
    wrong = []

    def work():
        for _ in range(5):
            mine = q.copy()
            rows.apply_(mine, layout="bshd")
            wrong.append(not (mine == expected).all())
            for _ in range(50):
                wrong.append(not (rope.apply(small, None, 9, layout="bshd", threads=1) == of_small).all())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 8 * 5 * 51 and not any(wrong)
