#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the documentation site from the pages and the public headers, and checks its links: `make docs`.

    tools/site_pages.py MKDOCS [ROOT]        MKDOCS: the program mkdocs

1. build/docs-api holds the public headers as tools/api_headers.py shows them. Doxygen makes pages of them, without a warning.
2. build/docs-pages holds the pages as they lie in the repository, so that links between them need no change; with them the API's pages,
   and as text each source file to which a page links. Comments for the tests, and those behind figures, are left out.
3. MkDocs builds build/docs; with --strict, so a page or a heading that is not there ends it.
4. Every link of every page of the site must lead to a file and, where it names one, to an anchor that are there.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree

import api_headers
import figures

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "experiments", "skua", "apps", "tests", "packaging")  # folders: every *.md in them
LINK = re.compile(r"(?<!\\)(\[[^\]]*\]\()([^()\s#]+)((?:#[^()\s]*)?\))")


# --- the API's reference --------------------------------------------------------------------------------------------

def write_headers(root, folder):
    """Returns the public names, each with the header that declares it."""
    shutil.rmtree(folder, ignore_errors=True)
    public, declared = api_headers.public_names(root), {}
    for path, source in api_headers.public_headers(root).items():
        text, names = api_headers.shown(path, source.text, public)
        if text:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
            for name in names & public:
                declared.setdefault(name, path)
    shutil.copy(root / "docs/api.dox", folder / "api.dox")
    return declared


def run_doxygen(root, folder, output):
    """The tags of what Doxygen has written, or an exit."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    places = {"OUTPUT_DIRECTORY": output.parent, "HTML_OUTPUT": output.name, "GENERATE_TAGFILE": folder / "api.tag",
              "STRIP_FROM_PATH": folder, "STRIP_FROM_INC_PATH": folder}
    settings = (root / "docs/Doxyfile").read_text(encoding="utf-8") + "".join(f'{key} = "{value}"\n' for key, value in places.items())
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"doxygen: {done.stderr}")
    return xml.etree.ElementTree.parse(folder / "api.tag")


def pages_of_names(tags):
    """Name in namespace skua -> its page, with an anchor if it is not the page's subject."""
    found = {}
    for compound in tags.iter("compound"):
        name, page = compound.findtext("name"), compound.findtext("filename")
        if compound.get("kind") in ("class", "struct", "concept") and re.fullmatch(r"skua::\w+", name):
            found.setdefault(name.removeprefix("skua::"), page if page.endswith(".html") else page + ".html")
        if compound.get("kind") == "namespace" and name == "skua":
            for member in compound.iter("member"):
                at = f"{member.findtext('anchorfile')}#{member.findtext('anchor')}"
                for name in (member.findtext("name"), *(value.text for value in member.iter("enumvalue"))):
                    found.setdefault(name, at)
    return found


def index_of_api(root, declared, pages):
    """The page that lists the public names by the header that declares them."""
    lost = sorted(api_headers.public_names(root) - pages.keys())
    if lost:
        sys.exit(f"doxygen has no page for {', '.join(lost)}: give each a comment in its header, or in docs/api.dox")
    by_header = {}
    for name, header in declared.items():
        by_header.setdefault(header, []).append(name)
    rows = [f"| {', '.join(f'[{n}](api/{pages[n]})' for n in sorted(names))} | [{header}]({header}) |"
            for header, names in sorted(by_header.items(), key=lambda item: sorted(item[1])[0])]
    return "\n".join(["# API", "",
                      "Every name that a program may use in namespace `skua`, with the header that declares it. Include `skua/skua.hpp`; for many ranks",
                      "`skua/mpi.hpp` or `skua/ranks.hpp`. [here](api/classskua_1_1here.html) is the argument of every task; "
                      "[skua::policies](api/namespaceskua_1_1policies.html) is for those who write a policy. The [guide](docs/guide/README.md) says how the parts fit together.",
                      "", "| names | header |", "|---|---|", *rows, ""])


# --- the pages ------------------------------------------------------------------------------------------------------

def markdown_files(root):
    for name in PAGES:
        path = root / name
        yield from [path] if path.is_file() else sorted(path.rglob("*.md"))


def outside_code(text, change):
    """The text with change(part) of each part that is neither a fenced block nor a span of code."""
    parts = re.split(r"(^ *```.*?^ *```[ \t]*$|`[^`\n]*`)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def text_of(link):
    """A folder without a page is no place to go to."""
    return link[1][1:-2]


def stage_page(root, path, text, folder):
    """Writes a page; links to source files lead to copies of them, those to folders to the page of the folder."""
    def change(found):
        target = (path.parent / found[2]).resolve()
        if target.is_dir():
            return f"{found[1]}{found[2].rstrip('/')}/README.md{found[3]}" if (target / "README.md").is_file() else text_of(found)
        if re.match(r"[a-z]+:", found[2]) or target.suffix in (".md", ".html", ".svg", ".png") or not target.is_file():
            return found[0]
        copy = folder / target.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(target, copy.with_name(copy.name + ".txt"))
        return f"{found[1]}{found[2]}.txt{found[3]}"

    text = re.sub(r"^<!--.*?-->[ \t]*\n", "", text, flags=re.MULTILINE | re.DOTALL)
    to = folder / path.relative_to(root)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(outside_code(text, lambda part: LINK.sub(change, re.sub(figures.MARKER, "", part))), encoding="utf-8")


# --- its links ------------------------------------------------------------------------------------------------------

DOXYGENS = {"nested-classes"}  # in the list at the top of a class whose nested classes are all private


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key == "id" or (tag == "a" and key == "name"):
                self.anchors.add(value)
            elif value and key in ("href", "src"):
                self.links.add(value)


def wrong_links(site):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in sorted(page.links):
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc or path.name == "404.html":
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            anchor = urllib.parse.unquote(url.fragment)
            if not target.is_file():
                yield f"{path.relative_to(site)}: there is no {link}"
            elif anchor and target in pages and anchor not in pages[target].anchors | DOXYGENS:
                yield f"{path.relative_to(site)}: {link} names an anchor that is not there"


def main(mkdocs, root):
    build = root / "build"
    headers, staged, site = build / "docs-api", build / "docs-pages", build / "docs"
    shutil.rmtree(staged, ignore_errors=True)
    declared = write_headers(root, headers)
    pages = pages_of_names(run_doxygen(root, headers, staged / "api"))
    for path in markdown_files(root):
        stage_page(root, path, path.read_text(encoding="utf-8"), staged)
    stage_page(root, root / "api.md", index_of_api(root, declared, pages), staged)
    command = [mkdocs, "build", "--strict", "--quiet", "--config-file", str(root / "mkdocs.yml")]
    if subprocess.run(command, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False).returncode != 0:
        return 1
    wrong = list(wrong_links(site))
    count = len(list(site.rglob("*.html")))
    print("\n".join(wrong) or f"{site}/index.html: {count} pages, {len(declared)} public names, no broken link")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".").resolve()))
