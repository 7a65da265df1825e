"""Faults of a rotation, for tools/diagnose_corpus.py: each changes a Call of diagnose_rotations.py."""

import numpy as np

from diagnose_rotations import bf16, mscale, powers, rounded

FACTORS = {"llama-3.1-8b": 8, "llama-3.2-1b": 32, "qwen2.5-7b-yarn": 4, "gpt-oss-20b": 32, "deepseek-v3": 40, "deepseek-coder-33b": 4,
           "vicuna-7b-v1.5-16k": 4}

YARN_BETAS = ("qwen2.5-7b-yarn", "gpt-oss-20b", "deepseek-v3")

HEAD_ORDER = [0, 4, 1, 5, 2, 6, 3, 7]


def set_base(call, base, **more):
    call.w = call.model.inv_freq(base=base, **more)


def through(dtype):
    """A product whose factors and result are of a type."""

    def product(p, w):
        first = rounded(rounded(p, dtype) * rounded(w, dtype), dtype)
        return first.astype(np.float64)

    return product


def tf32(x):
    """float32 numbers rounded to 10 bits of mantissa, halves away from zero (cvt.rna.tf32.f32)."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32)


def e4m3(x):
    """Positive numbers rounded to FP8 of 4 bits of exponent and 3 of mantissa."""
    step = 2.0 ** (np.maximum(np.floor(np.log2(x)), -6) - 3)
    return np.round(x / step) * step


def mixed(call, other, swap):
    """cos of one set of angles, sin of another."""

    def turn(x):
        first, second = call.angles(), other()
        if swap:
            first, second = second, first
        cos, sin = (call.amplitude * f(call.times * a)[:, :, None] for f, a in ((np.cos, first), (np.sin, second)))
        y = x.copy()
        a, b = call.channels(call.pairing)
        c, d = call.channels(call.out)
        y[..., c], y[..., d] = x[..., a] * cos - x[..., b] * sin, x[..., b] * cos + x[..., a] * sin
        return y * call.all

    call.turn = turn


def shifted_sin(call):
    def other():
        kept = call.positions
        call.positions = kept + 1
        angles = call.angles()
        call.positions = kept
        return angles

    mixed(call, other, False)


def unscaled_cos(call):
    def other():
        kept = call.w
        call.w = call.model.inv_freq(scaled=False)
        angles = call.angles()
        call.w = kept
        return angles

    mixed(call, other, True)


def other_form(of_pair):
    """of_pair(a, b, cos, sin, cos2, sin2): the two numbers of a pair, and cos and sin of the column of the second channel."""

    def does(call):
        def turn(x):
            angles = call.times * call.angles()
            pairs = angles.shape[-1]
            columns = np.stack(call.channels(call.pairing)) - call.offset
            if of_pair == "columns":  # the table has its columns doubled in the other way
                first, second = columns // 2 if call.pairing == "half" else columns % pairs
            else:
                first = second = np.arange(pairs)
            cos, sin = (call.amplitude * f(angles[..., first])[:, :, None] for f in (np.cos, np.sin))
            cos2, sin2 = (call.amplitude * f(angles[..., second])[:, :, None] for f in (np.cos, np.sin))
            y = x.copy()
            a, b = (x[..., at] for at in call.channels(call.pairing))
            c, d = call.channels(call.out)
            if of_pair == "columns":
                y[..., c], y[..., d] = a * cos - b * sin, b * cos2 + a * sin2
            else:
                y[..., c], y[..., d] = of_pair(a, b, cos, sin)
            return y * call.all

        call.turn = turn

    return does


# name, whether it may be put into (model, call), what it does, findings that name it (hypothesis, variant or None), what it changes,
# the tokens that it needs
def faults():
    def simple(name, does, *expected, when=lambda m, c: True, kind="angle", tokens=None):
        return (name, lambda m, c: m.turns and when(m, c), does, expected, kind, tokens)

    def setter(**fields):
        def does(call):
            for key, value in fields.items():
                setattr(call, key, value(call) if callable(value) else value)

        return does

    flip = {"half": "inter", "inter": "half"}
    one_axis = lambda m, c: m.axes() == 1
    partial = lambda m, c: m.rot < m.head_dim and m.offset == 0
    scaled = lambda m, c: m.scaled is not None and m.name != "internlm2.5-7b"

    def whole(call):
        m = call.model
        call.rot = m.head_dim
        call.axis = np.zeros(m.head_dim // 2, int)
        call.w = m.scaled(m.base, m.head_dim) if m.scaled else powers(m.base, m.head_dim)

    def narrow(call):
        m = call.model
        call.rot = m.head_dim // 2
        call.axis = np.zeros(call.rot // 2, int)
        call.w = m.scaled(m.base, call.rot) if m.scaled else powers(m.base, call.rot)

    def exponent(call):
        call.w = powers(call.model.base, call.model.head_dim)[: call.model.rot // 2]

    def twice_the_factor(call):
        factor = 2 * FACTORS[call.model.name]
        set_base(call, None, factor=factor)
        if call.amplitude != 1:
            call.amplitude = mscale(factor)

    def base_of(base):
        return lambda call: set_base(call, base)

    def shifted(n):
        return setter(positions=lambda c: c.positions + n)

    def one(axis):
        return setter(positions=lambda c: np.broadcast_to(c.positions[axis:axis + 1], c.positions.shape))

    def ends(call):
        p = call.positions
        call.positions = np.minimum(p, p[..., :1] + (20 if p.shape[-1] > 20 else 2))

    def begins_again(call):
        half = call.positions.shape[-1] // 2
        again = call.positions.copy()
        again[..., half:] = np.arange(again.shape[-1] - half)
        call.positions = again

    def in_row(call):
        call.positions = np.broadcast_to(np.arange(call.positions.shape[-1], dtype=float), call.positions.shape)

    def cut(call):
        m = call.model
        call.rot = m.head_dim // 2
        call.axis = np.zeros(call.rot // 2, int)
        call.w = powers(m.base, m.head_dim)[: call.rot // 2]

    def norm(call):
        call.all = 0.5 + np.random.default_rng(7).random((1, call.positions.shape[-1], 8, 1))

    def swap_axes(call):
        call.positions = call.positions[[0, 2, 1]]

    def swap_planes(call):
        call.positions = call.positions[::-1]

    base_is = lambda value: (lambda m, c: m.base != value and not m.planes)
    yarns = lambda m, c: m.name in YARN_BETAS
    halves = lambda m, c: m.pairing == m.out == "half" and partial(m, c)
    result = [
        simple("not rotated", setter(times=0.0, amplitude=1.0), ("not_rotated", None)),
        simple("other pairing", setter(pairing=lambda c: flip[c.pairing], out=lambda c: flip[c.out]), ("pairing", None),
               when=lambda m, c: m.pairing == m.out, kind="places"),
        simple("read in the other pairing", setter(pairing=lambda c: flip[c.pairing]), ("pairing", None), kind="places"),
        simple("whole head", whole, ("window", "width"), when=lambda m, c: partial(m, c) and one_axis(m, c), kind="places"),
        simple("half of the head", narrow, ("window", "width"),
               when=lambda m, c: one_axis(m, c) and m.rot == m.head_dim and m.name != "phi-3.5-mini", kind="places"),
        simple("first channels for last", setter(offset=0), ("window", "leading"), when=lambda m, c: m.offset > 0, kind="places"),
        simple("pairs of the whole head", setter(apart=lambda c: c.model.head_dim // 2), ("window", "pair_offset"), when=halves, kind="places"),
        simple("as if the whole head turned", lambda c: (setattr(c, "apart", c.model.head_dim // 2), exponent(c)), ("window", "proportional"),
               when=lambda m, c: halves(m, c) and not m.scaled, kind="places"),
        simple("first frequencies of the head", cut, ("window", "cut"),
               when=lambda m, c: one_axis(m, c) and m.rot == m.head_dim and not m.scaled, kind="places"),
        simple("last channels for first", setter(offset=lambda c: c.model.head_dim - c.model.rot), ("window", "trailing"),
               when=lambda m, c: partial(m, c), kind="places"),
        simple("exponent of the whole head", exponent, ("window", "exponent"), when=lambda m, c: partial(m, c) and not m.scaled),
        simple("base 10000", base_of(1e4), ("base", None), when=base_is(1e4)),
        simple("base 1000000", base_of(1e6), ("base", None), ("other_layer", None), when=base_is(1e6)),
        simple("base 137000", base_of(137000.0), ("base", None), when=base_is(0)),
        simple("scaling missing", lambda c: (set_base(c, None, scaled=False), setattr(c, "amplitude", 1.0)),
               ("scaling", "missing"), when=scaled),
        simple("factor twice as large", twice_the_factor, ("scaling", None), when=lambda m, c: m.name in FACTORS),
        simple("linear 8 that is not there", setter(w=lambda c: c.w / 8), ("scaling", None), when=lambda m, c: not m.scaled and not m.planes),
        simple("betas swapped", lambda c: set_base(c, None, fast=1, slow=32), ("scaling", "swapped_betas"), when=yarns),
        simple("long list", lambda c: set_base(c, None, long=True), ("scaling", "as_long"), when=lambda m, c: m.name == "phi-3.5-mini"),
        simple("as of 65536 tokens", lambda c: set_base(c, None, length=65536), ("scaling", "as_long"), ("scaling", "length"),
               when=lambda m, c: m.name == "internlm2.5-7b"),
        simple("cos and sin exchanged", setter(exchanged=True), ("exchange", None)),
        simple("sign", setter(times=-1.0), ("direction", None)),
        simple("inverse", setter(times=-1.0, amplitude=lambda c: 1 / c.amplitude), ("direction", None)),
        simple("twice", setter(times=2.0, amplitude=lambda c: c.amplitude**2), ("repetition", None), when=lambda m, c: m.pairing == m.out),
        simple("one too many", shifted(1), ("positions", None)),
        simple("one too few", shifted(-1), ("positions", None)),
        simple("padding counted", shifted(13), ("positions", None)),
        simple("from 0 again", setter(positions=lambda c: c.positions - c.positions[..., :1]), ("positions", None)),
        simple("past a cache", shifted(-1000), ("positions", None)),
        simple("backwards", setter(positions=lambda c: c.positions[..., ::-1]), ("positions", None)),
        simple("one position for all", setter(positions=lambda c: np.broadcast_to(c.positions[..., -1:], c.positions.shape)), ("positions", None)),
        simple("end of a table", ends, ("positions", "clamped"), when=one_axis),
        simple("begins again", begins_again, ("positions", "restart"), ("positions", "wrapped"), when=one_axis),
        simple("padding of a row counted", in_row, ("positions", "index"), ("positions", "first_row"), when=one_axis, tokens=("2 x 64",)),
        simple("packed texts run on", in_row, ("positions", "index"), when=one_axis, tokens=("packed",)),
        simple("positions in f16", setter(positions=lambda c: rounded(c.positions, "f16").astype(np.float64)), ("position_precision", None),
               ("angle_precision", None)),
        simple("TF32", setter(angle=lambda c: lambda p, w: (tf32(p) * tf32(w)).astype(np.float64)), ("angle_precision", None)),
        simple("inv_freq in e4m3", setter(w=lambda c: e4m3(c.w)), ("angle_precision", None)),
        simple("inv_freq in bf16", setter(w=lambda c: bf16(c.w).astype(np.float64)), ("angle_precision", None), ("position_precision", None)),
        simple("inv_freq in f16", setter(w=lambda c: rounded(c.w, "f16").astype(np.float64)), ("angle_precision", None)),
        simple("angles in bf16", setter(angle=lambda c: through("bf16")), ("angle_precision", None)),
        simple("angles in f16", setter(angle=lambda c: through("f16")), ("angle_precision", None)),
        simple("positions in bf16", setter(positions=lambda c: bf16(c.positions).astype(np.float64)), ("position_precision", None), ("angle_precision", None)),
        simple("cos and sin in bf16", setter(table="bf16"), ("angle_precision", None)),
        simple("rotate_half without its minus", other_form(lambda a, b, c, s: (a * c + b * s, b * c + a * s)), ("rotate_half", "no_minus"), kind="form"),
        simple("both halves with a minus", other_form(lambda a, b, c, s: (a * c - b * s, b * c - a * s)), ("rotate_half", "both_minus"), kind="form"),
        simple("halves not exchanged", other_form(lambda a, b, c, s: (a * (c + s), b * (c + s))), ("rotate_half", "not_exchanged"), kind="form"),
        simple("overwritten in place", other_form(lambda a, b, c, s: (a * c - b * s, b * c + (a * c - b * s) * s)), ("rotate_half", "in_place"), kind="form"),
        simple("columns doubled the other way", other_form("columns"), ("rotate_half", None), when=one_axis, kind="form"),
        simple("sin of the next position", shifted_sin, ("mixed_tables", "sin_shifted"), kind="form"),
        simple("cos without the scaling", unscaled_cos, ("mixed_tables", "cos_unscaled"), when=scaled, kind="form"),
        simple("far past a cache", shifted(1234567), ("positions", "offset"), kind="form"),
        simple("no attention scaling", setter(amplitude=1.0), ("amplitude", None), ("scaling", "parameter"), when=lambda m, c: m.amplitude != 1),
        simple("attention scaling twice", setter(amplitude=lambda c: c.amplitude**2), ("amplitude", None), when=lambda m, c: m.amplitude != 1),
        simple("attention scaling that is not there", setter(amplitude=mscale(16)), ("amplitude", None), when=lambda m, c: m.amplitude == 1),
        simple("a norm between", norm, ("row_norm", None)),
        simple("softmax scale in it", setter(all=lambda c: c.model.head_dim**-0.5), ("amplitude", None)),
        simple("heads for tokens", setter(grouping="heads"), ("array_layout", "heads_as_tokens"), when=one_axis, kind="places"),
        simple("reshaped", setter(grouping="reshaped"), ("array_layout", "reshaped"), when=one_axis, kind="places"),
        simple("heads in another order", setter(heads=lambda c: np.array(HEAD_ORDER)), ("head_order", None), kind="places"),
        simple("one axis for all", one(0), ("axes", None), when=lambda m, c: m.axes() == 3),
        simple("rows and columns swapped", swap_axes, ("axes", None), when=lambda m, c: m.axes() == 3),
        simple("sections the other way", setter(axis=lambda c: c.model.axis_of_pairs(not c.model.interleaved_sections)), ("axes", None),
               when=lambda m, c: m.interleaved_sections),
        simple("base of other layers", lambda c: set_base(c, c.model.other_base), ("other_layer", None), ("base", None),
               when=lambda m, c: m.other_base),
        simple("row for column", swap_planes, ("axes", "order"), when=lambda m, c: m.planes),
        ("turned where it should not", lambda m, c: not m.turns, setter(times=1.0), (("other_layer", "should_not_turn"),), "angle", None),
    ]
    return result
