"""cos and sin correctly rounded to float32 at hard positions, as JSON: exact_cos_sin.json."""

import json

import mpmath
import numpy as np

import common
from make_rope_fixtures import llama_embedding

POSITIONS = [0, 1, 255, 256, 257, 2047, 2048, 2049, 65535, 2**24 - 1, 2**24, 2**24 + 1, 2**31, 2**53 + 1, 2**62]
POSITIONS += [2**63 - 1, -1, -2048, -(2**31), -(2**63)]
# sin(p * 2^-e) lies a hair below the midpoint of two floats: p has 25 bits, and sin x < x.
MIDPOINTS = [1, 2**24 + 1, 2**24 + 3, 2**25 - 1, -(2**24 + 3)]
# No midpoints for frequencies this small: the hair is below 2^-192 of a turn, the library's own unit.
TINY = [1, 2, 3, 1000, 2**24 - 1, -3]
PRECISIONS = (400, 640)  # bits; both must round to the same float32


def rounded_cos_sin(position, omega):
    """Hex float32 of cos and sin of position * omega(); omega() is evaluated at each precision."""
    if position == 0:
        return "0x1p+0", "0x0p+0"
    results = []
    for bits in PRECISIONS:
        with mpmath.workprec(bits):
            exact = mpmath.cos_sin(position * omega())
            # The value is within a few units of its last bit: both ends of a wide interval round alike.
            slack = mpmath.ldexp(1, 40 - bits)
            for sign in (-1, 1):
                results.append(tuple(common.nearest_float32(x * (1 + sign * slack)) for x in exact))
    assert len(set(results)) == 1, (position, results)
    return tuple(hex_float(x) for x in results[0])


def hex_float(value):
    """C's %a: 0x1.8p-3, without the zeros at the end."""
    mantissa, exponent = float(value).hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}p{exponent}"


def rows(positions, omega):
    """[position, cos, sin] for each position."""
    return [[str(p), *rounded_cos_sin(p, omega)] for p in positions]


def some(count):
    """At most twelve indices below `count`, first and last among them."""
    return sorted({round(i * (count - 1) / 11) for i in range(12)})


def group(positions, inv_freq):
    """Rows for one float32 frequency, taken as exact."""
    return {"inv_freq": hex_float(inv_freq), "rows": rows(positions, lambda: mpmath.mpf(float(inv_freq)))}


def stored():
    """Frequencies that models keep in float32, each taken as exact."""
    groups = []
    for theta in (10000.0, 500000.0, 1000000.0):
        vector = llama_embedding(128, theta).inv_freq.numpy()
        for i in some(len(vector)):
            groups.append({"rope_theta": theta, "dim": 128, "index": i, **group(POSITIONS, vector[i])})
    return groups


def special():
    """Midpoints of two floats, missed by a hair, and results that are subnormal."""
    midpoints = [group(MIDPOINTS, np.float32(2.0**-e)) for e in (40, 52, 60)]
    return midpoints + [group(TINY, np.float32(x)) for x in (2.0**-149, 1e-40, 2.0**-126)]


def ideal():
    """base^(-2i/dim) itself: the paper's spacing for d_model 512 and 5, fairseq's for 512 (dim 510)."""
    groups = []
    for dim, count in ((512, 256), (5, 3), (510, 256)):
        for i in some(count):
            omega = lambda: mpmath.power(10000, -mpmath.mpf(2 * i) / dim)  # noqa: E731
            groups.append({"base": 10000.0, "dim": dim, "index": i, "rows": rows(POSITIONS, omega)})
    return groups


def main():
    document = {
        "source": f"mpmath at {PRECISIONS[0]} and {PRECISIONS[1]} bits, rounded to nearest even float32 with integers; "
        "rows are [position, cos, sin]; stored, special: angle = position * inv_freq; "
        "ideal: angle = position * base^(-2 index/dim)",
        "versions": common.VERSIONS,
        "reference_error": {"cos, sin, ULP (correctly rounded)": 0.5},
        "stored": stored(),
        "special": special(),
        "ideal": ideal(),
    }
    text = json.dumps(document, sort_keys=True, indent=0, separators=(",", ":"))
    (common.OUTPUT / "exact_cos_sin.json").write_text(compact(text) + "\n")


def compact(text):
    """One row on one line: what `git diff` can show."""
    return text.replace("\n\"0x", "\"0x").replace("\n\"-0x", "\"-0x").replace("[\n\"", "[\"").replace("\"\n]", "\"]")


if __name__ == "__main__":
    main()
