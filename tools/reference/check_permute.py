#!/usr/bin/env python3
"""Moves rows of real models and looks at what they then say: tools/reference/check_permute.py ROPEWALK

Tiny models of transformers with random weights are saved in the form of Hugging Face, brought into Meta's by NumPy code that
knows the formula alone, and moved back by `ropewalk permute`. What is checked: every byte of the weights is restored, and the
model of the moved folder generates the same tokens as the original (the model of the folder before does not). Then LoRA (peft,
where it is installed). Not a test of CI: it needs torch, transformers and, for the last part, peft. Prints a line for each model.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

SIZE = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "vocab_size": 96, "max_position_embeddings": 256,
        "initializer_range": 0.2}


def to_pairs(rows, heads, head_dim, first, dim):
    """The row numbers that bring `heads` heads from halves to pairs of neighbours in channels first .. first + dim - 1."""
    order = np.arange(rows).reshape(heads, head_dim)
    window = order[:, first:first + dim].reshape(heads, 2, dim // 2).swapaxes(1, 2).reshape(heads, dim)
    return np.concatenate([order[:, :first], window, order[:, first + dim:]], axis=1).reshape(-1)


def separate(config, names=("q_proj", "k_proj"), norms=(), dim=None, head_dim=None):
    head_dim = head_dim or config.hidden_size // config.num_attention_heads
    dim = dim or head_dim
    heads = {names[0]: config.num_attention_heads, names[1]: config.num_key_value_heads}
    for norm in norms:
        heads[norm] = 1

    def order(module):
        return to_pairs(heads[module] * head_dim, heads[module], head_dim, 0, dim) if module in heads else None

    return order


def phi3(config):
    d = config.hidden_size // config.num_attention_heads
    q, k = config.num_attention_heads, config.num_key_value_heads
    rows = [to_pairs(q * d, q, d, 0, d), q * d + to_pairs(k * d, k, d, 0, d), (q + k) * d + np.arange(k * d)]
    return lambda module: np.concatenate(rows) if module == "qkv_proj" else None


def gpt_neox(config, dim):
    """query_key_value: of each head q, k, v."""
    d, heads = config.hidden_size // config.num_attention_heads, config.num_attention_heads
    one = to_pairs(d, 1, d, 0, dim)
    of_head = np.concatenate([one, d + one, 2 * d + np.arange(d)])
    rows = np.concatenate([3 * d * head + of_head for head in range(heads)])
    return lambda module: rows if module == "query_key_value" else None


def deepseek(config):
    """Its channels are pairs of neighbours: the other way round."""
    rope, nope, heads = config.qk_rope_head_dim, config.qk_nope_head_dim, config.num_attention_heads
    q = np.argsort(to_pairs(heads * (nope + rope), heads, nope + rope, nope, rope))
    kv = np.argsort(to_pairs(config.kv_lora_rank + rope, 1, config.kv_lora_rank + rope, config.kv_lora_rank, rope))
    return lambda module: {"q_b_proj": q, "kv_a_proj_with_mqa": kv}.get(module)


def models():
    """Name, config, the order of each module's rows, --from and --to of what NumPy made."""
    llama = transformers.LlamaConfig(**SIZE, num_attention_heads=4, num_key_value_heads=4)
    yield "llama", llama, separate(llama)
    gqa = transformers.LlamaConfig(**SIZE | {"hidden_size": 256}, num_attention_heads=32, num_key_value_heads=8)
    yield "llama, 32 heads and 8 key heads", gqa, separate(gqa)
    qwen2 = transformers.Qwen2Config(**SIZE, num_attention_heads=4, num_key_value_heads=2)
    yield "qwen2, biases", qwen2, separate(qwen2)
    qwen3 = transformers.Qwen3Config(**SIZE, num_attention_heads=4, num_key_value_heads=2, head_dim=32)
    yield "qwen3, norms", qwen3, separate(qwen3, norms=("q_norm", "k_norm"), head_dim=32)
    phi = transformers.PhiConfig(**SIZE, num_attention_heads=4, num_key_value_heads=4, partial_rotary_factor=0.5)
    yield "phi, half of each head", phi, separate(phi, dim=8)
    fused = transformers.Phi3Config(**SIZE, num_attention_heads=4, num_key_value_heads=2, pad_token_id=0)
    yield "phi3, fused", fused, phi3(fused)
    neox = transformers.GPTNeoXConfig(**SIZE, num_attention_heads=4, rotary_pct=0.25)
    yield "gpt_neox, fused per head, a quarter", neox, gpt_neox(neox, 4)
    latent = transformers.DeepseekV3Config(
        **SIZE, num_attention_heads=4, num_key_value_heads=4, q_lora_rank=24, kv_lora_rank=32, qk_rope_head_dim=8,
        qk_nope_head_dim=16, v_head_dim=16, first_k_dense_replace=3, n_routed_experts=4, n_group=1, topk_group=1)
    yield "deepseek_v3, latent heads", latent, deepseek(latent)


def randomised(model):
    """Norms and biases are 1 and 0 when a model is made, which would hide a wrong order; small weights would, too."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias") or "norm" in name:
                parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.3)
    return model.eval()


def reorder(folder, order):
    for path in folder.glob("*.safetensors"):
        tensors = load_file(path)
        for name in tensors:
            rows = order(name.split(".")[-2])
            if rows is not None:
                tensors[name] = tensors[name][torch.from_numpy(rows)].contiguous()
        save_file(tensors, path, metadata={"format": "pt"})


def generated(folder, adapter=None):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    if adapter is not None:
        import peft
        model = peft.PeftModel.from_pretrained(model, adapter)
    prompt = torch.arange(3, 19).unsqueeze(0)
    with torch.no_grad():
        logits = model(prompt).logits[0]
        tokens = model.generate(input_ids=prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=24, do_sample=False,
                                pad_token_id=0, eos_token_id=None)[0]
    return tokens, logits


def permute(ropewalk, *arguments):
    ran = subprocess.run([ropewalk, "permute", *map(str, arguments)], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"ropewalk permute {' '.join(map(str, arguments))}: exit code {ran.returncode}: {ran.stderr}")


def same_bytes(a, b):
    """Every file of one folder is in the other."""
    names = {path.name for path in a.iterdir()}
    return names == {path.name for path in b.iterdir()} and all((a / n).read_bytes() == (b / n).read_bytes() for n in names)


def check(ropewalk, folder, name, config, order):
    torch.manual_seed(0)
    model = randomised(transformers.AutoModelForCausalLM.from_config(config))
    original, other, moved, back = (folder / part for part in ("original", "other", "moved", "back"))
    shards = {"max_shard_size": "60KB"} if "llama" in name else {}
    model.save_pretrained(original, **shards)
    model.save_pretrained(other, **shards)
    reorder(original, lambda module: None)  # the same writer
    reorder(other, order)
    latent = config.model_type == "deepseek_v3"
    forms = ("hf", "meta") if latent else ("meta", "hf")
    permute(ropewalk, other, "--from", forms[0], "--to", forms[1], "-o", moved)
    permute(ropewalk, moved, "--from", forms[1], "--to", forms[0], "-o", back)
    want, want_logits = generated(original)
    got, logits = generated(moved)
    wrong, wrong_logits = generated(other)
    results = {
        "bytes of the original": same_bytes(moved, original),
        "bytes back": same_bytes(back, other),
        "tokens": torch.equal(got, want),
        "other before": (wrong_logits - want_logits).abs().max().item() > 1e-3,
    }
    return results, len(list(original.glob("*.safetensors")))


def check_lora(ropewalk, folder):
    """A base and its LoRA in Meta's form, both moved, say what the original two say."""
    import peft
    config = transformers.LlamaConfig(**SIZE, num_attention_heads=4, num_key_value_heads=2)
    torch.manual_seed(0)
    base = folder / "base"
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(base)
    adapters = [folder / part for part in ("lora", "other", "moved", "back")]
    wrapped = peft.get_peft_model(
        transformers.AutoModelForCausalLM.from_pretrained(base),
        peft.LoraConfig(r=4, target_modules=["q_proj", "k_proj", "v_proj"], use_dora=True, init_lora_weights=False))
    for adapter in adapters[:2]:
        wrapped.save_pretrained(adapter)
    order = separate(config)

    def of_lora(path):
        tensors = load_file(path)
        for name in tensors:
            rows = order(next((m for m in ("q_proj", "k_proj") if f".{m}." in name), ""))
            if rows is not None and "lora_A" not in name:
                tensors[name] = tensors[name][torch.from_numpy(rows)].contiguous()
        save_file(tensors, path, metadata={"format": "pt"})

    of_lora(adapters[1] / "adapter_model.safetensors")
    tensors = load_file(adapters[0] / "adapter_model.safetensors")
    save_file(tensors, adapters[0] / "adapter_model.safetensors", metadata={"format": "pt"})
    permute(ropewalk, adapters[1], "--model", base, "--from", "meta", "--to", "hf", "-o", adapters[2])
    permute(ropewalk, adapters[2], "--model", base, "--from", "hf", "--to", "meta", "-o", adapters[3])
    want, want_logits = generated(base, adapters[0])
    got, _ = generated(base, adapters[2])
    _, wrong_logits = generated(base, adapters[1])
    return {
        "bytes of the original": same_bytes(adapters[2], adapters[0]),
        "bytes back": same_bytes(adapters[3], adapters[1]),
        "tokens": torch.equal(got, want),
        "other before": (wrong_logits - want_logits).abs().max().item() > 1e-3,
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ropewalk = pathlib.Path(sys.argv[1]).resolve()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    failed = 0
    print(json.dumps({"transformers": transformers.__version__, "torch": torch.__version__}))
    for name, config, order in models():
        with tempfile.TemporaryDirectory() as folder:
            results, files = check(ropewalk, pathlib.Path(folder), name, config, order)
        failed += not all(results.values())
        print(f"{name} ({files} file{'s' if files > 1 else ''}): {results}", flush=True)
    try:
        import peft
    except ImportError:
        print("LoRA: peft is not installed")
    else:
        with tempfile.TemporaryDirectory() as folder:
            results = check_lora(ropewalk, pathlib.Path(folder))
        failed += not all(results.values())
        print(f"LoRA with DoRA's magnitudes (peft {peft.__version__}): {results}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
