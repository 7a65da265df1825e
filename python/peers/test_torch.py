"""ropewalk with torch and transformers. Not part of script/test, which has neither:

    PYTHONPATH=build/python python -m pytest python/peers
"""

import copy
import io
import pickle

import numpy as np
import pytest
import ropewalk
import ropewalk.torch
import torch
import transformers

YARN = {"rope_type": "yarn", "factor": 8, "original_max_position_embeddings": 64}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(20170612)


def test_tensors_are_rotated_where_they_are():
    rope = ropewalk.Rope(128, pairing="half_split", heads=32, kv_heads=8)
    for dtype, step in ((torch.float32, 1e-6), (torch.bfloat16, 2**-8), (torch.float16, 2**-11)):
        q, k = torch.randn(1, 32, 128).to(dtype), torch.randn(1, 8, 128).to(dtype)
        before, address = q.double(), q.data_ptr()
        rope.rows(7).apply_(q, k, layout="thd")
        angle = 7 * torch.from_numpy(rope.inv_freq).double()
        a, b = before.split(64, -1)
        expected = torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)
        assert q.data_ptr() == address and torch.allclose(q.double(), expected, rtol=step, atol=step)
    out = rope.apply(q, None, torch.tensor([3]), layout="thd")
    assert isinstance(out, torch.Tensor) and out.dtype == torch.float16
    assert rope.cos_sin(torch.arange(3), dtype=torch.bfloat16)[0].dtype == torch.bfloat16


@pytest.mark.parametrize(
    "tensor, message",
    (
        (lambda: torch.zeros(1, 32, 128, requires_grad=True), "found one with requires_grad; ropewalk.torch turns"),
        (lambda: torch.nn.Parameter(torch.zeros(1, 32, 128)), "found one with requires_grad"),
        (lambda: torch.zeros(1, 32, 128, dtype=torch.complex64).conj().imag, "a view that negates"),
        (lambda: torch.zeros(1, 32, 128, device="meta"), "Cannot pack tensors on meta"),
        (lambda: torch.zeros(1, 32, 128, dtype=torch.float64), "found f64; q is float64 of shape [1, 32, 128]"),
        (lambda: torch.zeros(1, 32, 128).to_sparse(), "q: "),
        (lambda: torch.zeros(1, 1, 128).expand(1, 32, 128), "strides [128, 0, 1] name one address twice"),
        (lambda: torch.zeros(1, 128, 32).mT[:, :31], "expected 32 heads"),
    ),
)
def test_tensors_that_are_refused(tensor, message):
    rope = ropewalk.Rope(128, pairing="half_split", heads=32, kv_heads=8)
    with pytest.raises(ropewalk.Error) as caught:
        rope.apply_(tensor(), None, 0, layout="thd")
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("pairing", ("half_split", "interleaved"))
@pytest.mark.parametrize("layout", ("bshd", "bhsd"))
@pytest.mark.parametrize("inverse", (False, True))
def test_the_gradient_of_the_rotation(pairing, layout, inverse):
    rope = ropewalk.Rope(8, pairing=pairing, rotary_dim=6, scaling=YARN)
    shapes = ((2, 3, 5, 8), (2, 1, 5, 8)) if layout == "bhsd" else ((2, 5, 3, 8), (2, 5, 1, 8))
    q, k = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    ids = torch.randint(0, 99, (2, 5))

    def turned(q, k):
        return ropewalk.torch.apply_rope(rope, q, k, ids, layout=layout, inverse=inverse)

    assert torch.autograd.gradcheck(turned, (q, k)) and torch.autograd.gradgradcheck(turned, (q, k))
    single = turned(q.detach().float(), k.detach().float())[0]
    assert torch.allclose(single.double(), turned(q, k)[0], atol=1e-5)
    x = q.detach().float().requires_grad_()
    back = torch.autograd.grad(turned(x, x)[0].sum(), x)[0]
    ones = torch.ones_like(x)
    expected = rope.apply(ones, None, ids, layout=layout, transpose=True)
    if inverse:
        expected = rope.apply(ones, None, ids, layout=layout)
        expected[..., :6] /= rope.attention_scaling**2
    assert torch.allclose(back, expected, atol=1e-6)


SHORT_LONG = dict(short_factor=[1.0, 1.5, 2.0, 3.0], long_factor=[1.0, 4.0, 9.0, 16.0])


@pytest.mark.parametrize("scaling", (
    {"rope_type": "dynamic", "factor": 4.0, "max_position_embeddings": 16},
    {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 16, "max_position_embeddings": 64, **SHORT_LONG},
))
@pytest.mark.parametrize("layout", ("bshd", "bhsd", "thd"))
def test_float64_takes_the_length_of_each_sequence(scaling, layout):
    rope = ropewalk.Rope(8, pairing="half_split", scaling=scaling)
    shape = {"bshd": (2, 3, 4, 8), "bhsd": (2, 4, 3, 8), "thd": (3, 4, 8)}[layout]
    q = torch.randn(shape, dtype=torch.float64)
    for ids in (100, [3, 4, 5], torch.tensor([[1, 2, 0], [7, 300, 4]]), torch.tensor([[[90, 91, 92]]])):
        if layout == "thd" and isinstance(ids, torch.Tensor) and ids.numel() > 3:
            continue
        for inverse in (False, True):
            got = ropewalk.torch.apply_rope(rope, q, None, ids, layout=layout, inverse=inverse)
            single = ropewalk.torch.apply_rope(rope, q.float(), None, ids, layout=layout, inverse=inverse)
            assert torch.allclose(got, single.double(), rtol=0, atol=2e-6)
    ids = [[1, 2, 0], [7, 300, 4]]
    if layout != "thd":
        for row, length in ((0, 3), (1, 301)):
            own = ropewalk.Rope(8, pairing="half_split", scaling=scaling, seq_len=length)
            got = ropewalk.torch.apply_rope(rope, q, None, ids, layout=layout)[row]
            assert torch.allclose(got, ropewalk.torch.apply_rope(own, q[row : row + 1], None, ids[row], layout=layout)[0])
    q.requires_grad_()
    assert torch.autograd.gradcheck(lambda x: ropewalk.torch.apply_rope(rope, x, None, 100, layout=layout, inverse=True), (q,))
    assert ropewalk.torch.apply_rope(rope, q[..., :0, :, :], None, [], layout="thd" if layout == "thd" else "bshd").numel() == 0


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_what_every_dtype_refuses(dtype):
    rope = ropewalk.Rope(64, pairing="half_split", heads=8)
    x = torch.zeros(1, 5, 8, 64, dtype=dtype)
    for q, ids, layout, message in (
        (x, 0, "bhds", "layout"),
        (x, torch.tensor([3]), "bshd", "position_ids"),
        (x, torch.arange(5.0), "bshd", "position_ids: expected int64 or int32, found float32"),
        (x, torch.ones(5, dtype=torch.bool), "bshd", "position_ids: expected int64 or int32, found bool"),
        (x, torch.tensor(True), "bshd", "position_ids: expected int64 or int32, found bool"),
        (x, True, "bshd", "position_ids: expected integers, found a bool"),
        (x, None, "bshd", "position_ids: expected a tensor"),
        (x, "five", "bshd", "position_ids: expected a tensor, an array or a list of integers, found str"),
        (x, [[1], [2, 3]], "bshd", "position_ids: expected lists of one length"),
        ([[1.0]], 0, "bshd", "q: expected a torch tensor, found list"),
        (torch.zeros(1, 5, 8, 80, dtype=dtype), 0, "bshd", "head_dim|80"),
        (torch.zeros(1, 5, 3, 64, dtype=dtype), 0, "bshd", "q: expected 8 heads"),
        (torch.zeros(64, dtype=dtype), 0, "bshd", "q"),
    ):
        with pytest.raises(ropewalk.Error, match=message):
            ropewalk.torch.apply_rope(rope, q, None, ids, layout=layout)


def test_positions_of_every_kind():
    rope = ropewalk.Rope(8, pairing="half_split")
    for dtype in (torch.float32, torch.float64):
        q = torch.randn(1, 2, 3, 8, dtype=dtype)
        expected = ropewalk.torch.apply_rope(rope, q, None, torch.tensor([4, 5, 6]), layout="bhsd")
        for ids in (4, np.int64(4), torch.tensor(4), np.array(4), [4, 5, 6], (4, 5, 6), range(4, 7), np.arange(4, 7), [[4, 5, 6]]):
            assert (ropewalk.torch.apply_rope(rope, q, None, ids, layout="bhsd") == expected).all()
    assert (rope.apply(q.float(), None, torch.tensor(4), layout="bhsd") == rope.apply(q.float(), None, 4, layout="bhsd")).all()


def test_the_gradient_by_rows():
    cos, sin = torch.randn(2, 5, 3), torch.randn(2, 5, 3)
    x = torch.randn(2, 4, 5, 8, dtype=torch.float64, requires_grad=True)
    for interleaved in (False, True):
        def turned(x):
            return ropewalk.torch.rotary_embedding_rows(x, cos, sin, interleaved=interleaved)

        assert torch.autograd.gradcheck(turned, (x,))
        assert torch.allclose(turned(x.detach().float()).double(), turned(x), atol=1e-5)
    with pytest.raises(ropewalk.Error, match="constants"):
        ropewalk.torch.rotary_embedding_rows(x, cos.requires_grad_(), sin)


def test_the_module_is_saved_compiled_and_exported():
    rope = ropewalk.Rope(8, pairing="half_split", scaling=YARN)
    module = ropewalk.torch.RotaryEmbedding(rope, layout="bhsd")
    x, ids = torch.randn(2, 3, 5, 8), torch.randint(0, 99, (2, 5))
    expected = module(x, None, ids)
    assert list(module.state_dict()) == ["inv_freq"]
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module.bfloat16()):
        assert (other(x, None, ids) == expected).all()
    assert (torch.compile(module, fullgraph=True)(x, None, ids) == expected).all()
    exported, file = torch.export.export(module, (x, None, ids)), io.BytesIO()
    torch.export.save(exported, file)
    file.seek(0)
    assert (torch.export.load(file).module()(x, None, ids) == expected).all()
    other = ropewalk.torch.RotaryEmbedding(ropewalk.Rope(8, pairing="half_split", base=5e5), layout="bhsd")
    with pytest.raises(RuntimeError, match="inv_freq: expected the frequencies"):
        other.load_state_dict(module.state_dict())
    op = torch.ops.ropewalk.rotate.default
    result = torch.library.opcheck(op, (x.requires_grad_(), ids, ropewalk.torch._text_of(rope), "bhsd", "forward"))
    assert set(result.values()) == {"SUCCESS"}


def test_positional_encoding():
    module = ropewalk.torch.PositionalEncoding(16, dropout=0.0, max_len=50)
    x = torch.randn(2, 7, 16, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(module, (x,))
    zeros = torch.zeros(1, 50, 16)
    angle = np.arange(50)[:, None] / 10000.0 ** (np.arange(0, 16, 2) / 16)
    np.testing.assert_allclose(module(zeros)[0, :, 0::2], np.sin(angle), atol=6e-8)
    other = ropewalk.torch.PositionalEncoding(16, 0.5, 50, batch_first=False)
    other.load_state_dict(module.state_dict())
    assert (other.eval()(zeros.swapaxes(0, 1)).swapaxes(0, 1) == module(zeros)).all()
    dropped = other.train()(torch.ones(50, 4, 16))
    kept = dropped != 0
    assert 0.3 < kept.float().mean() < 0.7
    assert torch.allclose(dropped[kept], 2 * other.eval()(torch.ones(50, 4, 16))[kept])
    with pytest.raises(ropewalk.Error, match="at most max_len = 50 tokens, found 51"):
        module(torch.zeros(1, 51, 16))
    with pytest.raises(ropewalk.Error, match=r"expected \[batch, seq, 16\], found \[2, 16\]"):
        module(torch.zeros(2, 16))
