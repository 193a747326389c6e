#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every piece of C++ in README.md and docs/ stands, word for word, in a program of examples/ that is built and run.

    tests/docs/examples_test.py ROOT
"""

import pathlib
import re
import sys
import textwrap

# The pages with C++, and the programs that they show; no other page has any, and each of these programs is shown.
SHOWN = {
    "README.md": ["readme.cpp"],
    "docs/flows.md": ["flow.cpp"],
    "docs/hints.md": ["hints_iteration.cpp", "hints_measured.cpp", "hints_place.cpp", "hints_work.cpp", "strategies.cpp"],
    "docs/memory.md": ["memory.cpp"],
    "docs/ranks.md": ["ranks.cpp", "ranks_serialized.cpp", "ranks_workers.cpp"],
    "docs/task-maps.md": ["leaf_record.cpp"],
    "docs/tour.md": ["one_shot.cpp"],
}


def blocks(page):
    """(line, text) of every block of C++."""
    for found in re.finditer(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        yield page.count("\n", 0, found.start()) + 2, found[1]


def stands_in(block, program):
    """Is the block a run of lines of the program, indented as a whole?"""
    wanted = block.rstrip("\n").split("\n")
    lines = program.split("\n")
    for first in range(len(lines) - len(wanted) + 1):
        if textwrap.dedent("\n".join(lines[first:first + len(wanted)])) == "\n".join(wanted):
            return True
    return False


def wrong_on(root, name):
    """What is wrong with a page, a sentence each."""
    page = (root / name).read_text(encoding="utf-8")
    programs = {file: (root / "examples" / file).read_text(encoding="utf-8") for file in SHOWN.get(name, [])}
    shown = set()
    for line, block in blocks(page):
        where = {file for file, text in programs.items() if stands_in(block, text)}
        shown |= where
        if not where:
            yield f"{name}:{line}: none of {', '.join(programs) or 'the programs of examples/'} has these lines"
    for file in sorted(programs.keys() - shown):
        yield f"examples/{file}: {name} shows nothing of it"


def main(root):
    assert stands_in("b\n  c\n", "a\n  b\n    c\nd") and not stands_in("b\nc\n", "a\n  b\n    c\nd"), "this test sees nothing"
    pages = ["README.md", *sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))]
    wrong = [sentence for name in pages for sentence in wrong_on(root, name)]
    wrong += [f"{name}: there is no such page" for name in SHOWN if name not in pages]
    print("\n".join(wrong) or f"{sum(map(len, SHOWN.values()))} programs, all shown as they are")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
