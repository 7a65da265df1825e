"""Which configs make_scaling_fixtures.py runs: published ones and random ones.

`how` names its function that runs the model's code; hf is the rope_type that this code knows, where it is another.
"""

import numpy as np


def case(rope_type, how, theta, dim, parameters, seq_len=0, hf=None, name="random", **more):
    return {
        "name": name,
        "rope_type": rope_type,
        "hf_rope_type": hf or rope_type,
        "how": how,
        "rope_theta": theta,
        "rotary_dim": dim,
        "head_dim": dim,
        "parameters": parameters,
        "seq_len": seq_len,
        **more,
    }


def published():
    llama3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
    yarn = {"factor": 4.0, "original_max_position_embeddings": 32768}
    deepseek = {"factor": 40, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096}
    gpt_oss = {**deepseek, "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False}
    mla = {"head_dim": 192, "hf": "yarn"}
    return [
        case("llama3", "by_utils", 500000.0, 128, llama3, name="Llama-3.1"),
        case("llama3", "by_utils", 500000.0, 64, {**llama3, "factor": 32.0}, name="Llama-3.2-1B"),
        case("llama3", "by_utils", 500000.0, 128, {**llama3, "factor": 16.0, "high_freq_factor": 1.0}, name="Scout"),
        case("yarn", "by_utils", 1000000.0, 128, yarn, name="Qwen2.5"),
        case("yarn", "by_utils", 150000, 64, gpt_oss, name="gpt-oss"),
        case("yarn", "by_utils", 160000, 64, {**deepseek, "factor": 16, "original_max_position_embeddings": 65536,
             "attention_factor": 1.0}, name="DeepSeek-V4"),
        case("yarn", "by_utils", 1000000.0, 128, {**deepseek, "factor": 16.0, "mscale": 1.0, "mscale_all_dim": 1.0,
             "original_max_position_embeddings": 16384}, name="Ministral-3"),
        case("deepseek_yarn", "by_deepseek", 10000, 64, {**deepseek, "mscale": 1.0, "mscale_all_dim": 1.0},
             name="DeepSeek-V3", **mla),
        case("deepseek_yarn", "by_deepseek", 10000, 64, {**deepseek, "mscale": 0.707, "mscale_all_dim": 0.707},
             name="DeepSeek-V2-Lite", **mla),
        case("linear", "by_utils", 1000000.0, 256, {"factor": 8.0}, name="Gemma-3"),
        case("dynamic", "by_llama", 1000000, 128, {"factor": 2.0, "max_position_embeddings": 32768}, 50000,
             name="InternLM2.5"),
        case("dynamic", "by_llama", 1000000.0, 64, {"factor": 4.0, "max_position_embeddings": 65536}, 131072,
             name="MiniCPM-2B-128k"),
        case("dynamic", "by_hunyuan", 10000.0, 128, {"alpha": 1000.0}, name="HunYuan"),
        case("proportional", "by_gemma4", 1000000.0, 512, {"partial_rotary_factor": 0.25}, name="Gemma-4"),
        case("qwen_dynamic", "by_qwen", 10000.0, 128, {"seq_length": 8192}, 20000, name="Qwen-7B"),
        *rope_test(),
        *sizes_of_longrope(),
    ]  # fmt: skip


def rope_test():
    """The configs of which transformers' RopeTest keeps the frequencies (tests/utils/test_modeling_rope_utils.py)."""
    lengths = {"original_max_position_embeddings": 2048, "max_position_embeddings": 2048}
    yarn = {"factor": 10.0, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 2048}
    llama3 = {"factor": 10.0, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 2048}
    lists = {"factor": 10.0, "short_factor": [2.0] * 64, "long_factor": [float(i) for i in range(1, 65)], **lengths}
    return [
        case("dynamic", "by_utils", 10000.0, 128, {"factor": 10.0, "max_position_embeddings": 2048}, 16384, name="RopeTest"),
        case("yarn", "by_utils", 10000.0, 128, yarn, name="RopeTest"),
        case("yarn", "by_utils", 10000.0, 128, {**yarn, "beta_fast": 1000}, name="RopeTest"),
        case("llama3", "by_utils", 10000.0, 128, llama3, name="RopeTest"),
        case("llama3", "by_utils", 10000.0, 128, {**llama3, "high_freq_factor": 1000}, name="RopeTest"),
        case("longrope", "by_utils", 10000.0, 128, lists, 2048, name="RopeTest"),
        case("longrope", "by_utils", 10000.0, 128, lists, 2049, name="RopeTest"),
    ]  # fmt: skip


def rising(pairs, last):
    """A list such as LongRoPE's search finds: it rises, slowly at first. No model's own."""
    return [round(1 + (last - 1) * (i / (pairs - 1)) ** 3, 2) for i in range(pairs)]


def sizes_of_longrope():
    """Sizes and lengths of published models; their lists are not at hand."""
    mscale = 1.243163121016122
    cases = []
    for name, how, theta, dim, original, length, more in (
        ("size of Phi-3.5-mini", "by_phi3", 10000.0, 96, 4096, 131072, {}),
        ("size of Phi-3.5-MoE", "by_phimoe", 10000.0, 128, 4096, 131072,
         {"short_mscale": mscale, "long_mscale": mscale}),
        ("size of MiniCPM3", "by_minicpm3", 10000.0, 32, 32768, 262144, {}),
    ):  # fmt: skip
        keys = {"short_factor": rising(dim // 2, 2.8), "long_factor": rising(dim // 2, 64.0),
                "original_max_position_embeddings": original, "max_position_embeddings": length, **more}
        cases += [case("longrope", how, theta, dim, keys, seq_len, name=name) for seq_len in (1, original, original + 1, length)]
    return cases


def random_cases():
    rng = np.random.default_rng(4)

    def one_of(*values):
        return values[rng.integers(len(values))]

    def number(low, high):
        return round(float(rng.uniform(low, high)), 3)

    def base():
        return one_of(10000.0, 500000.0, 1000000.0, 25000, number(1000, 1e7))

    def dim():
        return one_of(32, 64, 80, 96, 128, 256)

    def original():
        return one_of(2048, 4096, 8192, 32768, 40960)

    def yarn():
        keys = {"factor": one_of(4.0, 16, 40, number(1, 64)), "original_max_position_embeddings": original()}
        extra = {
            "beta_fast": one_of(32, 0, number(8, 64)),
            "beta_slow": one_of(1, 0, number(0.5, 4)),
            "truncate": bool(rng.integers(2)),
            "mscale": one_of(1.0, 0.707, 0.0, number(0.1, 2)),
            "mscale_all_dim": one_of(1.0, 0.707, 0.0, number(0.1, 2)),
            "attention_factor": number(0.5, 2),
        }
        return {**keys, **{key: value for key, value in extra.items() if rng.random() < 0.4}}

    cases = []
    for _ in range(20):
        length = original()
        cases.append(case("linear", "by_utils", base(), dim(), {"factor": number(1, 64)}))
        cases.append(
            case("dynamic", "by_llama", base(), dim(), {"factor": number(1, 16), "max_position_embeddings": length},
                 int(length * number(0.5, 8)))
        )  # fmt: skip
        cases.append(case("dynamic", "by_hunyuan", base(), dim(), {"alpha": number(1, 2000)}))
        cases.append(case("xdrope", "by_hunyuan", base(), dim(), {"alpha": number(1, 2000)}, hf="dynamic"))
        cases.append(case("yarn", "by_utils", base(), dim(), yarn()))
        cases.append(
            case("deepseek_yarn", "by_deepseek", base(), 64, yarn(), hf="yarn", head_dim=one_of(128, 192, 256))
        )
        keys = yarn()
        telechat = {key: keys[key] for key in ("factor", "original_max_position_embeddings")}
        cases.append(case("telechat3-yarn", "by_telechat3", base(), dim(), telechat, hf="yarn"))
        low = number(0.5, 4)
        cases.append(
            case("llama3", "by_utils", base(), dim(), {"factor": number(1, 64), "low_freq_factor": low,
                 "high_freq_factor": low + number(0, 8), "original_max_position_embeddings": original()})
        )  # fmt: skip
        cases.append(
            case("proportional", "by_gemma4", base(), one_of(64, 256, 512),
                 {"partial_rotary_factor": one_of(0.25, 0.5, 1.0, number(0.05, 1)), "factor": one_of(1.0, number(1, 8))})
        )  # fmt: skip
        cases.append(case("ntk", "by_gte", base(), dim(), {"factor": number(1, 64)}))
        cases.append(case("ntk", "by_gte", base(), dim(), {"factor": number(1, 64), "mixed_b": number(0.3, 1)}))
        cases.append(case("qwen_dynamic", "by_qwen", base(), dim(), {"seq_length": length}, int(length * number(0.2, 9))))
        cases += longrope(base(), dim(), length, number, one_of, rng)
    return cases


def longrope(base, dim, length, number, one_of, rng):
    keys = {
        "short_factor": [number(1, 1.1) for _ in range(dim // 2)],
        "long_factor": [number(1, 64) for _ in range(dim // 2)],
        "original_max_position_embeddings": length,
        "max_position_embeddings": length * one_of(1, 4, 32),
    }
    if rng.random() < 0.3:
        keys["factor"] = number(0.5, 32)
    if rng.random() < 0.3:
        keys["attention_factor"] = number(0.5, 2)
    seq_len = one_of(0, length - 1, length, length + 1, 3 * length)
    mscales = {"short_mscale": number(1, 1.5), "long_mscale": number(1, 1.5)}
    return [
        case("longrope", "by_utils", base, dim, keys, seq_len),
        case("longrope", "by_phimoe", base, dim, {**keys, **mscales}, max(seq_len, 1)),
    ]
