#!/usr/bin/env python3
"""check_layers.py finds each kind of fault in a made-up tree, and no other."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_layers  # noqa: E402

GOOD = {
    "ropewalk/base/dtype.h": "#include <cstdint>",
    "ropewalk/base/error.h": "",
    "ropewalk/encoding/spectrum.h": '#include "ropewalk/base/dtype.h"',
    "ropewalk/kernels/simd/numbers-inl.h": "#include <hwy/highway.h>",
    "ropewalk/kernels/rows/rows.h": '#include "ropewalk/encoding/spectrum.h"',
    "ropewalk/kernels/rows/rows-inl.h": '#include "ropewalk/kernels/simd/numbers-inl.h"',
    "ropewalk/kernels/rows/rows.cc": '#include "ropewalk/kernels/rows/rows-inl.h"',
    "ropewalk/kernels/rows/rows_test.cc": '#include "ropewalk/kernels/rope/rope_kernel.h"\n#include "ropewalk/base/error.h"',
    "ropewalk/kernels/rope/rope_kernel.h": '#include "ropewalk/kernels/rows/rows.h"',
    "ropewalk/kernels/add/add.h": "",
    "ropewalk/tables/table.cc": '#include "ropewalk/kernels/rows/rows.h"',
    "ropewalk/apply/rope.cc": '#include "ropewalk/kernels/rope/rope_kernel.h"\n#include "ropewalk/tables/table.h"',
    "ropewalk/testing/oracle.h": "#include <mpfr.h>",
    "ropewalk/base/dtype_test.cc": '#include "ropewalk/testing/oracle.h"\n#include "ropewalk/tables/table.h"',
    "fuzz/bytes.cc": '#include "ropewalk/testing/oracle.h"',
    "ropewalk/tables/table.h": "",
    "ropewalk/tables/table_testing.h": "#include <mpfr.h>",
    "ropewalk/formats/file.h": "",
    "ropewalk/formats/json_events.h": '#include "ropewalk/formats/file.h"',
    "ropewalk/formats/gguf_types.h": "",
    "ropewalk/formats/gguf.h": '#include "ropewalk/formats/gguf_types.h"\n#include "ropewalk/formats/file.h"',
    "ropewalk/formats/safetensors.cc": '#include "ropewalk/formats/json_events.h"',
    "ropewalk/conventions/convention.h": '#include "ropewalk/encoding/spectrum.h"',
    "ropewalk/dialects/gguf.cc": '#include "ropewalk/formats/gguf.h"\n#include "ropewalk/conventions/convention.h"',
    "ropewalk/report/plot/canvas.h": "#include <cairo.h>",
    "ropewalk/parallel/ring.h": "#include <mpi.h>",
    "ropewalk/all.h": '#include "ropewalk/tables/table.h"\n#include "ropewalk/base/dtype.h"',
    "examples/user.cc": '#include "ropewalk/all.h"',
    "cli/plot/canvas.h": "#include <cairo-svg.h>",
    "cli/main.cc": '#include "cli/plot/canvas.h"\n#include "ropewalk/tables/table.h"',
}

# file, text, line of the fault, part of its message
BAD = (
    ("ropewalk/base/up.cc", '\n#include "ropewalk/encoding/spectrum.h"', 2, "base may include: nothing above it"),
    ("ropewalk/kernels/rope/up.cc", '#include "ropewalk/tables/table.h"', 1, "kernels may include: base encoding"),
    ("ropewalk/kernels/rope/throws.cc", '#include "ropewalk/base/error.h"', 1, "throw nothing"),
    ("ropewalk/kernels/rows/up.cc", '#include "ropewalk/kernels/rope/rope_kernel.h"', 1, "rows of kernels may include: simd"),
    ("ropewalk/kernels/simd/up.h", '#include "ropewalk/kernels/rows/rows.h"', 1, "simd of kernels may include: nothing"),
    ("ropewalk/kernels/rope/beside.cc", '#include "ropewalk/kernels/add/add.h"', 1, "rope of kernels may include: simd rows"),
    ("ropewalk/kernels/none.cc", '#include "ropewalk/kernels/add/add.h"', 1, "none.cc is in no part of kernels"),
    ("ropewalk/formats/gguf_types.cc", '#include "ropewalk/formats/gguf.h"', 1, "vocabulary of formats may include: file"),
    ("ropewalk/formats/npy.cc", '#include "ropewalk/formats/gguf.h"', 1, "npy of formats may include: file"),
    ("ropewalk/formats/json.cc", '#include "ropewalk/formats/gguf_types.h"', 1, "json of formats may include: file"),
    ("ropewalk/formats/onnx.cc", '#include "ropewalk/formats/file.h"', 1, "onnx.cc is in no part of formats"),
    ("ropewalk/conventions/up.cc", '#include "ropewalk/formats/file.h"', 1, "conventions may include: base encoding"),
    ("ropewalk/tables/inl.cc", '#include "ropewalk/kernels/rows/rows-inl.h"', 1, "-inl.h header"),
    ("ropewalk/tables/simd.cc", "#include <hwy/highway.h>", 1, "only ropewalk/kernels"),
    ("ropewalk/tables/simd_test.cc", '#  include "hwy/highway.h"', 1, "only ropewalk/kernels"),
    ("ropewalk/tables/mpi.cc", "#include <mpi.h>", 1, "only ropewalk/parallel"),
    ("ropewalk/tables/ring_test.cc", '#include "ropewalk/parallel/ring.h"', 1, "all of ropewalk but parallel"),
    ("ropewalk/tables/oracle.cc", '#include "ropewalk/testing/oracle.h"', 1, "for *_test.cc only"),
    ("ropewalk/tables/helper.cc", '#include "ropewalk/tables/table_testing.h"', 1, "for *_test.cc only"),
    ("ropewalk/tables/mpfr.cc", "#include <mpfr.h>", 1, "oracle of the tests"),
    ("ropewalk/tables/omp.cc", "#include <omp.h>", 1, "parallel_for"),
    ("ropewalk/conventions/json.cc", "#include <nlohmann/json.hpp>", 1, "conventions are data"),
    ("ropewalk/conventions/reader.cc", '#include "ropewalk/tables/table.h"', 1, "may include: base encoding"),
    ("ropewalk/tables/cli.cc", '#include "cli/plot/canvas.h"', 1, "includes nothing of the programs"),
    ("ropewalk/tables/local.cc", '#include "table.h"', 1, "from the root of the repository"),
    ("ropewalk/new/layer.cc", '#include "ropewalk/base/dtype.h"', 1, "new is no layer"),
    ("ropewalk/base/new.cc", '#include "ropewalk/new/layer.cc"', 1, "no such layer"),
    ("ropewalk/tables/all.cc", '#include "ropewalk/all.h"', 1, "for the users of the library"),
    ("cli/draw.cc", "#include <cairo.h>", 1, "only plot"),
    ("cli/oracle.cc", '#include "ropewalk/testing/oracle.h"', 1, "for *_test.cc only"),
    ("fuzz/fuzz.cc", '#include "cli/plot/canvas.h"', 1, "itself and ropewalk only"),
)


class CheckLayers(unittest.TestCase):
    def faults_of(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text + "\n", encoding="utf-8")
            faults, count = check_layers.check(root)
            self.assertEqual(count, len(files))
            return faults

    def test_good_tree_has_no_fault(self):
        self.assertEqual(self.faults_of(GOOD), [])

    def test_each_bad_include_is_named_with_its_rule(self):
        faults = self.faults_of({**GOOD, **{path: text for path, text, _, _ in BAD}})
        self.assertEqual(len(faults), len(BAD), "\n".join(faults))
        for path, _, line, rule in BAD:
            mine = [fault for fault in faults if fault.startswith(f"{path}:{line}: includes ")]
            self.assertEqual(len(mine), 1, f"{path}: {faults}")
            self.assertIn(rule, mine[0])

    def test_a_word_where_it_may_not_be_said(self):
        reads = "for (const Evidence& fact : model.evidence) read(fact.value);"
        self.assertEqual(self.faults_of({"ropewalk/report/words.cc": reads, "cli/a_test.cc": reads,
                                         "cli/words.cc": "// Evidence is for a reader."}), [])
        faults = self.faults_of({"cli/rotary.cc": "\n" + reads, "ropewalk/models/heads.cc": "use(model->evidence);"})
        self.assertEqual(len(faults), 2, faults)
        self.assertIn("cli/rotary.cc:2: evidence is written for a reader", "\n".join(faults))

    def test_a_rope_type_compared_by_name(self):
        compared = ('if (rope.rope_type != "default") {', 'return "llama3" == type;', 'json["rope_type"] == wanted',
                    'type == "telechat3-yarn"', 'type == "su"', "a.rope_type == b.rope_type")
        said = ('rope.rope_type = "default";', 'if (is_scaled(rope.rope_type)) {', '{"rope_type", "yarn"}', 'kind == "none"',
                'fmt::format("rope_type {}", rope.rope_type)', '// rope_type == "yarn"')
        self.assertEqual(self.faults_of({f"cli/{i}.cc": line for i, line in enumerate(said)}), [])
        self.assertEqual(self.faults_of({"ropewalk/spectrum/a.cc": compared[0], "ropewalk/models/a_test.cc": compared[0]}), [])
        faults = self.faults_of({f"ropewalk/models/{i}.cc": line for i, line in enumerate(compared)})
        self.assertEqual(len(faults), len(compared), "\n".join(faults))
        self.assertIn("ropewalk/models/0.cc:1: only ropewalk/spectrum compares a rope_type", faults[0])

    def test_layers_have_no_cycle(self):
        tables = [check_layers.LAYERS]
        tables += [{part: below for part, _, below in parts} for parts in check_layers.PARTS.values()]
        for table in tables:
            rank = {name: set(below.split()) for name, below in table.items()}
            self.assertLessEqual(set().union(*rank.values()), rank.keys())
            while rank:
                free = [name for name, below in rank.items() if not below & rank.keys()]
                self.assertTrue(free, f"a cycle among {sorted(rank)}")
                for name in free:
                    del rank[name]


if __name__ == "__main__":
    unittest.main()
