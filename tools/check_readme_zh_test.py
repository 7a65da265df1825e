#!/usr/bin/env python3
"""check_readme_zh.py finds each way in which a made-up README.zh.md lags behind, and nothing in one that does not."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_readme_zh  # noqa: E402

ENGLISH = """# name

What it is, 134 million times. In Chinese: [README.zh.md](README.zh.md)

## Start

Say `this`, 12 times,
or see [that](docs/that.md):

```sh
run "我 愛 你"   # a comment
```

```
token  apart
他  3.0e-07  1.5
```

- one, in 300
- two

| to | read |
|---|---|
| a | [b](b.h) |
"""

TRADITIONAL = """## 繁體

這是什麼，1.34 億次。

### 開始

說 `this` 12 次，或見[那裡](docs/that.md)：

```sh
run "我 愛 你"   # 註解
```

```
token  差距
他  4.0e-07  1.5
```

- 一，共 300
- 二

| 要做 | 看 |
|---|---|
| 甲 | [b](b.h) |
"""

SIMPLIFIED = (
    TRADITIONAL.replace("繁體", "简体").replace("這是什麼，1.34 億次", "这是什么，1.34 亿次").replace("開始", "开始")
    .replace("說", "说").replace("見[那裡]", "见[那里]").replace("愛", "爱").replace("註解", "注释")
)

# What is changed in a half, the line of the whole file where it shows, and what is said of it.
LAGS = (
    ("### 開始", "#### 開始", 7, "heading differs"),
    ("12 次", "13 次", 9, "paragraph differs"),
    ("`this`", "this", 9, "paragraph differs"),
    ("docs/that.md", "docs/other.md", 9, "paragraph differs"),
    ('run "我', 'walk "我', 11, "code sh differs"),
    ("1.5", "1.6", 15, "code  differs"),
    ("- 二\n", "", 22, "row of a table, but line 20 of README.md is item of a list"),
    ("| 甲 | [b](b.h) |\n", "", 24, "only README.md has this"),
    ("開始", "开始", 7, "开 is no traditional character"),
    ("說 ", "默認 ", 9, "默認 is no word of traditional Chinese"),
)


class CheckReadmeZh(unittest.TestCase):
    def faults(self, traditional=TRADITIONAL, simplified=SIMPLIFIED):
        return check_readme_zh.check(ENGLISH, f"# name\n\n{traditional}\n{simplified}")

    def test_what_is_in_step_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_each_lag_is_named(self):
        for old, new, line, words in LAGS:
            self.assertIn(old, TRADITIONAL)
            faults = self.faults(TRADITIONAL.replace(old, new))
            self.assertTrue(faults, old)
            self.assertTrue(any(fault.startswith(f"{line}: ") and words in fault for fault in faults), (old, faults))

    def test_the_other_half_is_checked_too(self):
        for old, new in (("300", "301"), ("说", "説"), ("一，", "「一」，")):
            self.assertIn(old, SIMPLIFIED)
            self.assertTrue(self.faults(simplified=SIMPLIFIED.replace(old, new)), old)

    def test_each_half_has_its_own_pictures(self):
        for target, words in (
            ("docs/images/zh-hant/decay.png", None),
            ("docs/images/decay.png", "expected a picture in docs/images/zh-hant/"),
            ("docs/images/zh-hans/decay.png", "expected a picture in docs/images/zh-hant/"),
            ("docs/images/zh-hant/none.png", "no such picture"),
        ):
            faults = check_readme_zh.wrong_pictures(f"\n![圖]({target})", "traditional")
            self.assertEqual(len(faults), 0 if words is None else 1, faults)
            self.assertTrue(all(fault.startswith("2: ") and words in fault for fault in faults), faults)


if __name__ == "__main__":
    unittest.main()
