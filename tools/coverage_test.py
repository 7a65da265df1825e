#!/usr/bin/env python3
"""coverage.py counts the answers to made-up lists, and finds what is too much, without a reason or needless."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import coverage  # noqa: E402


def row(name, kind, **names):
    empty = {"architecture": None, "gguf_architecture": None, **{place: [] for place in coverage.OTHERS.values()}}
    return {**empty, "model_type": name, "kind": kind, **names}


FAMILIES = [
    {"types": [row("llama", "rope", architecture="LlamaForCausalLM", gguf_architecture="llama", other_names=["LLaMA"])]},
    {"types": [row("bert", "learned", other_architectures=["BertModel"], other_gguf_architectures=["bert"])]},
]
REASONS = {"EagleModel": ("draft head", "as its target"), "odd": ("unknown", "its code is not public")}


def faults(lists, reasons=REASONS):
    lists = {source: (source, names) for source, names in lists.items()}
    answers = coverage.answer(FAMILIES, lists, reasons)
    return answers, coverage.faults_of(answers, reasons), coverage.page(lists, answers, reasons)


class Coverage(unittest.TestCase):
    def test_a_name_is_looked_for_in_its_own_place(self):
        answers, found, page = faults(
            {
                "transformers": ["LLaMA", "bert", "llama"],
                "vllm": ["BertModel", "EagleModel", "LlamaForCausalLM"],
                "mlx_lm": ["bert"] * 19 + ["odd"],
                "llama_cpp": ["bert", "llama"],
            }
        )
        self.assertEqual(answers["transformers"], {"LLaMA": "rope", "bert": "learned", "llama": "rope"})
        self.assertEqual(answers["vllm"], {"BertModel": "learned", "EagleModel": "draft head", "LlamaForCausalLM": "rope"})
        self.assertEqual(answers["llama_cpp"], {"bert": "learned", "llama": "rope"})
        self.assertEqual(answers["mlx_lm"]["odd"], "unknown")
        self.assertIn("- as its target: `EagleModel` (vllm)", page)
        self.assertIn("| transformers | 3 | 2 | 1 |  |  |", page)
        self.assertEqual(len(found), 1)  # 1 of the 2 different names of mlx_lm

    def test_few_unknown_names_are_let_pass_where_a_list_allows_them(self):
        types = [f"type{i}" for i in range(19)]
        families = [{"types": [row(name, "rope") for name in types]}]
        for source, count in (("mlx_lm", 0), ("transformers", 1)):
            lists = {source: (source, [*types, "odd"])}
            reasons = {"odd": REASONS["odd"]}
            answers = coverage.answer(families, lists, reasons)
            self.assertEqual(len(coverage.faults_of(answers, reasons)), count, source)

    def test_a_class_is_no_model_type(self):
        _, found, _ = faults({"transformers": ["LlamaForCausalLM"]}, {})
        self.assertEqual(
            found,
            [
                "transformers: expected at most 0 unknown names of 1, found 1: LlamaForCausalLM",
                "transformers: LlamaForCausalLM: expected a reason in reasons.tsv, found none",
            ],
        )

    def test_a_reason_that_is_not_needed_is_named(self):
        _, found, _ = faults({"transformers": ["llama"]}, {"llama": ("unknown", "was unknown"), "gone": ("draft head", "in no list")})
        self.assertEqual([fault.split(":")[1].strip() for fault in found], ["gone", "llama"])


if __name__ == "__main__":
    unittest.main()
