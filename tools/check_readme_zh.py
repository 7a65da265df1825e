#!/usr/bin/env python3
"""Checks that both halves of README.zh.md are in step with README.md: tools/check_readme_zh.py

Each half, in traditional and in simplified characters, has the headings, paragraphs, lists, tables, code and links of README.md in the
same order, and its paragraphs the same numbers and the same `code`. Commands are the same but for their comments, and what the demo
prints has the same numbers. Each half is in the characters and the words of its own script. Prints one line per fault and exits with 1
if there is any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALVES = (("繁體", "traditional"), ("简体", "simplified"))
# A character of the other script cannot be written in the encoding that this script had before Unicode.
ENCODING = {"traditional": "big5", "simplified": "gb2312"}
# Of the other side's usage; 「 」 are quotation marks in traditional text.
WORDS = {
    "traditional": ("默認", "內存", "代碼", "緩存", "文本", "線程", "“"),
    "simplified": ("结束码", "输入档", "输出档", "文件档", "依位置", "档案", "预设", "记忆体", "程式", "执行绪", "「", "」", "『"),
}
# The demo's own words; its texts are written in the script of the reader.
DEMO = str.maketrans("愛萬", "爱万")
# How numbers in words are written there.
NUMBERS = {"134 million": "1.34"}


def numbers_of(text):
    return sorted(re.findall(r"[0-9]+(?:\.[0-9]+)*(?:e-?[0-9]+)?", text))


# The pictures of each half, with its own words in them, beside those of README.md.
PICTURES = {"traditional": "docs/images/zh-hant/", "simplified": "docs/images/zh-hans/"}


def links_of(text):
    targets = [re.sub(r"^docs/images/zh-han[ts]/", "docs/images/", target) for target in re.findall(r"\]\(([^)]*)\)", text)]
    return [target for target in targets if target != "README.zh.md" and not target.startswith("#")]


def wrong_pictures(text, script):
    faults = []
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"!\[[^]]*\]\(([^)]*)\)", line):
            if not target.startswith(PICTURES[script]):
                faults.append(f"{number}: expected a picture in {PICTURES[script]}, found {target}")
            elif not (ROOT / target).is_file():
                faults.append(f"{number}: no such picture: {target}")
    return faults


def prose(text):
    for words, number in NUMBERS.items():
        text = text.replace(words, number)
    codes = sorted(re.findall(r"`([^`]*)`", text))
    plain = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)
    return links_of(text), codes, numbers_of(plain)


def code(language, lines):
    if language == "sh":
        return [re.sub(r"\s+#.*", "", line) for line in lines]
    if language == "" and not lines[0].startswith("$ "):
        return [numbers_of(re.sub(r"[0-9]\.[0-9]e-0[6-9]", " ", line)) for line in lines]
    return lines


def parts(text):
    """What the text consists of: (line, kind, what must be the same)."""
    found, paragraph, fence = [], [], None
    lines = text.splitlines() + [""]
    for number, line in enumerate(lines, 1):
        if fence:
            if line.startswith("```"):
                found.append((fence[0], "code " + fence[1], code(fence[1], fence[2])))
                fence = None
            else:
                fence[2].append(line)
            continue
        begins = re.match(r"```|#+ |- |\||$", line)
        if begins and paragraph:
            found.append((paragraph[0], paragraph[1], prose(" ".join(paragraph[2]))))
            paragraph = []
        if line.startswith("```"):
            fence = (number, line[3:], [])
        elif heading := re.match(r"#+(?= )", line):
            found.append((number, "heading", len(heading[0])))
        elif line.startswith("|"):
            found.append((number, "row of a table", prose(line)))
        elif line and not paragraph:
            paragraph = [number, "item of a list" if line.startswith("- ") else "paragraph", [line]]
        elif line:
            paragraph[2].append(line)
    return found


def lower(found):
    """A half stands one level of headings lower than the README."""
    return [(line, kind, what - 1 if kind == "heading" else what) for line, kind, what in found]


def half(text, name):
    """The lines of the half, at their places in the whole file."""
    lines = text.splitlines()
    begin = lines.index(f"## {name}")
    end = next((i for i in range(begin + 1, len(lines)) if re.match(r"## ", lines[i])), len(lines))
    return "\n" * begin + "\n".join(lines[begin:end])


def compare(english, chinese):
    """The first part that differs, as text; what follows it would only repeat it."""
    for (a_line, a_kind, a), (b_line, b_kind, b) in zip(english, chinese):
        if a_kind != b_kind:
            return [f"{b_line}: {b_kind}, but line {a_line} of README.md is {a_kind}"]
        if a != b:
            return [f"{b_line}: {b_kind} differs from line {a_line} of README.md: expected {a}, found {b}"]
    if len(english) != len(chinese):
        longer, whose = (english, "README.md") if len(english) > len(chinese) else (chinese, "README.zh.md")
        return [f"{longer[min(len(english), len(chinese))][0]}: only {whose} has this"]
    return []


def wrong_words(text, script):
    faults = []
    for number, line in enumerate(text.splitlines(), 1):
        for character in re.findall(r"[一-鿿]", line):
            try:
                character.encode(ENCODING[script])
            except UnicodeEncodeError:
                faults.append(f"{number}: {character} is no {script} character")
        faults += [f"{number}: {word} is no word of {script} Chinese" for word in WORDS[script] if word in line]
    return faults


def check(english, chinese):
    faults = []
    for name, script in HALVES:
        text = half(chinese, name)
        wanted = english.translate(DEMO) if script == "simplified" else english
        faults += compare(parts(wanted), lower(parts(text))) + wrong_words(text, script) + wrong_pictures(text, script)
    return faults


def main():
    faults = check((ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / "README.zh.md").read_text(encoding="utf-8"))
    faults = [f"README.zh.md:{fault}" for fault in faults]
    for walk, script in (("picture_walk_zh_hant", "traditional"), ("picture_walk_zh_hans", "simplified")):
        path = f"cli/tests/demo/{walk}.out"
        faults += [f"{path}:{fault}" for fault in wrong_words((ROOT / path).read_text(encoding="utf-8"), script)]
    for fault in faults:
        print(fault)
    print(f"check_readme_zh: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
