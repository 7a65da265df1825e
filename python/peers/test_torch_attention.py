"""ropewalk.attention and ropewalk.torch.attention beside torch's scaled_dot_product_attention, and their gradients beside torch's own."""

import pytest
import ropewalk
import ropewalk.torch
import torch
from torch.nn.functional import scaled_dot_product_attention

HEADS, KV_HEADS, DIM, WIDTH = 6, 2, 16, 12


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(20170612)


def tensors(queries, keys, dtype=torch.float32, batch=2, requires_grad=False):
    shapes = (batch, HEADS, queries, DIM), (batch, KV_HEADS, keys, DIM), (batch, KV_HEADS, keys, WIDTH)
    return [torch.randn(shape, dtype=torch.float64).to(dtype).requires_grad_(requires_grad) for shape in shapes]


def theirs(q, k, v, **keywords):
    return scaled_dot_product_attention(q.double(), k.double(), v.double(), enable_gqa=True, **keywords)


def masks(queries, keys):
    boolean = torch.rand(2, 1, queries, keys) < 0.7
    boolean[..., 0] = True
    added = torch.randn(HEADS, queries, keys).masked_fill(torch.rand(HEADS, queries, keys) < 0.2, -torch.inf)
    added[..., 1] = 0
    return (None, boolean, boolean[0, 0], added)


@pytest.mark.parametrize("dtype, bound", ((torch.float32, 2e-6), (torch.bfloat16, 2e-2), (torch.float16, 2e-3)), ids=str)
@pytest.mark.parametrize("queries, keys", ((1, 33), (70, 70), (130, 300)))
def test_it_is_torch_s(dtype, bound, queries, keys):
    q, k, v = tensors(queries, keys, dtype)
    for mask in masks(queries, keys):
        out = ropewalk.attention(q, k, v, layout="bhsd", attn_mask=mask)
        assert out.dtype == torch.float32
        assert torch.allclose(out.double(), theirs(q, k, v, attn_mask=None if mask is None else mask if mask.dtype == torch.bool else mask.double()), rtol=0, atol=bound)
        assert torch.equal(ropewalk.torch.attention(q, k, v, layout="bhsd", attn_mask=mask), out.to(dtype))
    if queries == keys:
        causal = ropewalk.attention(q, k, v, layout="bhsd", causal=True)
        assert torch.allclose(causal.double(), theirs(q, k, v, is_causal=True), rtol=0, atol=bound)


@pytest.mark.parametrize("dtype, bound", ((torch.float32, 2e-6), (torch.bfloat16, 2e-2)), ids=str)
@pytest.mark.parametrize("layout", ("bhsd", "bshd"))
def test_gradients_are_torch_s(dtype, bound, layout):
    for mask in masks(70, 90):
        ours = tensors(70, 90, dtype, requires_grad=True)
        reference = [x.detach().double().requires_grad_() for x in ours]
        grad = torch.randn(2, HEADS, 70, WIDTH, dtype=dtype)
        given = ours if layout == "bhsd" else [x.transpose(1, 2) for x in ours]
        out = ropewalk.torch.attention(*given, layout=layout, attn_mask=mask)
        assert out.dtype == dtype
        (out if layout == "bhsd" else out.transpose(1, 2)).backward(grad)
        theirs(*reference, attn_mask=mask if mask is None or mask.dtype == torch.bool else mask.double()).backward(grad.double())
        for x, y in zip(ours, reference):
            assert x.grad.dtype == dtype
            assert (x.grad.double() - y.grad).abs().max() <= bound * y.grad.abs().max()


CASES = (
    {},
    dict(causal=True, softcap=1.5, window_left=3),
    dict(chunk=4, causal=True, scale=0.5),
    dict(prefix=3, causal=True),
    dict(alibi_slopes=[0.5, 0.25, 0.125, 0.1, -0.3, 0], alibi_form="symmetric"),
    dict(distance_bias=torch.linspace(-1, 1, 6 * 5).reshape(6, 5)),
    dict(key_mask=torch.tensor([[0, 1, 1, 0, 1, 1, 1, 1, 0], [1] * 9])),
    dict(key_lengths=[4, 0]),
    dict(attn_mask=torch.tensor([[True] * 9] * 4 + [[False] * 9])),
    dict(query_tokens=[4, 0, 7, 1, 30], causal=True),
)


@pytest.mark.parametrize("keywords", CASES, ids=lambda x: "-".join(x))
def test_gradcheck(keywords):
    q, k, v = tensors(5, 9, torch.float64, requires_grad=True)
    sinks = torch.randn(HEADS, dtype=torch.float64, requires_grad=True)

    def plain(q, k, v):
        return ropewalk.torch.attention(q, k, v, layout="bhsd", **keywords)

    def with_sinks(q, k, v, sinks):
        return ropewalk.torch.attention(q, k, v, layout="bhsd", sinks=sinks, **keywords)

    assert torch.autograd.gradcheck(plain, (q, k, v), fast_mode=True)
    assert torch.autograd.gradcheck(with_sinks, (q, k, v, sinks), fast_mode=True)


def test_gradcheck_of_each_number():
    heads = [x[:1, :2].detach().requires_grad_() for x in tensors(3, 4, torch.float64)]
    assert torch.autograd.gradcheck(lambda *x: ropewalk.torch.attention(*x, layout="bhsd", causal=True, softcap=2.0), heads)


@pytest.mark.parametrize("keywords", CASES, ids=lambda x: "-".join(x))
@pytest.mark.parametrize("with_sinks", (False, True))
def test_the_kernels_have_the_gradients_of_the_plain_path(keywords, with_sinks):
    exact = tensors(5, 9, torch.float64, requires_grad=True)
    if with_sinks:
        exact.append(torch.randn(HEADS, dtype=torch.float64, requires_grad=True))
    single = [x.detach().float().requires_grad_() for x in exact]
    grad = torch.randn(2, HEADS, 5, WIDTH)
    outs = []
    for inputs in (exact, single):
        q, k, v, *sinks = inputs
        outs.append(ropewalk.torch.attention(q, k, v, layout="bhsd", sinks=sinks[0] if sinks else None, **keywords))
        outs[-1].backward(grad.to(q.dtype))
    assert torch.allclose(outs[0].float(), outs[1], rtol=1e-5, atol=2e-6)
    for x, y in zip(exact, single):
        assert torch.allclose(x.grad.float(), y.grad, rtol=2e-5, atol=1e-5)


def test_packed_sequences():
    starts = torch.tensor([0, 3, 3, 9])
    exact = [torch.randn(9, heads, width, dtype=torch.float64, requires_grad=True) for heads, width in ((HEADS, DIM), (2, DIM), (2, WIDTH))]
    single = [x.detach().float().requires_grad_() for x in exact]
    keywords = dict(layout="thd", causal=True, cu_seqlens=starts)
    grad = torch.randn(9, HEADS, WIDTH)
    a, b = (ropewalk.torch.attention(*x, **keywords) for x in (exact, single))
    a.backward(grad.double())
    b.backward(grad)
    assert torch.allclose(a.float(), b, atol=2e-6)
    assert all(torch.allclose(x.grad.float(), y.grad, atol=1e-5) for x, y in zip(exact, single))
    assert torch.autograd.gradcheck(lambda q, k, v: ropewalk.torch.attention(q, k, v, **keywords), exact, fast_mode=True)
    alone = ropewalk.torch.attention(*(x[3:] for x in single), layout="thd", causal=True)
    assert torch.equal(alone, b[3:])


def test_rotated_with_a_gradient():
    """Rotation, then attention: the gradients reach the unrotated q and k."""
    rope = ropewalk.Rope(DIM, pairing="half_split")

    def turned(q, k, v):
        q, k = ropewalk.torch.apply_rope(rope, q, k, torch.arange(5), layout="bhsd")
        return ropewalk.torch.attention(q, k, v, layout="bhsd", causal=True)

    assert torch.autograd.gradcheck(turned, tensors(5, 5, torch.float64, requires_grad=True), fast_mode=True)


def test_compiled_it_is_the_same():
    q, k, v = tensors(20, 20, requires_grad=True)
    mask = torch.rand(20, 20) < 0.8

    def step(q, k, v):
        return ropewalk.torch.attention(q * 2, k, v, layout="bhsd", attn_mask=mask, causal=True, softcap=3.0).sum()

    plain = torch.autograd.grad(step(q, k, v), (q, k, v))
    compiled = torch.autograd.grad(torch.compile(step, backend="aot_eager", fullgraph=True)(q, k, v), (q, k, v))
    assert all(torch.equal(x, y) for x, y in zip(plain, compiled))


def test_operators_pass_torch_s_own_check():
    q, k, v = tensors(4, 6, requires_grad=True)
    torch.library.opcheck(torch.ops.ropewalk.attention, (q, k, v, None, [], "{'layout': 'bhsd', 'arrays': ''}"))


def test_refusals():
    q, k, v = tensors(5, 9)
    mask = torch.zeros(5, 9, requires_grad=True)
    for call, code, message in (
        (lambda: ropewalk.torch.attention(q, k, v, layout="bhsd", attn_mask=mask), "unsupported", "attn_mask: expected a constant"),
        (lambda: ropewalk.torch.attention(q.double(), k, v, layout="bhsd"), "unsupported", "k: expected float64 in all"),
        (lambda: ropewalk.torch.attention(q, k, v, layout="bhsd", scale=float("nan")), "invalid_argument", "scale: expected a finite number"),
        (lambda: ropewalk.torch.attention(q.numpy(), k, v, layout="bhsd"), "invalid_argument", "q: expected a torch tensor, found ndarray"),
        (lambda: ropewalk.torch.attention(q, k, v, layout="bshd"), "invalid_argument", "q has shape"),
        (lambda: ropewalk.torch.attention(q.double(), k.double(), v.double(), layout="bshd"), "invalid_argument", "q has shape"),
        (lambda: ropewalk.attention(q.requires_grad_(), k, v, layout="bhsd"), "invalid_argument", "q: expected a tensor without a gradient"),
    ):
        with pytest.raises(ropewalk.Error) as caught:
            call()
        assert caught.value.code == code and message in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'dropout_p'"):
        ropewalk.torch.attention(q, k, v, layout="bhsd", dropout_p=0.1)
