#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every piece of C++ in docs/hints.md stands, word for word, in a program of examples/ that is built and run.

    tests/docs/examples_test.py ROOT
"""

import pathlib
import re
import sys
import textwrap

PAGE = "docs/hints.md"


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


def main(root):
    page = (root / PAGE).read_text(encoding="utf-8")
    programs = {path: path.read_text(encoding="utf-8") for path in sorted((root / "examples").glob("hints_*.cpp"))}
    assert stands_in("b\n  c\n", "a\n  b\n    c\nd") and not stands_in("b\nc\n", "a\n  b\n    c\nd"), "this test sees nothing"
    wrong = []
    shown = set()
    for line, block in blocks(page):
        where = {path for path, text in programs.items() if stands_in(block, text)}
        shown |= where
        if not where:
            wrong.append(f"{PAGE}:{line}: no program of examples/ has these lines")
    wrong += [f"{path.relative_to(root)}: {PAGE} shows nothing of it" for path in programs if path not in shown]
    print("\n".join(wrong) or f"{len(programs)} programs, all shown as they are")
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
