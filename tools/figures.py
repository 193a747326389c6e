#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every figure that one page quotes from another stands in docs/figures.toml, and every page says the same.

    tools/figures.py [ROOT]          prints `page:line: sentence` for everything that is wrong, and exits with 1 if there is any

A group of that file is a measurement: what, how, where and when, and the page that records it. Its figures are values by key. A page
quotes one with a comment right behind the number, which readers do not see: `48.00<!-- fork-count.instructions -->`; a comment of a
source file writes `48.00 [figure: fork-count.instructions]`. Checked are

- each quotation: there is such a figure, and the number in front of it is the value, digit by digit;
- each figure: the section that records it quotes it, and so does another page, or it needs no entry;
- each number on the pages of QUOTING that looks like a figure of speed: it is a quotation, or [[allowed]] says why it need not be.

[[to_be_measured]] lists what pages once claimed without a record; they say it in words until somebody measures it.
"""

import fnmatch
import pathlib
import re
import sys
import tomllib

SOURCE = "docs/figures.toml"
QUOTING = ("README.md", "docs/choosing-a-policy.md", "docs/compare.md", "docs/getting-started.md", "docs/from-*.md", "docs/guide/*.md")
READ = ("*.md", "docs/**/*.md", "experiments/**/*.md", "skua/**/*.md", "skua/**/*.hpp", "skua/**/*.cpp")

KEY = r"[a-z0-9][a-z0-9_-]*\.[a-z0-9][a-z0-9_-]*"
MARKER = rf"<!-- {KEY} -->"
QUOTATION = re.compile(rf"(?:<!-- ({KEY}) -->|\[figure: ({KEY})\])")
NUMBER = re.compile(rf"(?<![\w.,/#-])(\d[\d,]*(?:\.\d+)?)(\**)({MARKER})?( ?(?:ns|us|µs|ms|%|percent|times|instructions)(?!\w)|x\b)?")
VERSION_OF = re.compile(r"(?:GCC|Clang|CMake|hwloc|Boost\.Context|oneTBB|rayon|libgomp|Linux|Debian|MPI|MPICH|StarPU|skua|[Bb]efore)\s$")

FIELDS = {"kind", "what", "command", "machine", "compiler", "date", "runs", "recorded", "figures"}
FIELDS_OF_A_FIGURE = {"value", "unit", "what"}


def load(root):
    with open(root / SOURCE, "rb") as file:
        return tomllib.load(file)


def groups_of(data):
    return {name: group for name, group in data.items() if isinstance(group, dict)}


def wrong_entries(data):
    """What is wrong with the source itself."""
    for name, group in groups_of(data).items():
        if missing := FIELDS - group.keys():
            yield f"{SOURCE}: [{name}] lacks {', '.join(sorted(missing))}"
        if unknown := group.keys() - FIELDS:
            yield f"{SOURCE}: [{name}] has {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(FIELDS))}"
        if group.get("kind") not in ("measured", "simulated"):
            yield f"{SOURCE}: [{name}] kind is '{group.get('kind')}'; allowed: measured, simulated"
        for key, figure in group.get("figures", {}).items():
            if figure.keys() != FIELDS_OF_A_FIGURE:
                yield f"{SOURCE}: {name}.{key} has {', '.join(sorted(figure))}; needed: {', '.join(sorted(FIELDS_OF_A_FIGURE))}"
    for row in data.get("allowed", []):
        if row.keys() != {"page", "text", "why"}:
            yield f"{SOURCE}: a row of [[allowed]] has {', '.join(sorted(row))}; needed: page, text, why"
    for row in data.get("to_be_measured", []):
        if row.keys() != {"what", "claimed"}:
            yield f"{SOURCE}: a row of [[to_be_measured]] has {', '.join(sorted(row))}; needed: what, claimed"


def figures_of(data):
    return {f"{name}.{key}": figure for name, group in groups_of(data).items() for key, figure in group.get("figures", {}).items()}


# --- quotations -----------------------------------------------------------------------------------------------------

def quotations(text):
    """(line, key, the number in front of it) of each."""
    for found in QUOTATION.finditer(text):
        number = re.search(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?) ?\**`? ?$", text[max(0, found.start() - 40):found.start()])
        yield text.count("\n", 0, found.start()) + 1, found[1] or found[2], number[1] if number else ""


def wrong_quotations(page, text, figures):
    for line, key, number in quotations(text):
        if key not in figures:
            yield f"{page}:{line}: {key} is no figure of {SOURCE}"
        elif number != figures[key]["value"]:
            yield f"{page}:{line}: '{number}' stands in front of {key}, which is {figures[key]['value']} in {SOURCE}"


def anchor(heading):
    return re.sub(r"[^\w -]", "", re.sub(r"<!--.*?-->", "", heading).lower()).strip().replace(" ", "-")


def section(text, name):
    """The text below the heading with this anchor; without a name all of it; None if there is no such heading."""
    if not name:
        return text
    headings = list(re.finditer(r"^(#+) (.*)$", text, re.MULTILINE))
    for i, found in enumerate(headings):
        if anchor(found[2]) == name:
            end = next((h.start() for h in headings[i + 1:] if len(h[1]) <= len(found[1])), len(text))
            return text[found.start():end]
    return None


def lonely_figures(data, pages):
    """Those that their record or every other page does not quote."""
    quoted = {page: {key for _, key, _ in quotations(text)} for page, text in pages.items()}
    for name, group in groups_of(data).items():
        page, _, heading = group.get("recorded", "").partition("#")
        record = section(pages[page], heading) if page in pages else None
        if record is None:
            yield f"{SOURCE}: [{name}] recorded is '{page}#{heading}', which is no section of a page"
            continue
        recorded = {key for _, key, _ in quotations(record)}
        for key in (f"{name}.{short}" for short in group.get("figures", {})):
            if key not in recorded:
                yield f"{SOURCE}: {key} is not quoted where it is recorded, {page}#{heading}"
            if not any(key in keys for other, keys in quoted.items() if other != page):
                yield f"{SOURCE}: {key} is quoted by no page but its record: take it out"


# --- numbers without a quotation ------------------------------------------------------------------------------------

def blank(text, pattern, flags=0):
    """The text with spaces where the pattern is."""
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=flags)


def readable(text):
    """What a reader reads as prose or table: no blocks and spans of code, no addresses, no comments but quotations."""
    text = blank(text, r"^ *```.*?^ *```[ \t]*$", re.MULTILINE | re.DOTALL)
    text = blank(text, rf"<!--(?! {KEY} -->).*?-->", re.DOTALL)
    return blank(blank(text, r"``[^\n]*?``|`[^`\n]*`"), r"\]\([^)\n]*\)")


def is_a_cell(text, start, end):
    """A cell is a number, perhaps with a remark behind it."""
    return re.search(r"\| *\**$", text[:start][-6:]) is not None and re.match(r"\** *[|(]", text[end:]) is not None


def bare_figures(text):
    """(offset, number) of each number that looks like a figure of speed and is no quotation."""
    text = readable(text)
    for found in NUMBER.finditer(text):
        start, number = found.start(), found[1].rstrip(",")
        looks_like_one = found[4] or is_a_cell(text, start, found.end()) or ("." in number and not VERSION_OF.search(text[:start][-20:]))
        if looks_like_one and not found[3]:
            yield start, (number + (found[4] or ""))


def places_of(text, part):
    return [(found.start(), found.end()) for found in re.finditer(re.escape(part), text)]


def unmarked_figures(data, pages):
    rows = data.get("allowed", [])
    used = set()
    for page, text in pages.items():
        if not any(fnmatch.fnmatch(page, pattern) for pattern in QUOTING):
            continue
        free = [(start, end, i) for i, row in enumerate(rows) if fnmatch.fnmatch(page, row.get("page", ""))
                for start, end in places_of(text, row.get("text", ""))]
        for at, number in bare_figures(text):
            covering = {i for start, end, i in free if start <= at < end}
            used |= covering
            if not covering:
                yield f"{page}:{text.count(chr(10), 0, at) + 1}: '{number}' has no figure of {SOURCE} behind it"
    for i, row in enumerate(rows):
        if i not in used:
            yield f"{SOURCE}: [[allowed]] '{row.get('text')}' allows nothing on {row.get('page')}"


# --------------------------------------------------------------------------------------------------------------------

def wrong(data, pages):
    """Everything that is wrong; pages: their texts by name."""
    found = list(wrong_entries(data))
    if found:
        return found
    figures = figures_of(data)
    for page, text in pages.items():
        found += wrong_quotations(page, text, figures)
    return found + list(lonely_figures(data, pages)) + list(unmarked_figures(data, pages))


def pages_below(root):
    names = sorted({path for pattern in READ for path in root.glob(pattern)})
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in names}


def main(root):
    data = load(root)
    found = wrong(data, pages_below(root))
    count, later = len(figures_of(data)), len(data.get("to_be_measured", []))
    print("\n".join(found) or f"{count} figures of {len(groups_of(data))} measurements, quoted as they are; {later} to be measured")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
