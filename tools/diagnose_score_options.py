#!/usr/bin/env python3
"""What `ropewalk diagnose --scores` says of T5's bias, chunks, a prefix, padding, norms and rotated dumps: tools/diagnose_score_options.py
ROPEWALK. NumPy makes the scores, from formulas written out below. Prints each case that is not told as it was made, and how many were.
--write FOLDER makes those of the golden test, in f16, with fewer tokens.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from diagnose_scores_corpus import rounded, save, softmax, turn

TOKENS, HEADS, KEY_HEADS, DIM = (12 if "--write" in sys.argv else 24), 4, 2, 16
LLAMA = {"hidden_size": HEADS * DIM, "num_attention_heads": HEADS, "num_key_value_heads": KEY_HEADS, "head_dim": DIM, "num_hidden_layers": 4,
         "max_position_embeddings": 512, "rope_theta": 10000.0}


class Numbers:
    """Random numbers of a type."""

    def __init__(self, dtype):
        self.rng, self.dtype = np.random.default_rng(5), dtype

    def standard_normal(self, shape):
        return rounded(self.rng.standard_normal(shape), self.dtype)


def rms(x, weight, eps=1e-6):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weight


def products(q, k, scale):
    return scale * np.einsum("ihd,jhd->hij", q, np.repeat(k, q.shape[1] // k.shape[1], axis=1))


def hidden(s, mask):
    return np.where(mask, -np.inf, s)


I, J = np.arange(TOKENS)[:, None], np.arange(TOKENS)[None, :]


def t5_bucket(distance, both=True, buckets=8, most=16):
    """_relative_position_bucket of T5Attention; distance = key - query."""
    result = np.zeros_like(distance)
    if both:
        buckets //= 2
        result += (distance > 0) * buckets
        distance = np.abs(distance)
    else:
        distance = np.maximum(-distance, 0)
    exact = buckets // 2
    far = exact + (np.log(np.maximum(distance, 1) / exact) / math.log(most / exact) * (buckets - exact)).astype(int)
    return result + np.where(distance < exact, distance, np.minimum(far, buckets - 1))


def t5(rng):
    config = {"model_type": "t5", "d_model": HEADS * DIM, "d_kv": DIM, "num_heads": HEADS, "num_layers": 2, "vocab_size": 8,
              "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16}
    q, k = rng.standard_normal((2, TOKENS, HEADS, DIM))
    table = rng.standard_normal((8, HEADS))
    bias = table[t5_bucket(J - I)].transpose(2, 0, 1)
    s = products(q, k, 1.0)
    arrays = dict(q=q, k=k, bucket_bias=table)
    yield "t5 right", config, arrays, s + bias, [], None
    yield "t5 bias missing", config, arrays, s, [], ("bucket_bias", "missing")
    yield "t5 bias sign", config, arrays, s - bias, [], ("bucket_bias", "sign")
    yield "t5 bias of q - k", config, arrays, s + bias.transpose(0, 2, 1), [], ("bucket_bias", "mirrored")
    yield "t5 scaled", config, arrays, s / math.sqrt(DIM) + bias, [], ("score_scale", None)
    yield "t5 bias scaled too", config, arrays, (s + bias) / math.sqrt(DIM), [], ("score_scale", None, "bucket_bias", None)
    yield "t5 heads of the table in reverse", config, arrays, s + bias[::-1], [], ("bucket_bias", "reversed_heads")
    yield "t5 causal", config, arrays, hidden(s + bias, J > I), [], ("score_mask", "causal")


def chunks(rng):
    config = {"model_type": "llama4_text", **LLAMA, "attention_chunk_size": 7, "rope_theta": 500000.0, "use_qk_norm": True, "rms_norm_eps": 1e-5}
    q, k = rng.standard_normal((TOKENS, HEADS, DIM)), rng.standard_normal((TOKENS, KEY_HEADS, DIM))
    turned = [rms(turn(x, 500000.0, interleaved=True), 1.0, 1e-5) for x in (q, k)]
    s = products(*turned, DIM**-0.5)
    causal, other = J > I, J // 7 != I // 7
    arrays = dict(q=q, k=k)
    yield "chunks right", config, arrays, hidden(s, causal | other), [], None
    yield "chunks missing", config, arrays, hidden(s, causal), [], ("score_mask", "no_chunk")
    yield "window for chunks", config, arrays, hidden(s, causal | (J <= I - 7)), [], ("score_mask", "window_for_chunk")
    yield "chunks of 8", config, arrays, hidden(s, causal | (J // 8 != I // 8)), [], ("score_mask", "chunk")
    yield "chunks, scale missing", config, arrays, hidden(s * DIM**0.5, causal | other), [], ("score_scale", "missing")
    after = [rms(x, 1.0, 1e-5) for x in (q, k)]
    before = products(*(turn(x, 500000.0, interleaved=True) for x in after), DIM**-0.5)
    yield "norm before the rotation (without weights the same)", config, arrays, hidden(before, causal | other), [], None
    plain = products(*(turn(x, 500000.0, interleaved=True) for x in (q, k)), DIM**-0.5)
    yield "norm missing", config, arrays, hidden(plain, causal | other), [], ("score_norm", "missing")


def norms(rng):
    config = {"model_type": "qwen3", **LLAMA, "rms_norm_eps": 1e-6}
    q, k = 2 * rng.standard_normal((TOKENS, HEADS, DIM)), 2 * rng.standard_normal((TOKENS, KEY_HEADS, DIM))
    wq, wk = 1 + 0.3 * rng.standard_normal((2, DIM))
    arrays = dict(q=q, k=k, q_norm=wq, k_norm=wk)
    scale, causal = DIM**-0.5, J > I
    normed = rms(q, wq), rms(k, wk)
    right = hidden(products(turn(normed[0], 1e4), turn(normed[1], 1e4), scale), causal)
    yield "norms right", config, arrays, right, [], None
    yield "normed right", config, dict(q=normed[0], k=normed[1]), right, ["--normed"], None
    yield "rotated right", config, dict(q=turn(normed[0], 1e4), k=turn(normed[1], 1e4)), right, ["--rotated"], None
    yield "norms, q not rotated", config, arrays, hidden(products(normed[0], turn(normed[1], 1e4), scale), causal), [], ("score_turn", "q_not_rotated")
    yield "norms missing", config, arrays, hidden(products(turn(q, 1e4), turn(k, 1e4), scale), causal), [], ("score_norm", "missing")
    yield "norm after the rotation", config, arrays, hidden(products(rms(turn(q, 1e4), wq), rms(turn(k, 1e4), wk), scale), causal), [], ("score_norm", "after_rotation")
    yield "norms without weights", config, arrays, hidden(products(turn(rms(q, 1), 1e4), turn(rms(k, 1), 1e4), scale), causal), [], ("score_norm", "without_weights")
    yield "weights of q for k", config, arrays, hidden(products(turn(rms(q, wq), 1e4), turn(rms(k, wq), 1e4), scale), causal), [], ("score_norm", "of_q")
    yield "rotated, scale missing", config, dict(q=turn(normed[0], 1e4), k=turn(normed[1], 1e4)), right / scale, ["--rotated"], ("score_scale", "missing")
    yield "rotated once more", config, dict(q=turn(normed[0], 1e4), k=turn(normed[1], 1e4)), \
        hidden(products(turn(normed[0], 1e4, 2.0), turn(normed[1], 1e4, 2.0), scale), causal), ["--rotated"], ("score_turn", "twice")


def padding(rng):
    config = {"model_type": "llama", **LLAMA}
    q, k = rng.standard_normal((TOKENS, HEADS, DIM)), rng.standard_normal((TOKENS, KEY_HEADS, DIM))
    s = products(turn(q, 1e4), turn(k, 1e4), DIM**-0.5)
    mask = (np.arange(TOKENS) >= 5).astype(np.int64)
    causal = J > I
    # A row that sees nothing is as it is in no program: its own token stays.
    padded = (mask[None, :] == 0) & (I >= 5)
    arrays = dict(q=q, k=k, key_mask=mask[None])
    only = dict(q=q[5:], k=k, key_mask=mask[None])
    yield "padding right", config, only, hidden(s, causal | padded)[:, 5:], [], None
    yield "padding seen", config, only, hidden(s, causal)[:, 5:], [], ("score_mask", "padding_seen")
    yield "padding not told", config, dict(q=q[5:], k=k), hidden(s, causal | padded)[:, 5:], [], ("score_mask", "padding")
    yield "padding, scale missing", config, only, hidden(s, causal | padded)[:, 5:] / DIM**-0.5, [], ("score_scale", "missing")


def prefix(rng):
    config = {"model_type": "chatglm", "position_encoding_2d": True, "hidden_size": HEADS * DIM, "num_attention_heads": HEADS, "num_layers": 2,
              "max_sequence_length": 128, "bos_token_id": 130004, "vocab_size": 130528, "gmask_token_id": 130001, "mask_token_id": 130000}
    q, k = rng.standard_normal((2, TOKENS, HEADS, DIM))
    prompt = 9
    position = np.minimum(np.arange(TOKENS), prompt - 2)
    block = np.maximum(np.arange(TOKENS) - (prompt - 2), 0)

    def turn2(x):
        w = (10000.0 ** (-2 * np.arange(DIM // 4) / (DIM // 2))).astype(np.float16).astype(np.float64)
        out = []
        for half, p in ((x[..., :DIM // 2], position), (x[..., DIM // 2:], block)):
            angle = p[:, None, None] * w
            a, b = half[..., :DIM // 4], half[..., DIM // 4:]
            out += [a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)]
        return np.concatenate(out, -1)

    s = products(turn2(q), turn2(k), DIM**-0.5)
    mask = (J > I) & (J >= prompt)
    arrays = dict(q=q, k=k, positions=np.stack([position, block])[:, None])
    more = ["--prefix", str(prompt)]
    yield "prefix right", config, arrays, hidden(s, mask), more, None
    yield "prefix causal", config, arrays, hidden(s, J > I), more, ("score_mask", "no_prefix")
    yield "prefix one less", config, arrays, hidden(s, (J > I) & (J >= prompt - 1)), more, ("score_mask", "prefix")
    yield "prefix, scale missing", config, arrays, hidden(s / DIM**-0.5, mask), more, ("score_scale", "missing")


def told(binary, folder, config, arrays, s, more, dtype, softmaxed):
    folder = pathlib.Path(folder)
    (folder / "config.json").write_text(json.dumps(config))
    command = [binary, "diagnose", str(folder / "config.json"), "--json", "--bf16"] + more + ["--after-softmax"] * softmaxed
    for name, x in arrays.items():
        if name in ("key_mask", "positions"):
            np.save(folder / f"{name}.npy", x)
        else:
            save(folder / f"{name}.npy", rounded(x, dtype), dtype if name in "qk" else "f32")
        command += ["--" + name.replace("_", "-"), str(folder / f"{name}.npy")]
    save(folder / "s.npy", rounded(softmax(s) if softmaxed else s, dtype), dtype)
    done = subprocess.run(command + ["--scores", str(folder / "s.npy")], capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr.strip()}", []
    result = json.loads(done.stdout)["diagnoses"][0]
    return result["verdict"], [[(c["hypothesis"], c["variant"]) for c in f["causes"]] for f in result["findings"]]


def main():
    count = right = 0
    for make in (t5, chunks, norms, padding, prefix):
        for dtype in ("f32", "bf16"):
            for name, config, arrays, s, more, fault in make(Numbers(dtype)):
                for softmaxed in (False, True):
                    with tempfile.TemporaryDirectory() as folder:
                        verdict, findings = told(sys.argv[1], folder, config, arrays, s, more, dtype, softmaxed)
                    wanted = [] if fault is None else [fault[i:i + 2] for i in range(0, len(fault), 2)]
                    if fault is None:
                        good = verdict == "consistent"
                    else:
                        good = bool(findings) and len(findings[0]) == len(wanted) and all(
                            any(h == g and v in (None, w) for g, w in findings[0]) for h, v in wanted)
                    count += 1
                    right += good
                    if not good:
                        print(f"{name}, {dtype}, softmax {softmaxed}: wanted {wanted or 'consistent'}, {verdict} {findings}")
    print(f"{right} of {count} told as they were made")


def write(folder):
    """Small ones for the golden test."""
    wanted = {t5: ("t5 right", "t5 heads of the table in reverse"), chunks: ("chunks of 8",), padding: ("padding seen",),
              norms: ("norms right", "norm after the rotation", "rotated once more"), prefix: ("prefix causal",)}
    for make, names in wanted.items():
        for name, config, arrays, s, more, _ in make(Numbers("f16")):
            if name not in names:
                continue
            place = pathlib.Path(folder) / name.replace(" ", "_")
            place.mkdir(parents=True, exist_ok=True)
            (place / "config.json").write_text(json.dumps(config) + "\n")
            for key, x in arrays.items():
                np.save(place / f"{key}.npy", x if key in ("key_mask", "positions") else x.astype(np.float16 if key in "qk" else np.float32))
            save(place / "s.npy", rounded(s, "f16"), "f16")


if __name__ == "__main__":
    write(sys.argv[2]) if sys.argv[1] == "--write" else main()
