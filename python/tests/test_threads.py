"""What docs/threads.md says: eight threads share one of everything, without a lock. Under ThreadSanitizer: script/test --preset tsan."""

import sys
import threading

import numpy as np
import pytest
import ropewalk

THREADS = 8


@pytest.fixture
def often():
    """The interpreter goes from thread to thread all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def on_eight_threads(task):
    results, start = [None] * THREADS, threading.Barrier(THREADS)

    def run(t):
        start.wait()
        try:
            results[t] = task(t)
        except BaseException as error:  # asserted below, in the thread of the test
            results[t] = error

    threads = [threading.Thread(target=run, args=(t,)) for t in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def test_eight_threads_share_one_of_everything(testdata, random, often):
    enc = ropewalk.read_model(testdata / "models" / "llama-3.1-8b")
    rope = enc.rope()
    rows = rope.rows(range(100, 164))
    # A call that gives the GIL away and shares itself out to the pool, and one that does neither.
    q, k = (random.standard_normal((1, 64, heads, 128)).astype(np.float32) for heads in (32, 8))
    token = random.standard_normal((1, 32, 128)).astype(np.float16)
    q.flags.writeable = k.flags.writeable = token.flags.writeable = False

    def task(_):
        out = []
        for _ in range(3):
            mine = q.copy(), k.copy()
            rope.apply_(*mine, range(100, 164), layout="bshd")
            out += [*mine, *rows.apply(q, k, layout="bshd"), *rope.cos_sin(range(300)), rope.rows(range(50)).apply(k[:, :50], layout="bshd")]
            out += [rope.apply(token, position_ids=5, layout="thd"), ropewalk.sinusoidal(range(64), 32)]
            out += [ropewalk.attention(q, k, k, layout="bshd", causal=True), ropewalk.alibi_slopes(32), enc.layers[3].rope.inv_freq]
        return [each.tobytes() for each in out], repr(enc), ropewalk.compare(enc, "llama-3-8b").to_dict(), enc == ropewalk.read_model(enc)

    expected = task(0)
    assert expected[3]
    for result in on_eight_threads(task):
        assert result == expected


def test_eight_threads_turn_parts_of_one_array(random, often):
    rope = ropewalk.Rope(128, pairing="interleaved")
    x = random.standard_normal((THREADS, 512, 4, 128)).astype(np.float32)
    expected = rope.apply(x, position_ids=range(512), layout="bshd")
    on_eight_threads(lambda t: rope.apply_(x[t : t + 1], position_ids=range(512), layout="bshd"))
    assert (x == expected).all()


def test_an_error_is_that_of_its_own_call(often):
    rope = ropewalk.Rope(8, pairing="half_split")

    def task(t):
        for _ in range(50):
            with pytest.raises(ropewalk.Error, match=rf"head_dim: expected 2\.\.65536, found {-t}$"):
                ropewalk.Rope(-t, pairing="half_split")
            with pytest.raises(ropewalk.Error, match=r"q: expected an array"):
                rope.apply_(object(), position_ids=t, layout="thd")

    on_eight_threads(task)
