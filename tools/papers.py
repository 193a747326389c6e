# SPDX-License-Identifier: MIT
"""The papers and the sources that follow them agree: what tidy.py checks of docs/papers/KEY.md and of `[KEY section]` tags.

A reader with a paper in hand finds the source through the page; a reader of the source finds the paper through the tag.
So a tag names a page, and a section or a row that a table of the page lists (or a key that others.md lists); and whatever stands between backticks on a
page exists: a path, `file:symbol`, a symbol right after its file, the name of a test (`how_it_begins_...`), an identifier.
A cell of a table says something: what stands where, or the reason why nothing does. A row that names no file and no test says "not built: " and why.
"""

import pathlib
import re

PAGES = "docs/papers/"
OTHERS = "others"  # the page of papers that have none of their own: what follows their key in a tag is free text
A_KEY = r"[a-z]{3,}(?:(?:-[a-z]+)*-(?:(?:19|20)\d\d|\d\d)|(?:-[a-z]+)+\d\d)"  # names, and the year
TAG = re.compile(rf"\[({A_KEY}\b[^\]\[]*)\]")
KEY = re.compile(rf"({A_KEY})\b\s*")
# What says where in a section, not which one: lines of a figure's listing, a lemma, a footnote.
INSIDE_A_SECTION = re.compile(r"(\d+-\d+|(Lemma|Theorem|Corollary|footnote|line) \d+)$")
NOT_BUILT = re.compile(r"not built: \S.{19}")  # and a reason of some words
BACKTICKS = re.compile(r"`([^`\n]+)`")
FILE_SUFFIX = re.compile(r"\.(hpp|cpp|md|py|toml|txt|cmake|rs|svg)$")
TEST_CASE = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\)", re.MULTILINE)


def section(text):
    """A section's name, however it is written: `Figure 1` is `Fig. 1`."""
    return re.sub(r"^(?:Figure|Fig\.?)\s*", "Fig. ", text.strip())


def rows(page):
    """(line, the table's head, cells) of every row of every table."""
    head = None
    for number, line in enumerate(page.lines, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = cells
        elif not re.fullmatch(r"[-:| ]+", line):
            yield number, head, cells


def listed_in(page):
    """The sections and the rows that the tables of a page list."""
    found = set()
    for _, head, cells in rows(page):
        found |= {cells[0]} | {section(part) for name, cell in zip(head, cells) if name in ("section", "paper") for part in re.split(r"[,;]", cell)}
    return found


def is_listed(wanted, listed):
    """A section is listed itself, or by its parts: 4.2 by 4.2.1, V by V-B."""
    return any(have == wanted or have.startswith((wanted + ".", wanted + "-")) for have in listed)


def wrong_in_tag(text, pages):
    """What is wrong with the inside of a tag, one sentence each."""
    key, before = None, False
    for part in re.split(r"[,;]\s*", " ".join(text.split())):
        named = KEY.match(part)
        if named:
            key, part, before = named[1], part[named.end() :], False
        if key in pages.get(OTHERS, ()):
            return
        if key not in pages:
            yield f"there is no page {PAGES}{key}.md for the tag [{text}]"
            return
        if INSIDE_A_SECTION.match(part) and before:
            continue
        before = True
        if not part:
            yield f"the tag [{text}] names no section of {key}"
        elif not is_listed(section(part), pages[key]):
            yield f"no table of {PAGES}{key}.md lists {part}, which the tag [{text}] names"


def tags(source):
    """(line, text) of every tag: in the comments of C++, anywhere in a page or a script."""
    if not source.is_code:
        text, at = source.text, source.line_of
    else:  # comments of neighbouring lines are one text, since a tag may go on
        lines = sorted(source.comments)
        text = "\n".join(source.comments[n] for n in lines)
        starts = [n for n in lines for _ in range(len(source.comments[n]) + 1)]
        at = starts.__getitem__
    for found in TAG.finditer(text):
        yield at(found.start()), found[1]


class Names:
    """Everything that a page may name."""

    def __init__(self, tree):
        self.tree = tree
        self.paths = set(tree.sources)
        folders = {str(p) for path in self.paths for p in pathlib.PurePosixPath(path).parents}
        self.places = self.paths | folders | {re.sub(r"\.\w+$", "", path) for path in self.paths}
        self.tests = {name for s in tree.code for name in TEST_CASE.findall(s.code)}
        shown = [s for s in tree.sources.values() if not s.path.startswith(("docs/", "tools/"))]
        # Options and names of policies stand in strings.
        self.words = {word for s in shown for word in re.findall(r"[A-Za-z_][\w-]*", s.text)}

    def files(self, path):
        """The sources that a path names, in full or by its end; a header stands for its .cpp, too."""
        stem = re.sub(r"\.[ch]pp$", "", path)
        ends = [p for p in self.paths if p == path or p.endswith("/" + path)]
        return [self.tree.sources[p] for p in ends], \
               [s for p, s in self.tree.sources.items() if re.sub(r"\.[ch]pp$", "", p) == stem or re.search(rf"/{re.escape(stem)}\.[ch]pp$", p)]

    def has_symbol(self, path, symbol):
        return any(re.search(rf"\b{re.escape(name)}\b", s.text) for s in self.files(path)[1] + self.files(path)[0]
                   for name in [symbol.rpartition("::")[2].partition("(")[0]])

    def has_place(self, path):
        path = path.rstrip("/")
        return path in self.places or any(place.endswith("/" + path) for place in self.places)

    def why_unknown(self, quoted):
        """A sentence if nothing is called so, or None."""
        file, colon, symbol = quoted.partition(":")
        if FILE_SUFFIX.search(file) or "/" in file:
            if not self.has_place(file):
                return f"there is no file or folder {file}"
            if colon and not self.has_symbol(file, symbol):
                return f"{file} has no {symbol}"
            return None
        if quoted.endswith("..."):
            begins = quoted.removesuffix("...")
            return None if any(t.startswith(begins) for t in self.tests) else f"no test is called {begins}..."
        if quoted in self.tests or self.has_place(quoted):
            return None
        if quoted.startswith("@"):  # a hint, as the papers write it
            return None
        unknown = [w for w in re.findall(r"[A-Za-z_][\w-]*", quoted) if len(w) > 1 and w not in self.words]
        return f"nothing is called {unknown[0]}" if unknown else None


def wrong_on(page, names):
    """(line, sentence) for everything on a page that is not there."""
    for number, line in enumerate(page.lines, 1):
        for quoted in BACKTICKS.findall(line):
            if why := names.why_unknown(quoted):
                yield number, why
        for pair in re.finditer(r"`([\w/.-]+\.[ch]pp)`((?: `[\w:]+`)(?:, `[\w:]+`)*)", line):
            for symbol in BACKTICKS.findall(pair[2]):
                known = names.why_unknown(symbol) is None and names.has_place(pair[1])
                if known and symbol not in names.tests and not names.has_symbol(pair[1], symbol):
                    yield number, f"{pair[1]} has no {symbol}"
    for number, head, cells in rows(page):
        if not all(cells):
            yield number, "an empty cell; say what stands there, or why nothing does"
        shown = [cell for name, cell in zip(head, cells) if name in ("where", "test")]
        if "where" in head and not any(re.search(r"`|\]\(", cell) for cell in shown) and not any(NOT_BUILT.match(cell) for cell in shown):
            yield number, 'a row without a file or a test; begin its cell of "where" with "not built: " and the reason'


def findings(tree):
    """(source, line, sentence) for every tag and every page that names what is not there."""
    pages = {pathlib.PurePosixPath(p).stem: s for p, s in tree.sources.items() if p.startswith(PAGES) and p.endswith(".md")}
    listed = {key: listed_in(page) for key, page in pages.items()}
    for source in tree.sources.values():
        if not source.path.startswith("tools/"):
            for line, text in tags(source):
                for why in wrong_in_tag(text, listed):
                    yield source, line, why
    if pages:
        names = Names(tree)
        for page in pages.values():
            for line, why in wrong_on(page, names):
                yield page, line, why
