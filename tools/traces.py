# SPDX-License-Identifier: MIT
"""The numbered traces of docs/tour.md name what is there: what tidy.py checks of them.

Each path that a step names exists (below skua/; `threads/` stands for machine/threads/), and each name stands in a file
that its trace names, in the interface of policies or in their registry. A name that only exists elsewhere leads a reader
to the wrong code, so it is not enough that some file has it.
"""

import collections
import re

TOUR = "docs/tour.md"
A_TRACE = re.compile(r"^### \(\w\)")
A_STEP = re.compile(r"^\d+\. ")
BACKTICKS = re.compile(r"`([^`\n]+)`")
A_PATH = re.compile(r"^[\w./-]+\.(?:hpp|cpp|md)$")
WORD = re.compile(r"[A-Za-z_]\w*")
SHORT = {"threads/": "machine/threads/"}
ALWAYS = ("skua/policy/policy.hpp", "skua/policy/registry.cpp")


def steps(page):
    """(trace, line, text) of every numbered step of every trace."""
    trace, found = None, []
    for number, line in enumerate(page.lines, 1):
        if line.startswith("#"):
            trace = line if A_TRACE.match(line) else None
        elif trace and A_STEP.match(line):
            found.append((trace, number, line))
        elif trace and found and line.startswith("   "):
            found[-1] = (*found[-1][:2], f"{found[-1][2]} {line.strip()}")
    return found


def full(path):
    for short, long in SHORT.items():
        if path.startswith(short):
            path = long + path.removeprefix(short)
    return "skua/" + path


def with_partner(path):
    """A header stands for its .cpp, too, and the other way round."""
    stem = re.sub(r"\.[ch]pp$", "", path)
    return {path, stem + ".hpp", stem + ".cpp"}


def findings(tree):
    """(source, line, sentence) for every step that names what is not there."""
    page = tree.sources.get(TOUR)
    if page is None:
        return
    files = collections.defaultdict(lambda: set(ALWAYS))
    for trace, line, text in steps(page):
        for path in filter(A_PATH.match, BACKTICKS.findall(text)):
            files[trace] |= with_partner(full(path))
            if full(path) not in tree.sources:
                yield page, line, f"there is no file {full(path)}"
    words = {trace: {word for path in paths & tree.sources.keys() for word in WORD.findall(tree.sources[path].text)}
             for trace, paths in files.items()}
    for trace, line, text in steps(page):
        for name in BACKTICKS.findall(text):
            unknown = [] if A_PATH.match(name) else [w for w in WORD.findall(name) if w not in words[trace]]
            if unknown:
                yield page, line, f"no file that this trace names has {unknown[0]}"
