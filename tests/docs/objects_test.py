#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/guide/objects.md and the tests behind it say the same; and every test that a page of the guide names is there.

    tests/docs/objects_test.py ROOT

A row of the table is an object, whose tests are the suites OBJECT_object and OBJECT_object_DeathTest of tests/objects; a column is a use, with which the
names of its tests begin. A cell that says "works", "throws" or "no" needs a test; one that says "must not" may have one, which sees a checked build
end. A cell "-" has none. Pages name tests in comments: <!-- x_test.cpp: a_name, another_name; y_test.cpp: .. -->.
"""

import pathlib
import re
import sys

PAGE = "docs/guide/objects.md"
TESTS = "tests/objects"
USES = ("two_threads_at_once", "by_its_own_task", "while_it_ends", "after_its_end", "moved_from")
NEEDS_TEST = ("works", "throws", "no")
NEEDS_NONE = ("must not",)
CASE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
NAMED = re.compile(r"([\w/]+_test\.cpp): (\w+(?:,\s+\w+)*)")


def rows(page):
    """Object -> its cells, of the table whose first column is called "object"."""
    found, inside = {}, False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == "object":
            inside = True
        elif inside and not set(line) <= set("|- "):
            name = re.match(r"`([\w.]+)", cells[0])
            found[name[1].rpartition(".")[2] if name else cells[0]] = cells[1:]
    return found


def cases_of(sources):
    """(object, use) -> names of its tests; and sentences on tests that belong nowhere."""
    found, wrong = {}, []
    for suite, name in (case for source in sources for case in CASE.findall(source)):
        use = next((use for use in USES if name.startswith(use)), None)
        thing = re.fullmatch(r"(\w+)_object(?:_DeathTest)?", suite)
        if use is None or thing is None:
            wrong.append(f"{suite}.{name}: the suite is called OBJECT_object, and the test begins with {', '.join(USES)}")
        else:
            found.setdefault((thing[1], use), []).append(name)
    return found, wrong


def wrong_cells(page, sources):
    cases, wrong = cases_of(sources)
    table = rows(page)
    if not table:
        wrong.append(f"{PAGE}: no table with a column \"object\"")
    for thing, cells in table.items():
        if len(cells) != len(USES):
            wrong.append(f"{PAGE}: the row of {thing} has {len(cells)} uses, not {len(USES)}")
        for use, cell in zip(USES, cells):
            tests = cases.pop((thing, use), [])
            kind = next((kind for kind in (*NEEDS_TEST, *NEEDS_NONE) if cell.startswith(kind)), None)
            if kind is None and cell != "-":
                wrong.append(f"{PAGE}: {thing}, {use}: a cell begins with {', '.join((*NEEDS_TEST, *NEEDS_NONE))}, or is -; this one is \"{cell}\"")
            elif kind in NEEDS_TEST and not tests:
                wrong.append(f"{PAGE}: {thing}, {use}: \"{cell}\", but no test {thing}_object.{use}..")
            elif cell == "-" and tests:
                wrong.append(f"{PAGE}: {thing}, {use}: there is a test, {tests[0]}")
    wrong += [f"{PAGE} has no row for {thing}, of the test {names[0]}" for (thing, _), names in cases.items()]
    return wrong


def wrong_names(page, text, tests):
    """Tests that the comments of a page name, and that are not there. `tests`: path -> text."""
    for comment in re.findall(r"<!--(.*?)-->", text, re.DOTALL):
        for file, names in NAMED.findall(comment):
            sources = [source for path, source in tests.items() if path.endswith("/" + file)]
            if not sources:
                yield f"{page}: there is no {file}"
            for name in filter(None, re.split(r",\s+", names)) if sources else ():
                if not any(name == case for source in sources for _, case in CASE.findall(source)):
                    yield f"{page}: {file} has no test {name}"


def self_test():
    page = "| object | a | b | c | d | e |\n|---|---|---|---|---|---|\n| `x`, `y` | works | throws | must not | - | no |\n"
    assert rows(page) == {"x": ["works", "throws", "must not", "-", "no"]}
    source = "TEST(x_object, two_threads_at_once_works) {\nTEST(x_object, by_its_own_task_throws) {\nTEST(x_object, moved_from_no) {\n"
    assert not wrong_cells(page, [source]), wrong_cells(page, [source])
    assert len(wrong_cells(page, [])) == 3
    assert len(wrong_cells(page, [source + "TEST(x_object, after_its_end_works) {\nTEST(z_object, moved_from_is) {\nTEST(x_object, other) {\n"])) == 3
    tests = {"/a/b_test.cpp": "TEST(x, y_is_z) {\nTEST_P(x, z_is_y) {\n"}
    assert not list(wrong_names("p", "<!-- b_test.cpp: y_is_z,\nz_is_y; a/b_test.cpp: y_is_z -->", tests))
    assert list(wrong_names("p", "<!-- b_test.cpp: y; c_test.cpp: z -->", tests)) == ["p: b_test.cpp has no test y", "p: there is no c_test.cpp"]


def main(root):
    self_test()
    tests = {f"/{path.relative_to(root)}": path.read_text(encoding="utf-8")
             for folder in ("skua", "tests") for path in (root / folder).rglob("*_test.cpp")}
    wrong = wrong_cells((root / PAGE).read_text(encoding="utf-8"), [text for path, text in tests.items() if path.startswith(f"/{TESTS}/")])
    named = 0
    for page in sorted((root / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        named += sum(len(NAMED.findall(comment)) for comment in re.findall(r"<!--(.*?)-->", text, re.DOTALL))
        wrong += wrong_names(str(page.relative_to(root)), text, tests)
    print("\n".join(wrong) or f"{len(rows((root / PAGE).read_text(encoding='utf-8')))} objects, and {named} lists of tests in the pages' comments")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
