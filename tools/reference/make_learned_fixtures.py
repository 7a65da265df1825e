"""testdata/reference/learned.json: the tables of positions that the classes of transformers keep, by their names and shapes.

Each class is built without memory (device meta), of sizes that are not its defaults. Its config holds what save_pretrained would
write, what differs from the defaults, and how wide the model is and how many heads it has. "without_tables" are those that keep none;
what "sets", "recurrent" and "rolls" say of models without positions is in positionless.py.
"""

import importlib
import json
import logging
import re
import signal
import warnings

import common
import positionless
import torch
import transformers
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES, model_type_to_module_name

SECONDS = 60  # of computing, for one class
TABLE = re.compile(r"posit|wpe|pos_emb|embed_pos|pos_enc|\bpe\b|(row|column)_embedder|relative_attention_bias|attn_rel", re.I)
NO_TABLE = re.compile(
    r"pos_conv|rel_pos|relative_position|rel_embed|\.gate|rel_k|continuous|distance|weight_integer|scaling_factor|norm|projector|rotary|"
    r"position_ids|pos_bias|\.bias$|running_|MLP|fourier|linear|inv_freq|convs?\.",
    re.I,
)
LAYERS = re.compile(r"num_hidden_layers|n_layers?|num_layers|encoder_layers|decoder_layers|num_(en|de)coder_layers|depth")
POSITIONS = re.compile(r"max_position_embeddings|n_positions|max_(source|target|encoder|decoder)_positions|(\w+_)?max_position(s|_embeddings)|n_ctx")
WIDTHS = re.compile(r"hidden_size|d_model|n_embd|embedding_size|embed_dim")
HEADS = re.compile(r"num_attention_heads|n_heads?|num_heads|(en|de)coder_(attention_)?heads|hidden_size|d_model|n_embd")
# What save_pretrained adds of its own.
NOT_OF_THE_MODEL = ("transformers_version", "dtype", "torch_dtype", "architectures", "id2label", "label2id")
# Keys of a picture, of one number or of its two sides.
PICTURE = ("image_size", "patch_size")


class TooLong(Exception):
    pass


def too_long(*_):
    raise TooLong


def model_class(model_type):
    """The class of AutoModel, else the shortest class of the module that has this config."""
    named = modeling_auto.MODEL_MAPPING_NAMES.get(model_type)
    if isinstance(named, (tuple, list)):
        named = named[0]
    if named and hasattr(transformers, named):
        return getattr(transformers, named)
    module = model_type_to_module_name(model_type)
    found = importlib.import_module(f"transformers.models.{module}.modeling_{module}")
    classes = [
        value
        for value in vars(found).values()
        if isinstance(value, type)
        and issubclass(value, transformers.PreTrainedModel)
        and getattr(value, "config_class", None) is CONFIG_MAPPING[model_type]
        and not value.__name__.endswith("PreTrainedModel")
    ]
    return min(classes, key=lambda value: len(value.__name__), default=None)


def of_both_sides(value, number):
    return [number] * len(value) if isinstance(value, (list, tuple)) else number


def first(value):
    return value[0] if isinstance(value, (list, tuple)) else value


def changes(defaults):
    """Groups of other sizes, to be left out one after the other where the class cannot have them."""
    groups = {"positions": {}, "widths": {}, "picture": {}}
    for key, value in defaults.items():
        if isinstance(value, bool) or value is None:
            continue
        if POSITIONS.fullmatch(key) and isinstance(value, int) and value > 1:
            groups["positions"][key] = value + 24
        if WIDTHS.fullmatch(key) and isinstance(value, int) and value > 1:
            groups["widths"][key] = value * 2
    if all(isinstance(first(defaults.get(key)), int) for key in PICTURE):
        patch = first(defaults["patch_size"]) * 2
        groups["picture"] = {
            "patch_size": of_both_sides(defaults["patch_size"], patch),
            "image_size": of_both_sides(defaults["image_size"], patch * 5),
        }
    return groups


def saved(config, defaults):
    """What save_pretrained writes of a config, and the sizes without which a file would say too little."""
    sizes = {key: value for key, value in defaults.items() if HEADS.fullmatch(key) and isinstance(value, int)}
    written = {key: value for key, value in config.to_diff_dict().items() if key not in NOT_OF_THE_MODEL}
    return {"model_type": config.model_type, **sizes, **written}


def tables(model_class_, config):
    with torch.device("meta"):
        state = model_class_(config).state_dict()
    return {
        name: list(value.shape)
        for name, value in state.items()
        if TABLE.search(name) and not NO_TABLE.search(name) and not re.search(r"\.[1-9]\d*\.", name)
    }


def case_of(model_type):
    config_class = CONFIG_MAPPING[model_type]
    defaults = config_class().to_dict()
    if any(isinstance(value, dict) and value.get("model_type") for value in defaults.values()):
        return None  # of parts, each of which has its own entry
    thin = {key: 1 for key, value in defaults.items() if LAYERS.fullmatch(key) and isinstance(value, int) and value > 1}
    cls = model_class(model_type)
    if cls is None:
        return None
    groups = changes(defaults)
    for left_out in ((), ("widths",), ("picture",), ("widths", "picture"), tuple(groups)):
        changed = {key: value for name, group in groups.items() if name not in left_out for key, value in group.items()}
        for layers in (thin, {}):
            try:
                config = config_class(**changed, **layers)
                found = tables(cls, config)
            except TooLong:
                raise
            except Exception:  # a size that this class cannot have
                continue
            return {"config": {**saved(config, defaults), "model_type": model_type}, "tables": found}
    return None


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    signal.signal(signal.SIGPROF, too_long)
    cases, without_tables, not_built = [], [], []
    for model_type in sorted(CONFIG_MAPPING_NAMES):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            case = case_of(model_type)
        except Exception:  # its module or its defaults need more than is installed
            case = None
            not_built.append(model_type)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if case and not case["tables"]:
            without_tables.append(model_type)
        elif case:
            cases.append(case)
    data = {
        "source": f"state_dict of the classes of transformers {transformers.__version__}",
        "cases": cases,
        "without_tables": without_tables,
        "not_built": not_built,
        **positionless.positionless(model_class),
    }
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    head = {key: value for key, value in data.items() if key != "cases"}
    text = json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "cases": [\n' + lines + "\n  ]\n}\n"
    json.loads(text)
    (common.OUTPUT / "learned.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
