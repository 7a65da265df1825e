"""What is a value in Python: compared by what it holds, its own copy, and pickled, as workers that are spawned need it."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import ropewalk


def values():
    enc = ropewalk.read_model("llama-3-8b")
    rope = ropewalk.Rope(128, pairing="half_split", heads=32, kv_heads=8,
                         scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096})
    return {
        "Encoding": enc, "Layer": enc.layers[3], "Attention": enc.layers[3].attention, "Evidence": enc.evidence[0],
        "Rope": rope, "Rows": rope.rows([0, 5, 9], inverse=True), "Comparison": ropewalk.compare("llama-2-7b", enc),
    }


def test_every_class_is_here():
    classes = {name for name in ropewalk.__all__ if isinstance(getattr(ropewalk, name), type)}
    assert classes == {*values(), "Error", "KVCache", "Diagnosis"}  # a store that changes, and a result


@pytest.mark.parametrize("name", values())
def test_a_value_is_copied_pickled_and_compared(name):
    value = values()[name]
    assert type(value).__name__ == name
    assert copy.copy(value) is value and copy.deepcopy(value) is value and copy.deepcopy([value]) == [value]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(value, protocol))
        assert back == value and hash(back) == hash(value) and repr(back) == repr(value) and back is not value
    for other, different in values().items():
        if other != name:
            assert value != different
    state = value.__getstate__()
    for wrong in ((), (state,), 5, "x", state[:-1], (*state[:-1], object())):
        with pytest.raises(ropewalk.Error, match="pickle: expected one of this version") as caught:
            type(value).__new__(type(value)).__setstate__(wrong)
        assert caught.value.code == "malformed"


def test_other_values_differ():
    enc = ropewalk.read_model("llama-3-8b")
    assert enc != ropewalk.read_model("llama-2-7b") and enc.layers[0] != enc.layers[1]
    assert enc.layers[0].attention == enc.layers[1].attention or enc.layers[0].attention.to_dict()
    rope = enc.rope()
    assert rope.rows(3) == rope.rows(3) and rope.rows(3) != rope.rows(4) and rope.rows(3) != rope.rows(3, inverse=True)
    assert enc.evidence[0] != enc.evidence[1]


def test_every_model_is_pickled_whole(testdata):
    models = 0
    for folder in sorted((testdata / "models").iterdir()):
        config = folder / "config.json"
        if not config.exists():
            continue
        enc = ropewalk.read_model(config)
        back = pickle.loads(pickle.dumps(enc))
        assert back == enc and back.to_dict() == enc.to_dict() and repr(back) == repr(enc)
        models += 1
    assert models > 80


def test_another_process_has_the_same(random):
    used = values()
    x = random.standard_normal((1, 3, 32, 128)).astype(np.float32)
    code = ("import pickle, sys; v, x = pickle.load(sys.stdin.buffer); "
            "out = v['Rope'].apply(x, position_ids=7, layout='bshd'), v['Rows'].apply(x, layout='bshd'); "
            "pickle.dump((out, repr(v['Encoding'])), sys.stdout.buffer)")
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps((used, x)), stdout=subprocess.PIPE, check=True)
    (turned, by_rows), text = pickle.loads(done.stdout)
    assert (turned == used["Rope"].apply(x, position_ids=7, layout="bshd")).all()
    assert (by_rows == used["Rows"].apply(x, layout="bshd")).all() and text == repr(used["Encoding"])
