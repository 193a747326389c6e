#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's list of the shared library's symbols, from ours.

    packaging/debian_symbols.py [--update]

Debian's list (packaging/debian/libskuaABI.symbols) has beside each name the first version that had it, so that a package which uses the
name depends on that version. It follows from skua/skua.symbols, from the patterns in skua/templates.symbols, and from the versions that it already has: a new name gets the project's
version, and a name that is gone from ours goes. Without --update this says whether the two agree, and is a test.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def facts(root):
    """(version, ABI number) of the project."""
    version = re.search(r"project\(skua VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    return version, re.search(r"set\(SKUA_ABI (\d+)\)", (root / "cmake/exports.cmake").read_text(encoding="utf-8"))[1]


def first_versions(text):
    """name -> version of what Debian's list has."""
    return {found[1]: found[2] for found in re.finditer(r'^ \(c\+\+\)"(.*)@SKUA_\d+" (\S+)$', text, re.MULTILINE)}


def lines_of(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def expression(pattern, abi):
    """Perl's regular expression for a name that fits the pattern, in which * stands for any text, with the library's version."""
    text = ".*".join(re.escape(part) for part in pattern.split("*"))
    return f"^{text}@SKUA_{abi}$"


def listing(names, templates, known, version, abi):
    """The text of Debian's list."""
    lines = [f"libskua.so.{abi} libskua{abi} #MINVER#", "* Build-Depends-Package: libskua-dev", f" SKUA_{abi}@SKUA_{abi} {version}"]
    lines += [f' (c++)"{name}@SKUA_{abi}" {known.get(name, version)}' for name in names]
    lines += [f' (c++|regex|optional)"{expression(pattern, abi)}" {version}' for pattern in templates]
    return "\n".join([*lines, ""])


def main(arguments):
    version, abi = facts(ROOT)
    ours = ROOT / "skua/skua.symbols"
    theirs = ROOT / f"packaging/debian/libskua{abi}.symbols"
    names = lines_of(ours)
    old = theirs.read_text(encoding="utf-8") if theirs.is_file() else ""
    new = listing(names, lines_of(ROOT / "skua/templates.symbols"), first_versions(old), version, abi)
    if "--update" in arguments:
        theirs.write_text(new, encoding="utf-8")
        return 0
    if old == new:
        print(f"{len(names)} names, as in {ours.relative_to(ROOT)}")
        return 0
    print(f"{theirs.relative_to(ROOT)} does not agree with {ours.relative_to(ROOT)}: packaging/debian_symbols.py --update")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
