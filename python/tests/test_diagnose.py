"""ropewalk.diagnose beside the command, on the committed dumps, and on rotations that NumPy makes."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import ropewalk

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import diagnose_corpus  # noqa: E402


def command(*words):
    done = subprocess.run([sys.executable, "-m", "ropewalk", "diagnose", *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout, done.returncode


def turned(x, base=500000.0, shift=0, inverse=1):
    """x [batch, seq, heads, dim], halves."""
    half = x.shape[-1] // 2
    angle = inverse * (np.arange(x.shape[1]) + shift)[:, None, None] * base ** (-np.arange(half) / half)
    a, b = x[..., :half].astype(np.float64), x[..., half:].astype(np.float64)
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], -1).astype(np.float32)


@pytest.fixture
def q(random):
    return random.standard_normal((1, 12, 32, 128)).astype(np.float32)


@pytest.mark.parametrize("folder, dump", (("llama-3-8b", "right"), ("llama-3-8b", "base_137000"), ("llama-3-8b", "one_too_many"),
                                          ("qwen2.5-7b-yarn", "scaling_missing"), ("qwen2-vl-7b", "one_axis_for_all")))
def test_it_says_what_the_command_says(testdata, folder, dump):
    of, model = testdata / "diagnose" / folder, testdata / "models" / folder
    ids = of / "positions.npy" if (of / "positions.npy").exists() else None
    given = ["--before", of / "before.npy", "--after", of / f"{dump}.npy", "--positions", ids or "37..41"]
    found = ropewalk.diagnose(model, before=np.load(of / "before.npy"), after=np.load(of / f"{dump}.npy"),
                              position_ids=np.load(ids) if ids else range(37, 41))
    text, code = command(model, *given)
    assert repr(found) + "\n" == text and found.consistent == (code == 0)
    assert found.to_dict() == json.loads(command(model, *given, "--json")[0])["diagnoses"][0]
    assert found.findings == found.to_dict()["findings"] and (found.first_wrong is None) == (dump == "right")
    assert found.verdict == ("consistent" if dump == "right" else "fault")


def test_scores_as_the_command(testdata):
    of = testdata / "diagnose_scores" / "llama-3-8b"
    q, k, scores = (np.load(of / f"{name}.npy") for name in ("q", "k", "scale_missing"))
    found = ropewalk.diagnose("llama-3-8b", scores=scores, q=q, k=k)
    cause = found.findings[0]["causes"][0]
    assert (cause["hypothesis"], cause["variant"]) == ("score_scale", "missing")
    given = ["llama-3-8b", "--scores", of / "scale_missing.npy", "--q", of / "q.npy", "--k", of / "k.npy"]
    assert repr(found) + "\n" == command(*given)[0]
    assert ropewalk.diagnose("llama-3-8b", scores=np.load(of / "softmax.npy"), q=q, k=k, after_softmax=True).consistent


def test_the_base_that_was_used_is_found(q):
    wrong, right = turned(q, base=10000.0), turned(q)
    assert ropewalk.diagnose("llama-3-8b", before=q, after=right).consistent
    for found in (ropewalk.diagnose("llama-3-8b", before=q, after=wrong),
                  ropewalk.diagnose(ropewalk.read_model("llama-3-8b"), mine=wrong, reference=right, layer=3)):
        cause = found.findings[0]["causes"][0]
        assert (cause["hypothesis"], cause["found"], cause["expected"]) == ("base", 10000.0, 500000.0)
        assert not found.consistent and found.residual_in_ulp > 1e6 and found.first_wrong["token"] == 1
    of_k = ropewalk.diagnose("llama-3-8b", before=q[:, :, :8], after=turned(q[:, :, :8], inverse=-1), name="k")
    assert of_k.findings[0]["causes"][0]["hypothesis"] == "direction" and repr(of_k).startswith("k [1, 12, 8, 128] bshd: not turned")


def test_without_a_model_the_rotation_is_found(q):
    found = ropewalk.diagnose(before=q, after=turned(q, shift=1))
    assert found.consistent and found.verdict == "found" and found.first_wrong is None and found.residual_in_ulp is None
    assert found.findings[0]["rope_theta"] == 500000.0 and found.to_dict()["tokens"] == 12
    assert ropewalk.diagnose(before=q, after=q).verdict == "not_found"


def test_without_a_model_two_dumps_tables_and_frequencies(tmp_path, q):
    wrong, right = turned(q, base=10000.0), turned(q)
    rope = ropewalk.read_model("llama-3-8b").rope()
    cos, sin = rope.cos_sin(range(12))
    for name, x in dict(mine=wrong, reference=right, cos=cos, sin=sin, inv_freq=rope.inv_freq).items():
        np.save(tmp_path / f"{name}.npy", x)
    for given in (("mine", "reference"), ("cos", "sin"), ("inv_freq",)):
        found = ropewalk.diagnose(**{name: np.load(tmp_path / f"{name}.npy") for name in given})
        words = [word for name in given for word in (f"--{name.replace('_', '-')}", tmp_path / f"{name}.npy")]
        assert found.to_dict() == json.loads(command(*words, "--json")[0]), given
        assert given == ("mine", "reference") or repr(found) + "\n" == command(*words)[0]
        assert found.findings == found.to_dict()["found"] != []
    found = ropewalk.diagnose(mine=wrong, reference=right)
    assert repr(found).startswith("mine beside reference: ") and found.verdict == "fault" and not found.consistent
    assert "llama-3-8b" in found.findings[0]["models"] and found.residual_in_ulp > 1e6
    assert ropewalk.diagnose(mine=right, reference=right).verdict == "consistent"
    assert ropewalk.diagnose(mine=q, reference=right).verdict == "fault"  # not rotated
    assert ropewalk.diagnose(mine=-q[..., ::-1], reference=right).verdict == "unexplained"
    table = ropewalk.diagnose(cos=cos, sin=sin)
    assert table.verdict == "found" and table.findings[0]["rope_theta"] == 500000.0 and table.findings[0]["pairs"] == 64
    assert "llama-3-8b" in ropewalk.diagnose(inv_freq=rope.inv_freq).findings[0]["models"]
    cis = (cos + 1j * sin).astype(np.complex64)
    assert ropewalk.diagnose("llama-3-8b", cos=cis.real, sin=cis.imag).consistent


def test_values_should_not_be_turned(q):
    v = q[:, :, :8]
    assert ropewalk.diagnose("llama-3-8b", before=v, after=v, name="v").consistent
    assert not ropewalk.diagnose("llama-3-8b", before=v, after=turned(v), name="v").consistent


def test_tables_and_frequencies(q):
    rope = ropewalk.read_model("llama-3-8b").rope()
    for form in ("half", "doubled", "interleaved"):
        cos, sin = rope.cos_sin(range(5, 25), form=form)
        assert ropewalk.diagnose("llama-3-8b", cos=cos, sin=sin, position_ids=5).consistent
        assert ropewalk.diagnose("llama-3-8b", cos=cos, sin=sin).findings[0]["causes"][0]["hypothesis"] == "positions"
    assert ropewalk.diagnose("llama-3-8b", inv_freq=rope.inv_freq).consistent
    found = ropewalk.diagnose("llama-3-8b", inv_freq=[1e4 ** (-i / 64) for i in range(64)])  # a list, float64
    assert found.findings[0]["causes"][0]["hypothesis"] == "base"


def test_arrays_are_read_where_they_are_in_any_layout(q):
    both = np.empty((1, 32, 12, 256), np.float32)
    both[..., ::2], both[..., 1::2] = q.swapaxes(1, 2), turned(q).swapaxes(1, 2)
    before, after = both[..., ::2], both[..., 1::2]
    before.flags.writeable = False
    kept = both.copy()
    assert ropewalk.diagnose("llama-3-8b", before=before, after=after).consistent  # bhsd by its 32 heads
    assert ropewalk.diagnose("llama-3-8b", before=before, after=after, layout="bhsd").consistent
    assert (both == kept).all()
    rounded = [x.astype(np.float16) for x in (before, after)]
    assert ropewalk.diagnose("llama-3-8b", before=rounded[0], after=rounded[1]).to_dict()["dtype"] == "f16"


@pytest.mark.parametrize("given, message", (
    (dict(), "found none of them"),
    (dict(before=1), r"expected before and after; .* found before"),
    (dict(before=1, after=1, cos=1, sin=1), "found before, after, cos, sin"),
    (dict(before=1, after=1, q_norm=1), "q_norm: expected with scores only, found before and after"),
    (dict(before="x", after="x"), "before: expected an array"),
    (dict(before=np.ones((1, 4, 32, 128), np.float32), after=np.ones((1, 5, 32, 128), np.float32)), r"after: expected the shape of before"),
    (dict(before=np.ones((1, 4, 32, 64), np.float32), after=np.ones((1, 4, 32, 64), np.float32)), "expected heads of 128 channels, found 64"),
    (dict(before=np.ones((1, 4, 32, 128), np.int32), after=np.ones((1, 4, 32, 128), np.int32)), "expected"),
    (dict(before=np.ones((1, 4, 32, 128), np.float32), after=np.full((1, 4, 32, 128), np.nan, np.float32)), "expected"),
    (dict(inv_freq=[1.0]), r"inv_freq: expected \[64\]"),
    (dict(inv_freq=[1.0], position_ids=0), "position_ids: expected none with inv_freq"),
    (dict(inv_freq=[1.0], layer=32), "layer: expected 0..31"),
    (dict(inv_freq=[1.0], layer=True), "layer: expected an integer, found True"),
    (dict(inv_freq=[1.0], layer=0, part="vision"), "layer, part: expected one of them, found both"),
    (dict(inv_freq=[1.0], part="vision"), "part: expected one of those in parts"),
    (dict(inv_freq=[1.0], seq_len=0), "seq_len: expected at least 1, found 0"),
    (dict(scores=1, q=1, k=1, prefix=1), "prefix: expected none"),
    (dict(scores=1, q=1, k=1, rotated=1), "expected"),
))
def test_what_is_refused(given, message):
    with pytest.raises(ropewalk.Error, match=message):
        ropewalk.diagnose("llama-3-8b", **given)


def test_what_is_refused_without_a_model_or_with_several_axes(q):
    with pytest.raises(ropewalk.Error, match="model: expected one"):
        ropewalk.diagnose(scores=q, q=q, k=q)
    with pytest.raises(ropewalk.Error, match="inv_freq: expected none|position_ids: expected none"):
        ropewalk.diagnose(inv_freq=[1.0], position_ids=1)
    with pytest.raises(ropewalk.Error, match="layer: expected with a model only"):
        ropewalk.diagnose(before=q, after=q, layer=0)
    with pytest.raises(ropewalk.Error, match=r"position_ids: expected shape \[2, batch, seq\], found None"):
        ropewalk.diagnose("chatglm-6b", before=q, after=q)
    with pytest.raises(TypeError, match="unexpected keyword argument 'befor'"):
        ropewalk.diagnose("llama-3-8b", befor=q)


@pytest.mark.parametrize("model, fault, tokens", (
    ("gpt-neox-20b", "pairs of the whole head", "64"), ("gpt-neox-20b", "as if the whole head turned", "4"),
    ("qwen2.5-7b-yarn", "a norm between", "64"), ("gpt-oss-20b", "betas swapped", "64"), ("llama-3-8b", "inv_freq in e4m3", "64"),
    ("llama-3-8b", "TF32", "64"), ("phi-3.5-mini", "long list", "4"), ("internlm2.5-7b", "as of 65536 tokens", "64"),
    ("smollm3-3b", "turned where it should not", "64"), ("qwen2-vl-7b", "row for column", "64"), ("llama-2-7b", "packed texts run on", "packed"),
))
def test_faults_of_the_corpus(model, fault, tokens):
    chosen = [case for case in diagnose_corpus.cases()
              if (case[0].name, [each[0] for each in case[1]], case[2], case[3]) == (model, [fault], tokens, "f32")]
    assert [diagnose_corpus.run_case((0, case))[1] for case in chosen] == ["first"]


def test_angles_of_a_float32_recurrence_as_in_ggml(q):
    half, angle = q.shape[-1] // 2, np.arange(12, dtype=np.float32)
    step, angles = np.float32(5e5) ** np.float32(-1 / half), []
    for _ in range(half):
        angles.append(angle)
        angle = angle * step
    c, s = (f(np.stack(angles, -1))[:, None].astype(np.float32) for f in (np.cos, np.sin))
    a, b = q[..., :half], q[..., half:]
    assert ropewalk.diagnose("llama-3-8b", before=q, after=np.concatenate([a * c - b * s, b * c + a * s], -1)).consistent
    after = q.copy()
    after[..., ::2], after[..., 1::2] = q[..., ::2] * c - q[..., 1::2] * s, q[..., 1::2] * c + q[..., ::2] * s
    causes = ropewalk.diagnose("llama-3-8b", before=q, after=after).findings[0]["causes"]
    assert [(cause["hypothesis"], cause["variant"]) for cause in causes] == [("pairing", "interleaved")]
