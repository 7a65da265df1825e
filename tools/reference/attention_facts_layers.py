"""What the events of one forward (attention_probe.py) say about each layer of a model."""

import inspect
import re

import torch
from attention_probe import made

# What a class does to q, k or v itself, as a factor of its own; checked against the first score.
Q_FACTOR = {"MuseGlimmerTextAttention": "qk_scale_factor", "MuseSparkTextAttention": "qk_scale_factor"}
K_FACTOR = {"FalconH1Attention": "key_multiplier"}
V_FACTOR = {"MiMoV2FlashAttention": "v_scale"}
# q and k are each multiplied by `scaling` before a softmax of scale 1; or q alone is.
SCALE_ON_BOTH = ("OpenAIPrivacyFilterAttention",)
SCALE_ON_Q = {"EsmSelfAttention": "attention_head_size", "EvollaSaProtSelfAttention": "attention_head_size",
              "WhisperAttention": "head_dim"}
# Its scores are its own product; the score where neither rotation nor bias is: of the first or the last token.
LAST_SCORE = ("MptAttention",)
ROTATES_INSIDE = ("RoFormerSelfAttention", "EsmSelfAttention")  # a method, not a function of the file, turns q and k
doubts = set()  # classes whose first score is not what the facts say: a factor that no table here knows
OTHER = {
    "BeamAttention": "q of layers without rotation times (1 + (position + 1) / 2048)^0.1; a bias of the gate per head",
    "DiffLlamaAttention": "difference of two softmaxes, norm of the result per pair of heads",
    "DogeAttention": "mask from v: dynamic, the keep_window_size best keys",
    "ZayaAttention": "q and k through a convolution and a mean with each other; v half of the token before",
    "TimesFm2_5Attention": "q times softplus of a learned scale of each channel, 1.442695041 / sqrt(head_dim)",
    "MistralLarge4TextAttention": "q times scale[head] ln(1 + position) + bias[head]; only keys that an indexer picks",
    "DeepseekV4Attention": "one k that is also v; compressed keys beside the window; output turned back",
    "MuseGlimmerAssistantAttention": "its keys are those of a context, then its own",
    "LongcatFlashMLA": "q times (hidden_size / q_lora_rank)^0.5, the latent of k, v (hidden_size / kv_lora_rank)^0.5",
    "T5Gemma2MergedAttention": "the encoder's keys, without rotation, behind its own; the mask is of its own keys",
    "UnlimitedOcrTextAttention": "tokens after the prompt see the prompt and a window of their own",
    "JetMoeAttention": "q and output by experts: each key head serves top_k of them",
}
QK_NAMES = ("q_norm", "k_norm", "qk_norm", "q_layernorm", "k_layernorm", "query_layernorm", "key_layernorm", "q_norm_",
            "norm_q", "norm_k", "q_b_norm", "q_layer_norm", "k_layer_norm")


def layers_of(model, events):
    """[(where, facts)] of each call of attention, in order; where: (stack, index, name in the layer)."""
    found, open_calls = [], []
    for what, scope, details in events:
        if what == "enter":
            open_calls.append({"scope": scope, "events": [], "mask": details["mask"]})
        elif what == "leave":
            call = open_calls.pop()
            part = re.search("Indexer|Compressor", type(call["scope"][1]).__name__)
            if not part and any(e[0] in ("attend", "softmax") for e in call["events"]):
                found.append((place_of(call["scope"][0]), facts_of(call)))
        elif open_calls:
            open_calls[-1]["events"].append((what, details))
    return found


def place_of(name):
    match = re.match(r"(.*?)\.?(\d+)(?:\.(.*))?$", name) or re.match(r"(.*)()()", name)
    stack, index, rest = match.groups()
    return stack, int(index or 0), rest or ""


def facts_of(call):
    module = call["scope"][1]
    cls, events = type(module).__name__, call["events"]
    first = next((d for w, d in events if w == "attend"), None)
    start = next(i for i, (w, _) in enumerate(events) if w == ("attend" if first else "softmax"))
    before, after = events[:start], events[start + 1:]
    facts = {"class": cls, "mixer": "cross_attention" if is_cross(call) else "attention"}
    facts.update(sizes_of(module, first, before))
    facts["softmax_scale"], factors = scale_of(module, first, events[start][1], facts["head_dim"])
    facts.update(factors)
    facts.update(mask_of(call, first))
    facts.update({"rotates": any(w == "rotate" for w, _ in before) or cls in ROTATES_INSIDE})
    facts.update(norms_of(before, after, facts, call["scope"][0]))
    if first and first["softcap"]:
        facts["softcap"] = float(first["softcap"])
    if first and first["sinks"]:
        facts["sinks"] = True
    facts.update(gate_of(module, after, facts))
    clamp = next((d for w, d in before if w in ("clamp", "clamp_") and (d.get("max") or 0) < 1e4), None)
    if clamp and clamp.get("max"):
        facts["clip_qkv"] = float(clamp["max"])
    facts.update(query_scale_of(module, before))
    if getattr(getattr(module, "config", None), "alibi", False) is True and cls == "FalconAttention":
        facts["alibi_times_scale"] = True
    facts["biases"] = sorted({d["name"] for w, d in events if w == "linear" and d["bias"]})
    if cls in OTHER or hasattr(module, "indexer"):
        facts["other"] = OTHER.get(cls, "only keys that an indexer picks")
    return facts


def is_cross(call):
    name = call["scope"][0].split(".")[-1]
    return bool(re.search("cross|encoder_attn|encdec", name + type(call["scope"][1]).__name__, re.I))


def sizes_of(module, first, before):
    if first:
        q, k, v = first["q"], first["k"], first["v"]
        return {"heads": q[1], "kv_heads": k[1], "head_dim": q[-1], "value_dim": v[-1]}
    heads = next(getattr(module, k) for k in ("num_heads", "num_attention_heads", "n_heads") if hasattr(module, k))
    head_dim = next(getattr(module, k) for k in ("head_dim", "head_size", "attention_head_size") if hasattr(module, k))
    kv_heads = getattr(module, "num_kv_heads", heads)
    if getattr(module, "multi_query", False) and not getattr(module, "new_decoder_architecture", False):
        kv_heads = 1
    return {"heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "value_dim": head_dim}


def scale_of(module, first, softmax, head_dim):
    """The factor of q k, and other factors of q, k and v that are not it."""
    cls, factors = type(module).__name__, {}
    for name, table in (("query_multiplier", Q_FACTOR), ("key_multiplier", K_FACTOR), ("value_multiplier", V_FACTOR)):
        if cls in table and getattr(module, table[cls]) != 1:
            factors[name] = float(getattr(module, table[cls]))
    yarn = "yarn" in str(getattr(module.config, "rope_parameters", "")) if hasattr(module, "config") else False
    known = yarn or cls in OTHER or cls in SCALE_ON_BOTH or cls in SCALE_ON_Q
    if first and first["score"] and not known:  # YaRN's factor in cos and sin is not the scale's
        unexplained = first["score"] / factors.get("query_multiplier", 1) / factors.get("key_multiplier", 1)
        if abs(unexplained - 1) > 2e-3:
            doubts.add((cls, round(unexplained, 4)))
    if first is None:  # q and k are ones, so the score is head_dim times the scale
        score = softmax["last" if cls in LAST_SCORE else "first"]
        exact = head_dim**-0.5
        return exact if abs(score / head_dim / exact - 1) < 1e-6 else rounded(score / head_dim), factors
    scale = float(first["scaling"] if first["scaling"] is not None else head_dim**-0.5)
    if cls in SCALE_ON_BOTH:
        scale *= module.scaling**2
    if cls in SCALE_ON_Q:
        scale *= getattr(module, SCALE_ON_Q[cls]) ** -0.5
    return rounded(scale), factors


def mask_of(call, first):
    mask = first["mask"] if first else call["mask"] or "changed"
    if mask == "changed" and call["mask"]:
        mask = call["mask"]
    if mask == "changed" and not is_cross(call):  # a copy of the only one that was made of this kind
        local = bool(getattr(call["scope"][1], "sliding_window", None))
        alike = [m for m in made if (m["left"] >= 0) == local] if len(made) > 1 else made
        alike = [m for m in alike if m["right"] == 0] if len(alike) > 1 else alike
        mask = alike[0] if len(alike) == 1 else mask
    if mask is None:
        return {"mask": "full"}
    if not isinstance(mask, dict):
        return {"mask": "by the class"}
    facts = {"mask": "causal" if mask["right"] == 0 else "full"}
    if mask.get("chunk"):
        facts["chunk"] = mask["chunk"]
    if mask["left"] >= 0:
        facts["window_left"], facts["window_right"] = mask["left"], mask["right"]
    return facts


def norms_of(before, after, facts, scope):
    found = {}
    turns = [i for i, (w, _) in enumerate(before) if w == "rotate"]
    for i, (what, details) in enumerate(before):
        if what != "norm" or not details["name"].startswith(scope + "."):
            continue
        name = details["name"].split(".")[-1]
        projected = any(w == "linear" for w, _ in before[:i])
        if "input_norms" in found or not projected:  # a norm of what is projected, not of q or k
            found.setdefault("input_norms", []).append(name)
        elif name in QK_NAMES:
            place = "after" if turns and i > turns[0] else "before"
            found.setdefault("norm", {**norm_of(details, facts), "place": place})
            if name.startswith(("k", "norm_k")):
                found["k_norm_weight"] = shapes_of(details["module"])
        elif name == "v_norm":
            found["v_norm"] = norm_of(details, facts)
        else:
            found.setdefault("latent_norms", []).append(name)
    if not facts["rotates"] and "norm" in found:
        found["norm"]["place"] = "no rotation"
    weights = found.pop("k_norm_weight", [])
    if "norm" in found and weights != found["norm"].get("weight_shape", []):
        found["norm"]["k_weight_shape"] = weights
    for what, details in after:
        if what == "norm" and details["name"].startswith(scope + "."):
            found["output_norm"] = norm_of(details, facts)
    return found


def shapes_of(module):
    shapes = [list(p.shape) for p in module.parameters()]
    return shapes[0] if shapes else []


def norm_of(details, facts):
    """What a norm does to numbers that are not all alike."""
    module, width = details["module"], details["shape"][-1]
    x = torch.randn(details["shape"], generator=torch.Generator().manual_seed(1))
    parameters = list(module.parameters())
    offset, bias = False, any(n.endswith("bias") for n, _ in module.named_parameters())
    y = call_norm(module, x)
    if parameters and not bias:  # with all weights zero, what is left is the 1 of 1 + w
        with torch.no_grad():
            kept = [p.clone() for p in parameters]
            [p.zero_() for p in parameters]
            offset = bool(call_norm(module, x).abs().max() > 0)
            [p.fill_(0.0 if offset else 1.0) for p in parameters]
            y = call_norm(module, x)
            [p.copy_(k) for p, k in zip(parameters, kept)]
    centred = x - x.mean(-1, keepdim=True)
    kinds = {"rms": x / x.pow(2).mean(-1, keepdim=True).sqrt(), "l2": x / x.norm(dim=-1, keepdim=True),
             "layer": centred / centred.pow(2).mean(-1, keepdim=True).sqrt()}
    kind = next((k for k, v in kinds.items() if torch.allclose(v, y, rtol=1e-3, atol=1e-3)), "other")
    per_head = width in (facts["head_dim"], facts["value_dim"])
    if type(module).__name__ == "ZayaQKNorm":  # k alone is also multiplied by a weight of its head
        return {"kind": "rms", "extent": "head", "eps": 0.0, "weights": False, "k_head_weights": True}
    answer = {"kind": kind, "extent": "head" if per_head else "all_heads", "eps": eps_of(module),
              "weights": bool(parameters)}
    if parameters:
        answer["weight_shape"] = shapes_of(module)
        if len(parameters) > 2:
            answer["modules"] = len(parameters)
    if offset:
        answer["unit_offset"] = True
    if bias:
        answer["bias"] = True
    return answer


def call_norm(module, x):
    if type(module).__name__ == "ZayaQKNorm":
        return type(module).forward(module, x, x[:, :, : module.temp.numel()])[0]
    return type(module).forward(module, x)


def eps_of(module):
    for name in ("variance_epsilon", "eps", "norm_eps"):
        if isinstance(getattr(module, name, None), float):
            return getattr(module, name)
    return next((eps_of(m) for m in module.modules() if m is not module and eps_of(m) is not None), None)


def gate_of(module, after, facts):
    function = next((w for w, _ in after if w in ("sigmoid", "softplus")), None)
    if function is None:
        return {}
    names = [n for n, m in module.named_modules() if re.search(r"gate|^g_proj|^g_b_proj", n)]
    i = next(i for i, (w, _) in enumerate(after) if w == function)
    shapes = [s for w, d in after[i:] if w == "mul" for s in d["shape"] if s]
    last = {s[-1] for s in shapes}
    per_head = 1 in last or facts["heads"] in last and facts["heads"] != facts["value_dim"]
    return {"output_gate": {"function": function, "per": "head" if per_head else "channel",
                            "from": names[0] if names else "q_proj"}}


def query_scale_of(module, before):
    if not any(w in ("log", "log1p") for w, _ in before):
        return {}
    if getattr(module, "attn_temperature_tuning", False):
        return {"query_scale": {"rule": "llama4", "attn_scale": module.attn_scale, "floor_scale": module.floor_scale}}
    rope = getattr(module.config, "rope_parameters", None) or {}
    if "llama_4_scaling_beta" in inspect.getsource(type(module)) and rope.get("llama_4_scaling_beta") is not None:
        return {"query_scale": {"rule": "mistral", "beta": rope["llama_4_scaling_beta"],
                                "original": rope["original_max_position_embeddings"]}}
    return {"query_scale": {"rule": "other"}}


def rounded(number):
    return float(f"{number:.15g}")
