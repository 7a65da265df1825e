"""Rotations as the models' own code has them, in NumPy alone: what tools/diagnose_corpus.py puts its faults into."""

import math

import numpy as np

def bf16(x):
    """float32 numbers rounded to bf16, as float32."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


def rounded(x, dtype):
    if dtype == "bf16":
        return bf16(x)
    return np.asarray(x, np.float16).astype(np.float32) if dtype == "f16" else np.asarray(x, np.float32)


def powers(base, dim):
    return 1.0 / base ** (np.arange(0, dim, 2) / dim)


def llama3(base, dim, factor, original=8192, low=1, high=4):
    w = powers(base, dim)
    wavelength = 2 * math.pi / w
    smooth = (original / wavelength - low) / (high - low)
    middle = (1 - smooth) * w / factor + smooth * w
    return np.where(wavelength > original / low, w / factor, np.where(wavelength < original / high, w, middle))


def yarn(base, dim, factor, original, fast=32, slow=1, truncate=True):
    def turns_at(beta):
        return dim * math.log(original / (beta * 2 * math.pi)) / (2 * math.log(base))

    low, high = turns_at(fast), turns_at(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
    w = powers(base, dim)
    return w / factor * ramp + w * (1 - ramp)


def longrope(base, dim, long=False):
    """Lists as of Phi-3.5: the short ones near 1, the long ones up to some 60."""
    pairs = dim // 2
    lists = {False: 1 + 0.6 * np.arange(pairs) / pairs, True: 1 + 60 * (np.arange(pairs) / pairs) ** 2}
    return powers(base, dim) / np.round(lists[long], 4)


def dynamic(base, dim, length=0, factor=2.0, original=32768):
    """The base grows with the length past the original one."""
    grown = base * (factor * max(length, original) / original - (factor - 1)) ** (dim / (dim - 2))
    return powers(grown, dim)


def mscale(factor, times=1.0):
    return 0.1 * times * math.log(factor) + 1


class Model:
    """What rotates one layer: a window of the head, its pairs, frequencies, axes and amplitude."""

    def __init__(self, name, head_dim, rot=None, base=10000.0, pairing="half", out=None, offset=0, scaled=None, amplitude=1.0,
                 sections=None, interleaved_sections=False, planes=0, layer=0, other_base=None, config=None, part=None, turns=True):
        self.name, self.head_dim, self.rot, self.base = name, head_dim, rot or head_dim, base
        self.pairing, self.out, self.offset, self.amplitude = pairing, out or pairing, offset, amplitude
        self.scaled, self.sections, self.interleaved_sections, self.planes = scaled, sections, interleaved_sections, planes
        self.layer, self.other_base, self.config, self.part, self.turns = layer, other_base, config, part, turns

    def inv_freq(self, base=None, scaled=True, **changed):
        base = base or self.base
        if scaled and self.scaled:
            return self.scaled(base, self.rot, **changed)
        # Of a vision tower the frequencies of each axis are those of half of the channels.
        return np.tile(powers(base, self.rot // self.planes), self.planes) if self.planes else powers(base, self.rot)

    def axes(self):
        if self.planes:
            return self.planes
        return 3 if self.sections else 1

    def axis_of_pairs(self, interleaved=None):
        interleaved = self.interleaved_sections if interleaved is None else interleaved
        if self.planes:
            return np.repeat(np.arange(self.planes), self.rot // 2 // self.planes)
        if not self.sections:
            return np.zeros(self.rot // 2, int)
        if not interleaved:
            return np.repeat(np.arange(3), self.sections)
        axis = np.zeros(self.rot // 2, int)
        for a in (1, 2):
            axis[a:3 * self.sections[a]:3] = a
        return axis


def linear(factor):
    return lambda base, dim, factor=factor: powers(base, dim) / factor


_LISTS = {f"{kind}_factor": np.round(powers(1e4, 96) / longrope(1e4, 96, kind == "long"), 4).tolist() for kind in ("short", "long")}
PHI_3_5 = {"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32,
           "rope_theta": 10000.0, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
           "rope_scaling": {"type": "longrope", **_LISTS}}


def models():
    llama = lambda factor: lambda base, dim, factor=factor: llama3(base, dim, factor)
    yarns = lambda factor, original, **more: lambda base, dim, factor=factor, **changed: yarn(base, dim, factor, original, **more | changed)
    return [
        Model("llama-2-7b", 128),
        Model("llama-3-8b", 128, base=5e5),
        Model("llama-3.1-8b", 128, base=5e5, scaled=llama(8)),
        Model("llama-3.2-1b", 64, base=5e5, scaled=llama(32)),
        Model("tinyllama-1.1b", 64),
        Model("gpt-j-6b", 256, rot=64, pairing="inter"),
        Model("gpt-neox-20b", 96, rot=24),
        Model("phi-2", 80, rot=32),
        Model("stablelm-2-1.6b", 64, rot=16),
        Model("qwen2-7b", 128, base=1e6),
        Model("qwen2.5-7b-yarn", 128, base=1e6, scaled=yarns(4, 32768), amplitude=mscale(4)),
        Model("gpt-oss-20b", 64, base=150000, scaled=yarns(32, 4096, truncate=False), amplitude=mscale(32)),
        Model("deepseek-v3", 192, rot=64, offset=128, pairing="inter", out="half", scaled=yarns(40, 4096)),
        Model("deepseek-coder-33b", 128, base=1e5, scaled=linear(4)),
        Model("vicuna-7b-v1.5-16k", 128, scaled=linear(4)),
        Model("gemma-2b", 256),
        Model("gemma-3-1b", 256, other_base=1e6),
        Model("glm-4-9b-chat", 128, rot=64, pairing="inter", base=5e6),
        Model("chatglm2-6b", 128, rot=64, pairing="inter"),
        Model("command-r7b", 128, pairing="inter", base=50000),
        Model("qwen2-vl-7b", 128, base=1e6, sections=(16, 24, 24)),
        Model("qwen3-vl-8b", 128, base=5e6, sections=(24, 20, 20), interleaved_sections=True),
        Model("qwen2-vl-7b", 80, planes=2, part="vision"),
        Model("phi-3.5-mini", 96, scaled=longrope, amplitude=(1 + math.log(32) / math.log(4096)) ** 0.5, config=PHI_3_5),
        Model("internlm2.5-7b", 128, base=1e6, scaled=dynamic),
        Model("smollm3-3b", 128, base=5e6, layer=3, turns=False),
        Model("minicpm-2b", 64),
        Model("mistral-nemo-12b", 128, base=1e6),
    ]


class Call:
    """One rotation: what a fault changes is a field."""

    def __init__(self, model, positions):
        self.model = model
        self.w = model.inv_freq()
        self.axis = model.axis_of_pairs()
        self.positions = positions.astype(np.float64)  # [axes, B, S]
        self.offset, self.rot = model.offset, model.rot
        self.pairing, self.out = model.pairing, model.out
        self.times, self.amplitude, self.all = float(model.turns), model.amplitude, 1.0
        self.apart = None  # how far apart halves are, if not half of the channels that turn
        self.exchanged = False
        self.angle = None  # another way to multiply
        self.table = None
        self.grouping, self.heads = "tokens", None

    def angles(self):
        """[B, S, pairs]"""
        positions = self.positions
        if self.grouping != "tokens":
            positions = np.broadcast_to(positions[:1], positions.shape)
        p = np.stack([positions[a] for a in self.axis], -1) if positions.shape[0] > 1 else positions[0][..., None]
        if self.angle:
            return self.angle(p, self.w)
        return p * self.w

    def channels(self, pairing):
        half = self.rot // 2
        i = np.arange(half)
        at = (i, i + (self.apart or half)) if pairing == "half" else (2 * i, 2 * i + 1)
        return self.offset + at[0], self.offset + at[1]

    def turn(self, x):
        """x [B, S, H, D]"""
        if self.heads is not None:
            x = x[:, :, self.heads]
        angles = self.times * self.angles()
        cos, sin = self.amplitude * np.cos(angles), self.amplitude * np.sin(angles)
        if self.exchanged:
            cos, sin = sin, cos
        if self.table:
            cos, sin = rounded(cos, self.table).astype(np.float64), rounded(sin, self.table).astype(np.float64)
        batch, length, heads, _ = x.shape
        if self.grouping == "tokens":
            cos, sin = cos[:, :, None], sin[:, :, None]
        elif self.grouping == "heads":
            cos, sin = cos[:, None, :heads], sin[:, None, :heads]
        else:  # row (s, h) takes the position (s H + h) mod S
            which = (np.arange(length)[:, None] * heads + np.arange(heads)) % length
            cos, sin = cos[:, which], sin[:, which]
        y = x.copy()
        a, b = self.channels(self.pairing)
        c, d = self.channels(self.out)
        xa, xb = x[..., a], x[..., b]
        y[..., c], y[..., d] = xa * cos - xb * sin, xb * cos + xa * sin
        return y * self.all
