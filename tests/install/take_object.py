#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A compiler launcher for builds of Skua inside of tests: what the build around them has compiled is not compiled again.

    take_object.py OUTER INNER [LAUNCHER ...] COMPILER ARGUMENT ...

OUTER is the build around the test, INNER the folder in which the test builds Skua. Where OUTER compiles the same source by the very same
command, its object is copied. Everything else is compiled. So a test still proves that its project asks the compiler for the right thing,
and links and installs the result.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import sys

# What compile_commands.json leaves out, and how many words each is.
DEPENDENCIES = {"-MD": 1, "-MT": 2, "-MF": 2}


def without(words, options):
    kept, rest = [], iter(words)
    for word in rest:
        if word in options:
            for _ in range(options[word] - 1):
                next(rest)
        else:
            kept.append(word)
    return kept


def value_of(words, option):
    return words[words.index(option) + 1] if option in words[:-1] else None


def from_the_compiler_on(words):
    """Without a launcher before it, and without what precompiled headers add: they change how fast it is, not what is made."""
    first = next(i for i, word in enumerate(words) if word.startswith("-")) - 1
    text = "\0".join(words[first:])
    return re.sub(r"\0-Winvalid-pch|\0-include\0[^\0]*/cmake_pch\.hxx", "", text).split("\0")


def same_text(one, other):
    return one == other or pathlib.Path(one).read_bytes() == pathlib.Path(other).read_bytes()


def object_of(outer, inner, words):
    """The object in `outer` that this command would make in `inner`, or None."""
    source = value_of(words, "-c")
    if source is None:
        return None
    there = [word.replace(inner, outer) for word in from_the_compiler_on(without(words, DEPENDENCIES | {"-o": 2}))]
    for entry in json.loads(pathlib.Path(outer, "compile_commands.json").read_text(encoding="utf-8")):
        if entry["file"] == there[-1]:
            theirs = shlex.split(entry["command"])
            compiled = pathlib.Path(entry["directory"], value_of(theirs, "-o"))
            if from_the_compiler_on(without(theirs, {"-o": 2})) == there and compiled.is_file() and same_text(source, entry["file"]):
                return compiled
    return None


def main(outer, inner, *words):
    found = object_of(outer, inner, words)
    if found is None:
        os.execvp(words[0], words)
    shutil.copyfile(found, value_of(words, "-o"))
    if file := value_of(words, "-MF"):
        pathlib.Path(file).write_text(f"{value_of(words, '-MT')}: {value_of(words, '-c')} {found}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
