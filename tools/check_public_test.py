#!/usr/bin/env python3
"""check_public.py finds each kind of fault in a made-up tree, and no other."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_public  # noqa: E402

LIST, ALL, TABLE = check_public.LIST, check_public.ALL, "ropewalk/tables/table.h"
GOOD = {
    LIST: f"set(ROPEWALK_PUBLIC_HEADERS\n    ropewalk/base/dtype.h\n    {TABLE})\n"
    "# apart\nset(ROPEWALK_PUBLIC_HEADERS_APART\n    ropewalk/encoding/to_json.h)",
    ALL: f'#include "ropewalk/base/dtype.h"\n#include "{TABLE}"',
    "ropewalk/base/dtype.h": "#include <cstdint>\n#include <string_view>",
    TABLE: '#include "ropewalk/base/dtype.h"',
    "ropewalk/encoding/to_json.h": f'#include <nlohmann/json.hpp>\n#include "{TABLE}"',
    "ropewalk/tables/private.h": '#include "ropewalk/kernels/rows.h"\n#include <hwy/highway.h>',
    "README.md": f'#include "ropewalk/all.h"\n[table]({TABLE}), [models](ropewalk/models)',
    "README.zh.md": "",
}

# file, what its text becomes, the fault
BAD = (
    (LIST, GOOD[LIST].replace(TABLE, TABLE + " ropewalk/base/no.h"), f"{LIST}: names ropewalk/base/no.h, which is not there"),
    (LIST, GOOD[LIST].replace(TABLE, f"{TABLE} {TABLE}"), f"{LIST}: names {TABLE} twice"),
    (LIST, GOOD[LIST].replace("ropewalk/base/dtype.h", ""), f"{TABLE}: is public and includes ropewalk/base/dtype.h"),
    (TABLE, '#  include "ropewalk/tables/private.h"', f"{TABLE}: is public and includes ropewalk/tables/private.h"),
    (TABLE, "#include <nlohmann/json.hpp>", f"{TABLE}: includes <nlohmann/json.hpp> of other software"),
    (TABLE, '#include "ropewalk/encoding/to_json.h"', f"{TABLE}: includes ropewalk/encoding/to_json.h, which includes"),
    (ALL, f'#include "{TABLE}"', f"{ALL}: does not include ropewalk/base/dtype.h"),
    (ALL, GOOD[ALL] + '\n#include "ropewalk/encoding/to_json.h"', f"{ALL}: includes ropewalk/encoding/to_json.h, which is APART"),
    (ALL, GOOD[ALL] + '\n#include "ropewalk/tables/private.h"', f"{ALL}: includes ropewalk/tables/private.h, which is not public"),
    ("README.md", '#include "ropewalk/tables/private.h"', "README.md: shows ropewalk/tables/private.h"),
)


class CheckPublic(unittest.TestCase):
    def faults_of(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text + "\n", encoding="utf-8")
            return check_public.check(root)[0]

    def test_good_tree_has_no_fault(self):
        self.assertEqual(self.faults_of(GOOD), [])

    def test_each_fault_is_named(self):
        for path, text, fault in BAD:
            with self.subTest(fault=fault):
                self.assertIn(fault, "\n".join(self.faults_of({**GOOD, path: text})))


if __name__ == "__main__":
    unittest.main()
