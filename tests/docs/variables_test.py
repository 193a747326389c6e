#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/guide/environment.md lists every variable that Skua reads, and no other.

    tests/docs/variables_test.py ROOT
"""

import pathlib
import re
import sys

SOURCE = "skua/parts/base/unknown_variables.cpp"
PAGE = "docs/guide/environment.md"


def variables_read(root):
    """What the library knows; it warns of every other variable SKUA_..."""
    text = (root / SOURCE).read_text(encoding="utf-8")
    found = re.search(r"\bknown\{(.*?)\};", text, re.DOTALL)
    return {f"SKUA_{name}" for name in re.findall(r'"([A-Z_]+)"', found[1])} if found else set()


def variables_in_table(text):
    """The variables in the first cell of a row."""
    return set(re.findall(r"^\| `(SKUA_[A-Z_]+)`", text, re.MULTILINE))


def main(root):
    read = variables_read(root)
    wrong = [] if read else [f"{SOURCE}: has no list `known` of variables any more"]
    shown = variables_in_table((root / PAGE).read_text(encoding="utf-8"))
    wrong += [f"{PAGE}: has no row for {name}, which Skua reads" for name in sorted(read - shown)]
    wrong += [f"{PAGE}: has a row for {name}, which Skua does not read" for name in sorted(shown - read)]
    print("\n".join(wrong) or f"{len(read)} variables, each in {PAGE}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
