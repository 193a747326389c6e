# SPDX-License-Identifier: MIT
"""What the tests of the documentation read in a page: fenced blocks of code, the comments that tell the tests what to do with
them, and tables whose right column is code.

A comment of a page that begins with one of these words is for the tests; readers do not see it:

    <!-- before ... -->       what stands in front of the block or the table below it, and is compiled with it
    <!-- after ... -->        what stands behind it, say `check(sum == 10);`
    <!-- file -->             the block is not a piece of a function: it declares functions or types
    <!-- not compiled: why --> the block, or the table, is deliberately not checked, and why
    <!-- run -->              the shell commands of the block are executed; `run installed`: where Skua is installed
    <!-- compiled -->         the last cell of each row of the table below it is code
"""

import dataclasses
import re

WORDS = ("before", "after", "file", "not compiled", "run", "compiled")
SHELL = ("sh", "bash", "console")


@dataclasses.dataclass
class Block:
    page: str
    line: int      # of the first line of its text
    language: str  # as in the fence; empty: none
    text: str
    comments: dict = dataclasses.field(default_factory=dict)  # word -> (line, text)

    @property
    def where(self):
        return f"{self.page}:{self.line}"


def documentation(root):
    """The pages, as paths relative to the root."""
    return ["README.md", "CONTRIBUTING.md",
            *sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))]


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def comment_at(text, start):
    """(word, text, end) of a comment for the tests that begins there; None if there is none."""
    found = re.compile(r"<!--\s*(" + "|".join(WORDS) + r")\b:?(.*?)-->[ \t]*\n", re.DOTALL).match(text, start)
    return found and (found[1], found[2], found.end())


def elements(name, text):
    """Every fenced block, and every table below a comment for the tests, as a Block; language "table" for the latter."""
    at, comments = 0, {}
    lines = re.compile(r"[^\n]*\n?")
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        if comment := comment_at(text, at):
            word, inner, end = comment
            skipped = len(inner) - len(inner.lstrip("\n"))
            first = line + text[at:text.index(inner, at)].count("\n") + skipped
            comments[word] = (first, inner.strip("\n"))
            at = end
            continue
        if fence := re.compile(r"( *)(```+)([^\n`]*)\n").match(text, at):
            close = re.compile(rf"^{fence[1]}{fence[2]}[ \t]*$", re.MULTILINE).search(text, fence.end())
            if close is None:
                raise ValueError(f"{name}:{line}: a block of code that does not end")
            inner = text[fence.end():close.start()]
            language = fence[3].split()[0] if fence[3].split() else ""
            yield Block(name, line + 1, language, re.sub(rf"^{fence[1]}", "", inner, flags=re.MULTILINE), comments)
            at, comments = close.end(), {}
            continue
        if comments and text.startswith("|", at):
            end = at
            while text.startswith("|", end):
                end = lines.match(text, end).end()
            yield Block(name, line, "table", text[at:end], comments)
            at, comments = end, {}
            continue
        end = lines.match(text, at).end()
        if text[at:end].strip() and comments and not text.startswith("<!--", at):
            raise ValueError(f"{name}:{line}: a comment for the tests, but no block or table follows it")
        at = end


def blocks(root, name):
    return list(elements(name, read(root, name)))


def named_files(blocks):
    """Name -> text of each block of a page whose first line is a comment with its name: `// primes.cpp`, `# my.toml`."""
    found = {}
    for block in blocks:
        if name := re.match(r"(?://|#) ([\w-]+\.\w+)\n", block.text):
            found[name[1]] = block.text
    return found


def needs_installation(block):
    return "run" in block.comments and "installed" in block.comments["run"][1]


def code_cells(table):
    """(line, code) of the last cell of each row that begins with `code`; what follows the code is for readers."""
    for offset, row in enumerate(table.text.splitlines()):
        cells = re.split(r"(?<!\\)\|", row.strip().strip("|"))
        code = re.match(r" *`([^`]+)`", cells[-1].replace("\\|", "|"))
        if offset >= 2 and code:
            yield table.line + offset, code[1]
