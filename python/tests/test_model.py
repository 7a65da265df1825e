import json
import subprocess
import sys

import numpy as np
import pytest
import ropewalk


def command(*words, check=True):
    return subprocess.run([sys.executable, "-m", "ropewalk", *map(str, words)], check=check, capture_output=True, text=True)


def test_a_model_from_a_path_a_folder_a_dict_and_a_preset(testdata):
    folder = testdata / "models" / "llama-3.1-8b"
    enc = ropewalk.read_model(folder / "config.json")
    assert enc.model_type == "llama" and enc.heads == 32 and enc.kv_heads == 8 and enc.max_positions == 131072
    assert enc.layers[5].rope.rope_type == "llama3" and len(enc.layers) == 32
    assert enc.layers[5].attention.softmax_scale == pytest.approx(128**-0.5)
    assert enc.layers[5].attention.mask == "causal" and enc.layers[5].attention.softcap is None
    assert ropewalk.read_model(str(folder)).layers[5].rope == enc.layers[5].rope
    assert any(fact.field == "rope_theta" and fact.value == "500000" and "/rope_theta" in fact.source for fact in enc.evidence)
    config = json.loads((folder / "config.json").read_text())
    assert ropewalk.read_model(config).layers[5].rope == enc.rope(5)

    class Config:  # as PretrainedConfig of transformers
        model_type = "llama"

        def to_dict(self):
            return config

    assert ropewalk.read_model(Config()).rope() == enc.rope()
    scaled = ropewalk.read_model(config, scaling={"rope_type": "linear", "factor": 2.0})
    assert scaled.rope().rope_type == "linear"
    assert "llama-2-7b" in ropewalk.preset_names() and ropewalk.read_model("llama-2-7b").rope().base == 10000


@pytest.mark.parametrize("name", ("llama-3-8b", "baichuan-13b", "models/qwen2-vl-7b", "models/deepseek-v3", "models/gpt-oss-20b",
                                  "models/m2m100-418m"))
def test_repr_is_what_show_prints(testdata, name):
    source = testdata / name / "config.json" if "/" in name else name
    shown = command("show", source).stdout
    assert repr(ropewalk.read_model(source)) + "\n" == shown and "evidence" in shown


def test_what_a_model_has_not(testdata):
    enc = ropewalk.read_model("baichuan-13b")
    assert enc.layers[0].rope is None and enc.layers[0].positions["kind"] == "alibi"
    assert (enc.layers[0].alibi_slopes == ropewalk.alibi_slopes(40)).all()
    with pytest.raises(ropewalk.Error, match="alibi"):
        enc.rope()
    with pytest.raises(ropewalk.Error, match="part: expected"):
        enc.rope(part="vision")
    with pytest.raises(ropewalk.Error, match="layer: expected"):
        ropewalk.read_model("llama-2-7b").rope(32)
    with pytest.raises(ropewalk.Error) as caught:
        ropewalk.read_model({"model_type": "no_such_thing"})
    assert caught.value.code == "unsupported" and "no_such_thing" in str(caught.value)
    with pytest.raises(ropewalk.Error) as caught:
        ropewalk.read_model("/no/such/file")
    assert caught.value.code == "io"


def test_two_axes_need_two_lists_of_positions():
    rope = ropewalk.read_model("chatglm-6b").rope()
    x = np.ones((1, 4, 32, 128), np.float32)
    with pytest.raises(ropewalk.Error, match=r"position_ids: expected shape \[2, batch, seq\]"):
        rope.apply_(x, None, 0, layout="bshd")
    ids = ropewalk.positions.chatglm([5, 6, 130001, 130004])
    assert ids.tolist() == [[[0, 1, 2, 2]], [[0, 0, 0, 1]]]
    rope.apply_(x, None, ids, layout="bshd")


def test_the_command_rotates_to_the_same_bits(tmp_path, random):
    q, k = (random.standard_normal((1, 5, heads, 128)).astype(np.float32) for heads in (32, 8))
    np.save(tmp_path / "q.npy", q)
    np.save(tmp_path / "k.npy", k)
    for name, x in (("q", q), ("k", k)):
        command("rotate", "llama-3-8b", "--q", tmp_path / f"{name}.npy", "--layout", "bshd",
                "-o", tmp_path / f"{name}-out.npy")
    of_q, of_k = ropewalk.read_model("llama-3-8b").rope().apply(q, k, 0, layout="bshd")
    assert (np.load(tmp_path / "q-out.npy") == of_q).all() and (np.load(tmp_path / "k-out.npy") == of_k).all()


def test_compare():
    assert ropewalk.compare("llama-2-7b", ropewalk.read_model("llama-2-7b")).alike
    found = ropewalk.compare("llama-2-7b", "llama-3-8b")
    assert not found.alike
    assert any(each["field"] == "rope_theta" and each["a"] == 10000 and each["b"] == 500000 for each in found.differences)
    shown = json.loads(command("show", "llama-2-7b", "llama-3-8b", "--json", check=False).stdout)
    assert found.to_dict() == {key: shown[key] for key in found.to_dict()}


def test_the_command_s_exit_codes():
    assert command("show", "/no/such/file", check=False).returncode == 4
    assert command("--version").stdout.split()[1] == ropewalk.__version__
