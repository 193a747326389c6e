#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes test programs of the C++ that README.md and docs/ show, so that no page shows code that does not compile and run.

    tests/docs/cpp_blocks.py ROOT                   check the pages, and say how each block is checked
    tests/docs/cpp_blocks.py ROOT --write FOLDER    write FOLDER/blocks_0.cpp .. for tests/docs/CMakeLists.txt

A block is checked in one of three ways (pages.py has the words for a page):
  * it stands, word for word, in a program of examples/, which is a test itself (SHOWN says which page shows which);
  * it is a whole program: it has a `main`, which must return 0;
  * otherwise it is a piece of a function: it runs in a task, with `pool` and `here` at hand. Its comment `before` declares what it
    uses. Marked `file`, or with an #include at its head, it declares functions and types, which its comment `after` may call.
A block that is not compiled says why, and is counted. Compilers report the page's lines.
"""

import argparse
import pathlib
import re
import sys
import textwrap

import pages

# The pages that show programs of examples/; each of these programs is shown.
SHOWN = {
    "README.md": ["readme.cpp"],
    "docs/flows.md": ["flow.cpp"],
    "docs/hints.md": ["floods.cpp", "hints_iteration.cpp", "hints_measured.cpp", "hints_place.cpp", "hints_work.cpp", "strategies.cpp"],
    "docs/memory.md": ["memory.cpp"],
    "docs/ranks.md": ["ranks.cpp", "ranks_serialized.cpp", "ranks_workers.cpp", "ranks_matrix.cpp", "ranks_range.cpp"],
    "docs/task-maps.md": ["leaf_record.cpp"],
    "docs/tour.md": ["one_shot.cpp"],
    "docs/write-a-policy.md": ["own_policy.cpp"],
}
UNITS = 3  # translation units: each compiles the headers anew


def stands_in(block, program):
    """Is the block a run of lines of the program, indented as a whole?"""
    wanted = block.rstrip("\n").split("\n")
    lines = program.split("\n")
    for first in range(len(lines) - len(wanted) + 1):
        if textwrap.dedent("\n".join(lines[first:first + len(wanted)])) == "\n".join(wanted):
            return True
    return False


class Piece:
    """A block, or a cell of a table, that is compiled here."""

    def __init__(self, block, line, text):
        self.page, self.line, self.text = block.page, line, text
        self.comments = block.comments
        self.is_file = "file" in block.comments or text.startswith("#include")
        self.is_program = re.search(r"^int main\(", text, re.MULTILINE) is not None

    @property
    def name(self):
        return re.sub(r"\W+", "_", f"{self.page.removesuffix('.md')}_line_{self.line}")

    def lines(self, word):
        """The comment, below a directive that says where it stands."""
        if word not in self.comments:
            return ""
        line, text = self.comments[word]
        return f'#line {line} "{self.page}"\n{text}\n'

    def source(self):
        """(the includes, the code)"""
        code = f'#line {self.line} "{self.page}"\n{self.text}\n'
        before, after = self.lines("before"), self.lines("after")
        if self.is_program:
            inner = re.sub(r"^int main\(", "int program(", before + code, flags=re.MULTILINE)
            call = "program(0, nullptr)" if re.search(r"int program\(int", inner) else "program()"
            test = f"  check({call} == 0);\n"
        elif self.is_file:
            inner, test = before + code, in_task(after)
        else:
            inner, test = "", in_task(before + code + after)
        includes = re.findall(r"^#include .*$", inner + test, re.MULTILINE)
        blank = lambda s: re.sub(r"^(#include .*|#pragma once.*)$", "", s, flags=re.MULTILINE)  # noqa: E731
        return includes, (f"namespace {self.name} {{\n{blank(inner)}\n"
                          f'#line 1 "{self.name}"\nTEST(page, {self.name}) {{\n{blank(test)}}}\n}}  // namespace\n')


def in_task(code):
    if not code:
        return ""
    return f"  in_a_task([&](skua::pool& pool, auto& here) {{\n    use(pool, here);\n    {{\n{code}\n    }}\n  }});\n"


def shown_programs(root, name):
    return {file: (root / "examples" / file).read_text(encoding="utf-8") for file in SHOWN.get(name, [])}


class Survey:
    """How each block of the pages is checked, and what is wrong with them."""

    def __init__(self, root):
        self.pieces, self.left_out, self.wrong, self.in_examples = [], [], [], 0
        names = pages.documentation(root)
        for name in names:
            try:
                self.read(root, name, pages.blocks(root, name))
            except ValueError as fault:
                self.wrong.append(str(fault))
        self.wrong += [f"{name}: there is no such page" for name in SHOWN if name not in names]

    def read(self, root, name, blocks):
        programs, shown = shown_programs(root, name), set()
        for block in blocks:
            if "not compiled" in block.comments:  # whatever its language
                why = " ".join(block.comments["not compiled"][1].split())
                self.left_out.append(f"{block.where}: {why}")
                if not why:
                    self.wrong.append(f"{block.where}: is not compiled, but does not say why")
            elif block.language not in ("cpp", "table"):
                continue
            elif block.language == "table":
                self.read_table(block)
            else:
                where = {file for file, text in programs.items() if stands_in(block.text, text)}
                shown |= where
                if where:
                    self.in_examples += 1
                else:
                    self.pieces.append(Piece(block, block.line, block.text))
        for file in sorted(programs.keys() - shown):
            self.wrong.append(f"examples/{file}: {name} shows nothing of it")

    def read_table(self, table):
        if "compiled" not in table.comments:
            self.wrong.append(f"{table.where}: say of a table that it is compiled, or not compiled")
            return
        cells = list(pages.code_cells(table))
        if not cells:
            self.wrong.append(f"{table.where}: a table of code without code in its last column")
        self.pieces += [Piece(table, line, code) for line, code in cells]


HEAD = """\
// Written by tests/docs/cpp_blocks.py from the pages; change them.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include <cstdlib>
{includes}
#define check(...) EXPECT_TRUE((__VA_ARGS__))

namespace {{
template <class... T>
void use(T const&...) {{}}

template <class F>
void in_a_task(F f) {{
  skua::pool pool({{.workers = 2, .policy = "random"}});
  pool.run([&](auto& here) {{ f(pool, here); }});
}}

"""


def units(pieces):
    """The texts of the translation units; all pieces of a page are in one."""
    parts = [[] for _ in range(UNITS)]
    of_page = {}
    for piece in pieces:
        of_page.setdefault(piece.page, []).append(piece)
    for _, of_one in sorted(of_page.items(), key=lambda item: -sum(len(p.text) for p in item[1])):
        min(parts, key=lambda part: sum(len(p.text) for p in part)).extend(of_one)
    for part in parts:
        sources = [piece.source() for piece in part]
        includes = sorted({include for wanted, _ in sources for include in wanted})
        yield HEAD.format(includes="\n".join(includes)) + "\n".join(code for _, code in sources) + "\n}  // namespace\n"


def write(folder, pieces):
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(units(pieces)):
        path = folder / f"blocks_{number}.cpp"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("root", type=pathlib.Path)
    arguments.add_argument("--write", type=pathlib.Path)
    chosen = arguments.parse_args()
    assert stands_in("b\n  c\n", "a\n  b\n    c\nd") and not stands_in("b\nc\n", "a\n  b\n    c\nd"), "this test sees nothing"
    survey = Survey(chosen.root)
    if survey.wrong:
        print("\n".join(survey.wrong))
        return 1
    if chosen.write:
        write(chosen.write, survey.pieces)
        return 0
    for line in survey.left_out:
        print("not compiled:", line)
    print(f"{survey.in_examples} blocks stand in examples/, {len(survey.pieces)} are compiled and run, {len(survey.left_out)} are not")
    return 0


if __name__ == "__main__":
    sys.exit(main())
