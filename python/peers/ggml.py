"""ggml's rope over the cases of its own tests, beside ropewalk.Rope and ropewalk.rotary_embedding."""

import functools
import itertools
import math

import numpy as np
import ropewalk

from ggml_cases import LISTED, backend_ops, rope_program
from ggml_library import TYPES, Ggml, built
from result import Suite

# cosf and sinf are at most 2^-23 from ours, a turned pair adds a rounding to each of two products.
SAME_ANGLES = 4 * 2.0**-23
# ggml's angle is multiplied from pair to pair in float32: 512 positions times some 14 roundings, times what is turned.
EXACT = 1e-3
HALF = 2.0**-10  # float16: both round once, of numbers that are not quite the same


def _columns(case):
    """(axis of the position, power of theta_scale, pair) of each pair: ggml_rope_cache_init and ggml_mrope_cache_init."""
    pairs = case.ne[0] // 2 if case.mode == "vision" else case.n_dims // 2
    if not case.multi:
        return [(0, i, i) for i in range(pairs)]
    t, h, w, _ = case.sections
    total, starts = sum(case.sections), (0, t, t + h, t + h + w)
    columns = []
    for i in range(pairs):
        sector = i % total
        if case.mode == "imrope":
            axis = sector % 3 if sector < 3 * case.sections[sector % 3] else 3
        else:
            axis = max(a for a in range(4) if sector >= starts[a] and (case.sections[a] or a == 3))
        columns.append((axis, sector - starts[axis] if case.mode == "vision" else i, i))
    return columns


def _scaling(case, factors, ramped):
    """The rope block of a config that says what ggml's arguments say. Its cases have a trained context of 0, of which the ramp of
    yarn is 1 for the first pair and 0 for the others: 6 gives the same."""
    if (case.fs, case.ef, case.af) == (1, 0, 1):
        block = {"rope_type": "default"}
    else:
        amplitude = case.af * (1 + 0.1 * math.log(1 / case.fs)) if case.ef else case.af
        block = {"rope_type": "yarn", "factor": 1 / case.fs, "original_max_position_embeddings": 6, "beta_fast": 1.0,
                 "beta_slow": 1.0, "extrapolation_factor": case.ef if ramped else 0.0, "attention_factor": amplitude}
    return block if factors is None else {**block, "freq_factors": [float(factor) for factor in factors]}


def _tables(case, positions, factors, angles):
    """cos and sin, [tokens, pairs], each column by a rope of one axis."""
    pairs = case.n_dims // 2
    halves = []
    for (axis, shift), group in itertools.groupby(_columns(case), key=lambda column: (column[0], column[2] - column[1])):
        group = list(group)
        own = None
        if factors is not None:
            own = np.ones(pairs, np.float32)
            own[: len(factors) - shift] = factors[shift : shift + pairs]
        rope = ropewalk.Rope(case.n_dims, pairing="half_split", base=case.base, scaling=_scaling(case, own, shift == 0))
        cos, sin = rope.cos_sin(positions[axis], angles=angles)
        powers = [power for _, power, _ in group]
        halves.append((cos[:, powers], sin[:, powers]))
    return tuple(np.concatenate(parts, 1) for parts in zip(*halves))


def _by_tables(case, x, positions, factors, angles):
    cos, sin = _tables(case, positions, factors, angles)
    turning = x[..., case.offset :] if case.offset else x
    turned = ropewalk.rotary_embedding(
        np.ascontiguousarray(turning.swapaxes(1, 2)), cos, sin if case.forward else -sin,
        interleaved=case.mode == "normal", rotary_embedding_dim=2 * cos.shape[1],
    )
    out = x.copy()
    out[..., case.offset :] = turned.swapaxes(1, 2)
    return out


def _rope(case, factors):
    """The rope of all pairs, or None: a vision tower's angles start again on each axis, and ropewalk has no fourth axis."""
    if case.mode == "vision" or any(axis == 3 for axis, _, _ in _columns(case)):
        return None
    scaling = _scaling(case, factors, True)
    if case.multi:
        axes = [axis for axis, _, _ in _columns(case)]
        scaling["mrope_section"] = [axes.count(axis) for axis in range(3)]
        if case.mode == "imrope":
            scaling["mrope_interleaved"] = True
    head_dim = case.n_dims if case.offset else case.ne[0]
    pairing = "interleaved" if case.mode == "normal" else "half_split"
    return ropewalk.Rope(head_dim, pairing=pairing, base=case.base, rotary_dim=case.n_dims, scaling=scaling)


def _in_place(case, rope, array, positions):
    """rope.apply_ where the numbers lie, with their strides; the whole array after it."""
    array = array.copy()
    x = case.view_of(array)
    if case.offset:
        x = x[..., case.offset : case.offset + case.n_dims]
    ids = positions[:3, None] if case.multi else positions[0]
    rope.apply_(x, None, ids, layout="bshd", transpose=not case.forward)
    return array


@functools.lru_cache(maxsize=4)
def _array(shape, kind):
    """Uniform numbers in [-1, 1]."""
    array = (np.random.default_rng(20210420).random(shape, np.float32) * 2 - 1).astype(TYPES[kind][1])
    array.setflags(write=False)
    return array


def _run(library, case, positions, suites, name):
    random = np.random.default_rng(20210421)
    array = _array(case.shape, case.type)
    factors = random.uniform(0.9, 1.1, case.ne[0] // 2 if case.mode == "vision" else case.n_dims // 2).astype(np.float32)
    factors = factors if case.ff else None
    theirs = library.rope(case, array, positions, factors)
    if case.inplace:
        rest = theirs.copy()
        case.view_of(rest)[:] = case.view_of(array)
        assert (rest == array).all()
        theirs = case.view_of(theirs)
    same, exact = suites
    half = HALF if case.type == "f16" else 0
    x = case.view_of(array)
    same.check(name, _by_tables(case, x, positions, factors, "ggml_float32"), theirs, atol=SAME_ANGLES, rtol=half)
    rope = _rope(case, factors)
    if rope is None:
        ours = _by_tables(case, x, positions, factors, "exact")
    else:
        whole = _in_place(case, rope, array, positions)
        ours = case.view_of(whole)
        rest = whole.copy()
        case.view_of(rest)[:] = x
        if not (rest == array).all():
            exact.fail(name, "rope.apply_ wrote beside its view")
            return
    exact.check(name, ours, theirs, atol=EXACT, rtol=half)


def _suites(name, step):
    return [Suite(f"{name}, angles {angles}", f"{bound:.2g}" + (" + 2^-10 relative, a step of the type" if step else ""))
            for angles, bound in (("ggml_float32", SAME_ANGLES), ("exact", EXACT))]


def run():
    library = Ggml()
    program = _suites("ggml's test-rope.cpp", 0)
    operators = {kind: _suites(f"ggml's test-backend-ops.cpp, ROPE and ROPE_BACK, {kind}", step) for kind, step in (("f32", 0), ("f16", HALF))}
    for case, results in rope_program():
        for name, positions in results.items():
            _run(library, case, positions, program, f"{case.mode} {name}")
    random = np.random.default_rng(512)
    for case in backend_ops():
        positions = random.integers(0, 512, (4 if case.multi else 1, case.ne[2]))
        _run(library, case, positions, operators[case.type], str(case))
    listed = (built() / "tests" / "test-backend-ops.cpp").read_text().count("new test_rope(")
    if listed != LISTED:
        operators["f32"][0].fail("the list of cases", f"expected {LISTED} lines with test_rope, found {listed}")
    for other in ("ROPE_SET_ROWS", "RMS_NORM_MUL_ROPE"):
        operators["f32"][0].exclude(other, "tests that a backend joins rope with other operators")
    return [*program, *operators["f32"], *operators["f16"]]
