"""What transformers' own classes say about the attention of each layer, for published configs and class defaults.

For every testdata/models/*/config.json whose model_type transformers has, and for the defaults of every class that
ropewalk knows: heads, scale, norms, mask and whatever else each layer does, as its own forward did it
(attention_probe.py). For the defaults, also which key of a config decides each fact: the key is changed, the model is
built again, and the facts that differ are listed.

A window's left and right are numbers of keys beside the query's own. With arguments, only those model types, into
attention_facts_of_some.json.
"""

import copy
import json
import logging
import re
import sys
import traceback
import warnings
from pathlib import Path

import common
from attention_keys import keys_of
from attention_facts_layers import doubts, layers_of
from attention_models import LEFT_OUT, build, default_config, inputs_of
from attention_probe import run
from make_model_fixtures import MODELS, text_of
from transformers import CONFIG_MAPPING, AutoConfig

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

ROOT = Path(__file__).resolve().parents[2]


def facts_of(config):
    """The kinds of layers of a config, each with the ranges of layers that are of it."""
    model = build(config)
    kinds = {}
    for (stack, index, name), facts in layers_of(model, run(model, inputs_of(model, config))):
        key = (stack, json.dumps({"module": name, **facts}))
        kinds.setdefault(key, []).append(index)
    stacks = sorted({stack for stack, _ in kinds}, key=[stack for stack, _ in kinds].index)
    layers = []
    for (stack, text), indices in kinds.items():
        facts = {"stack": stack, **json.loads(text)}
        layers.append({"layers": ranges(sorted(set(indices))), **facts})
    without = rest_of(model, stacks, kinds)
    return {"class": type(model).__name__, "kinds": layers + without}


def rest_of(model, stacks, kinds):
    """Layers in which no attention was called."""
    rest = []
    lists = {name: m for name, m in model.named_modules() if type(m).__name__ == "ModuleList"}
    names = [s for s in stacks if s in lists] or [n for n in lists if re.fullmatch(r"(model\.)?(layers|h|blocks)", n)]
    for name in names:
        seen = {i for (stack, _), indices in kinds.items() if stack == name for i in indices}
        missing = [i for i in range(len(lists[name])) if i not in seen]
        by_mixer = {}
        for i in missing:
            by_mixer.setdefault(mixer_of(lists[name][i]), []).append(i)
        rest += [{"layers": ranges(indices), "stack": name, "mixer": mixer} for mixer, indices in by_mixer.items()]
    return rest


def mixer_of(layer):
    names = " ".join(type(m).__name__ for m in layer.modules())
    if re.search("Conv(?!1D)", names) and not re.search("Mamba|Delta|Recurrent|RgLru|BambaMixer", names):
        return "convolution"
    return "recurrence" if re.search("Mamba|Delta|Recurrent|Lightning|RgLru|BambaMixer", names) else "none"


def ranges(indices):
    runs = []
    for i in indices:
        if runs and runs[-1][1] == i - 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return runs


def known_types():
    text = "".join(path.read_text() for path in sorted((ROOT / "ropewalk").glob("*/*.cc")))
    found = set(re.findall(r'\.name = "([^"]+)"', text)) & set(CONFIG_MAPPING)
    return sorted(name for name in found if not name.startswith("blt_"))  # parts of blt, whose masks it makes


def published():
    for path in sorted(MODELS.glob("*/config.json")):
        data = json.loads(path.read_text())
        if data["model_type"] in CONFIG_MAPPING:
            if data["model_type"] == "dbrx":
                data["rope_parameters"] = {"rope_type": "default", "rope_theta": data["attn_config"]["rope_theta"]}
            yield path.parent.name, data


def main():
    items, skipped = {}, []
    only = sys.argv[1:]
    for name, data in [] if only else published():
        try:
            config = AutoConfig.for_model(**{**LEFT_OUT.get(data["model_type"], {}), **copy.deepcopy(data)})
            text = text_of(config)  # of a type with encoder and decoder, a copy that lacks some of both
            config = config if config.is_encoder_decoder and type(text) is type(config) else text
            items[name] = {"model_type": config.model_type, **facts_of(config)}
        except Exception as error:
            skipped.append(reason(name, error))
    for model_type in only or known_types():
        try:
            config = default_config(model_type)
            name = f"default of {config.model_type}"
            if name not in items:
                items[name] = {"model_type": config.model_type, **facts_of(config)}
                items[name]["keys"] = keys_of(config.model_type, facts_of)
        except Exception as error:
            skipped.append(reason(model_type, error))
    write(items)
    print(len(items), "configs,", sum(len(item["kinds"]) for item in items.values()), "kinds of layers")
    for line in skipped:
        print("not built:", line)
    for cls, factor in sorted(doubts):
        print("a factor of q k besides the scale:", cls, factor)


def reason(name, error):
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} {str(error)[:120]}".replace("\n", " ")
    return f"{name}: {what} ({Path(frame.filename).name} {frame.lineno})"


def write(items):
    """One line for each kind of layer and for each key."""
    lines = []
    for name, item in items.items():
        head = {k: v for k, v in item.items() if k not in ("kinds", "keys")}
        inner = [f'"{k}": {json.dumps(v)}' for k, v in head.items()]
        inner.append('"kinds": [\n    ' + ",\n    ".join(json.dumps(kind) for kind in item["kinds"]) + "]")
        if item.get("keys"):
            inner.append('"keys": {\n    ' + ",\n    ".join(
                f"{json.dumps(k)}: {json.dumps(v)}" for k, v in item["keys"].items()) + "}")
        lines.append(f"  {json.dumps(name)}: {{" + ", ".join(inner) + "}")
    text = '{"versions": ' + json.dumps(common.VERSIONS) + ',\n"items": {\n' + ",\n".join(lines) + "}}\n"
    json.loads(text)
    name = "attention_facts.json" if len(sys.argv) == 1 else "attention_facts_of_some.json"
    common.OUTPUT.mkdir(parents=True, exist_ok=True)
    (common.OUTPUT / name).write_text(text)


if __name__ == "__main__":
    main()
