#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every link of a page leads somewhere: to a file of the repository, and to a heading that is there.

    tests/docs/links_test.py ROOT

Links to other sites are not followed. `make docs` checks the links of the built site, those into the API's pages included.
"""

import pathlib
import re
import sys

import pages

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import site_pages  # noqa: E402

LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(([^()\s]+)\)")


def prose(text):
    """Without comments, fenced code and code spans, with the same lines."""
    keep_lines = lambda found: "\n" * found[0].count("\n")  # noqa: E731
    text = re.sub(r"<!--.*?-->", keep_lines, text, flags=re.DOTALL)
    text = re.sub(r"^( *```+)[^\n]*\n.*?^\1[ \t]*$", keep_lines, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?:(?!\1).)+\1", keep_lines, text, flags=re.DOTALL)


def slug(heading):
    """The anchor of a heading, as code hosts and the site make it."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(text):
    seen, found = {}, set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE):
        name = slug(heading)
        seen[name] = seen.get(name, -1) + 1
        found.add(name if seen[name] == 0 else f"{name}-{seen[name]}")
    return found


def wrong_links(root, name):
    text = pages.read(root, name)
    for found in LINK.finditer(prose(text)):
        target, _, anchor = found[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        where = f"{name}:{prose(text).count(chr(10), 0, found.start()) + 1}"
        path = (root / name).parent / target if target else root / name
        if not path.exists():
            yield f"{where}: there is no {target}"
        elif path.suffix == ".md" and path.resolve().relative_to(root.resolve()).parts[0] not in site_pages.PAGES:
            yield f"{where}: tools/site_pages.py makes no page of {target}"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
            yield f"{where}: {target or name} has no heading #{anchor}"


def main(root):
    assert slug("(b) Where is `x`, the y?") == "b-where-is-x-the-y" and anchors("# A b\n## A b\n") == {"a-b", "a-b-1"}
    assert prose("a `[x](y)` b\n```\n[x](y)\n```\n").count("[") == 0, "this test follows links in code"
    names = pages.documentation(root) + ["experiments/README.md"]
    wrong = [sentence for name in names for sentence in wrong_links(root, name)]
    count = sum(len(LINK.findall(prose(pages.read(root, name)))) for name in names)
    print("\n".join(wrong) or f"{count} links on {len(names)} pages, all of which lead somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
