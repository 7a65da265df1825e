"""cos and sin rounded once to bf16 and f16, as JSON: half_cos_sin.json."""

import json
import struct

import mpmath
import numpy as np

import common
from make_rope_fixtures import llama_embedding

POSITIONS = [0, 1, 2, 255, 256, 257, 2047, 2049, 4095, 131071, 2**24 + 1, 2**31, 2**53 + 1, 2**63 - 1, -1, -2049, -(2**63)]
# (rope_theta, pair, position) of a head of 128 channels whose float32 cos or sin lies on a tie of the 16-bit type and
# came from the side to which a tie does not go: rounding that float32 again gives another number.
WRONG_TWICE = {
    "bf16": [(1e4, 25, 1640), (1e4, 8, 1647), (1e4, 47, 2308), (1e4, 63, 3411), (1e4, 33, 3655), (1e4, 26, 4038)]
    + [(5e5, 49, 1856), (5e5, 48, 2551), (5e5, 9, 2559), (5e5, 30, 7998)],
    "f16": [(1e4, 0, 300), (1e4, 36, 374), (1e4, 43, 381), (1e4, 61, 741), (1e4, 4, 774), (1e4, 1, 1229)]
    + [(5e5, 52, 553), (5e5, 56, 786), (5e5, 26, 895), (5e5, 21, 1186)],
}
# Sines that are subnormal in f16, and angles on a tie of each type: the sine is a hair below.
SMALL = [(2.0**-e, p) for e in (15, 18, 20, 24, 25, 30) for p in (1, 2, 3, 5, 255, 257, 259, 2049, 2051, -3, -2051)]
FORMATS = {"bf16": (8, -126), "f16": (11, -14)}


def bits_of(kind, number):
    """Four hexadecimal digits; zero has no sign."""
    number += 0.0
    if kind == "f16":
        return np.float16(number).tobytes()[::-1].hex()
    return struct.pack(">f", number)[:2].hex()


def exact(position, omega):
    with mpmath.workprec(640):
        return [mpmath.cos(position * mpmath.mpf(omega)), mpmath.sin(position * mpmath.mpf(omega))]


def twice(kind, value):
    """The float32 nearest to it, rounded again."""
    with mpmath.workprec(64):
        return common.nearest_float(mpmath.mpf(common.nearest_float32(value)), *FORMATS[kind])


def row(position, omega):
    """[inv_freq, position, bf16 cos, bf16 sin, f16 cos, f16 sin]."""
    numbers = []
    for kind, form in FORMATS.items():
        values = (1.0, 0.0) if position == 0 else [common.nearest_float(x, *form) for x in exact(position, omega)]
        numbers += [bits_of(kind, x) for x in values]
    return [float(omega).hex(), str(position), *numbers]


def frequency(theta, pair):
    return float(llama_embedding(128, theta).inv_freq.numpy()[pair])


def wrong_twice(kind):
    rows = []
    for theta, pair, position in WRONG_TWICE[kind]:
        omega = frequency(theta, pair)
        once = [common.nearest_float(x, *FORMATS[kind]) for x in exact(position, omega)]
        assert once != [twice(kind, x) for x in exact(position, omega)], (kind, theta, pair, position)
        rows.append(row(position, omega))
    return rows


def main():
    document = {
        "source": "mpmath at 640 bits, rounded to nearest even with integers; rows are [inv_freq, position, bf16 cos, bf16 sin, "
        "f16 cos, f16 sin], the numbers as bits",
        "versions": common.VERSIONS,
        "reference_error": {"cos, sin, ULP (correctly rounded)": 0.5},
        "models": [row(p, frequency(theta, i)) for theta in (1e4, 5e5) for i in (0, 7, 31, 63) for p in POSITIONS],
        "small": [row(p, omega) for omega, p in SMALL],
        "bf16_wrong_when_rounded_twice": wrong_twice("bf16"),
        "f16_wrong_when_rounded_twice": wrong_twice("f16"),
    }
    text = json.dumps(document, sort_keys=True, indent=0, separators=(",", ":"))
    text = text.replace("\n\"", "\"").replace("\"\n]", "\"]").replace("\n[\"", "\n[\"")
    (common.OUTPUT / "half_cos_sin.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
