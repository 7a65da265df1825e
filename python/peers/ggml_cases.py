"""The cases of rope in ggml's own tests, test-rope.cpp and test-backend-ops.cpp of the pinned llama-cpp-python."""

import dataclasses
import itertools

import numpy as np

# Their freq_scale 1.4245, as far as a factor says it: 1 / 0.7020007 in float32, one step less.
SCALE = float(np.float32(1) / np.float32(1 / 1.4245))
LISTED = 51  # lines of test-backend-ops.cpp with `new test_rope(`, all of which are below


@dataclasses.dataclass(frozen=True)
class Case:
    """test_rope's arguments, in its order and with its names; then what test-rope.cpp sets."""

    type: str
    ne: tuple  # head_dim, heads, tokens, sequences
    dims: int
    mode: str
    fs: float = 1.0  # freq_scale
    ef: float = 0.0  # ext_factor
    af: float = 1.0  # attn_factor
    ff: bool = False  # frequency factors
    view: int = 0  # 1: a corner of a larger tensor, 2: the second half of its channels
    forward: bool = True
    inplace: bool = False
    offset: int = 0  # the first channel that turns
    sections_given: tuple | None = None
    base: float = 10000.0
    n_ctx_orig: int = 0
    beta_fast: float = 1.0
    beta_slow: float = 1.0

    @property
    def multi(self):
        return self.mode in ("mrope", "imrope", "vision")

    @property
    def n_dims(self):
        return self.dims // 2 if self.mode == "vision" else self.dims

    @property
    def sections(self):
        if self.sections_given:
            return self.sections_given
        return (self.dims // 4, self.dims // 4, 0, 0) if self.mode == "vision" else (self.dims // 3,) * 3 + (0,)

    @property
    def shape(self):
        """Of the tensor that holds what is turned."""
        head_dim, heads, tokens, sequences = self.ne
        if self.view == 1:
            return sequences, tokens * 3, heads * 4, head_dim * 2
        return sequences, tokens, heads, head_dim * (2 if self.view == 2 else 1)

    def view_of(self, array):
        head_dim, heads, tokens, _ = self.ne
        if self.view == 1:
            return array[:, :tokens, :heads, :head_dim]
        return array[..., head_dim:] if self.view == 2 else array

    def __str__(self):
        said = [f"{self.type} {list(self.ne)} dims {self.dims} {self.mode}"]
        for field in dataclasses.fields(self)[4:]:
            value = getattr(self, field.name)
            if value != field.default:
                said.append(f"{field.name} {value:g}" if isinstance(value, float) else f"{field.name} {value}")
        return ", ".join(said)


_SMALL = (((128, 32, 2, 1), 128, "normal"),)
_ALL = (
    *(((128, heads, 2, 1), 128, "normal") for heads in (40, 52, 64)),
    ((16, 16, 8192, 1), 16, "normal"),
    *(((64, heads, 2, 1), 64, "neox") for heads in (1, 71, 8)),
    *(((80, 32, tokens, 1), dims, mode) for mode in ("normal", "neox") for tokens, dims in ((2, 20), (2, 32), (4, 32))),
    ((16, 16, 8192, 1), 16, "neox"),
    *(((128, heads, 2, 1), dims, mode) for mode in ("mrope", "imrope")
      for heads, dims in ((12, 128), (28, 128), (12, 20), (28, 32))),
    ((80, 16, 2, 1), 80, "vision"),
    ((128, 16, 2, 1), 128, "imrope"),
    ((16, 16, 8192, 1), 16, "imrope"),
)
_LAST = (((64, 128, 2, 1), 64, "neox"),)
_MODELS = (
    ((128, 32, 512, 1), 128, "normal"),
    ((128, 64, 512, 1), 128, "normal"),
    ((80, 32, 512, 1), 20, "neox"),
    ((64, 8, 512, 1), 64, "neox"),
    ((128, 12, 512, 1), 128, "mrope"),
    ((128, 12, 512, 1), 128, "imrope"),
    ((80, 16, 2, 1), 80, "vision"),
)
_MODES = ("normal", "neox", "mrope", "imrope", "vision")


def backend_ops():
    """Of make_test_cases_eval and make_test_cases_perf; the last four of the latter are those of the former."""
    odd = dict(fs=SCALE, ef=0.7465, af=1.4245)
    for forward, fs, ef, af, kind, ff in itertools.product(
        (True, False), (1.0, SCALE), (0.0, 0.7465), (1.0, 1.4245), ("f32", "f16"), (False, True)
    ):
        how = dict(fs=fs, ef=ef, af=af, ff=ff, forward=forward)
        everything = (fs, ef, af, kind) == (1.0, 0.0, 1.0, "f32")
        for view in (0, 1):
            for what in (*_SMALL, *(_ALL if everything else ()), *_LAST):
                yield Case(kind, *what, **how, view=view)
        for mode in _MODES:
            yield Case(kind, (36, 16, 2457, 1), 36, mode, **how, view=2)
    for kind, mode, ff, (view, sequences) in itertools.product(("f32", "f16"), _MODES, (False, True), ((0, 1), (1, 1), (1, 3))):
        yield Case(kind, (128, 32, 2, sequences), 128, mode, **odd, ff=ff, view=view, inplace=True)
    for kind in ("f32", "f16"):
        for forward, ff in itertools.product((True, False), (False, True)):
            for heads, dims, mode in ((32, 32, "normal"), (32, 32, "neox"), (12, 24, "mrope"), (12, 24, "imrope")):
                yield Case(kind, (128, heads, 2, 1), dims, mode, **odd, ff=ff, forward=forward, offset=32)
        yield Case(kind, (128, 32, 2, 1), 32, "neox", **odd, inplace=True, offset=32)
    for ne, dims, mode, ff in (((256, 8, 512, 1), 64, "imrope", False), ((256, 16, 512, 1), 64, "imrope", False),
                               ((256, 8, 512, 1), 256, "neox", False), ((512, 8, 512, 1), 128, "neox", True)):
        yield Case("f32", ne, dims, mode, ff=ff)
    for forward, kind, ff, view in itertools.product((True, False), ("f32", "f16"), (False, True), (0, 1)):
        for what in _MODELS:
            yield Case(kind, *what, ff=ff, view=view, forward=forward)


def rope_program():
    """test-rope.cpp: of each mode the positions of its r0, r1 and r2, [axes, tokens]."""
    token, axis = np.arange(73), np.arange(4)[:, None]
    for mode in ("normal", "neox", "mrope", "vision", "imrope"):
        several = dict(sections_given=(16, 24, 24, 0), base=1e6, n_ctx_orig=32768, beta_fast=32.0)
        # ggml_rope_multi gets n_rot = 128 for the vision mode too
        dims = 256 if mode == "vision" else 128
        case = Case("f32", (256, 32, 73, 1), dims, mode, **(several if mode in ("mrope", "vision", "imrope") else {}))
        axes = axis if case.multi else axis[:1]
        yield case, {"r0": 100 + token + axes, "r1": np.full((len(axes), 73), 33 - 100), "r2": 33 + token + axes}
