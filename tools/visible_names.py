#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The names that a program sees in namespace skua when it includes skua/skua.hpp, against the list of those that it may use.

    tools/visible_names.py [--update] [ROOT]

Namespace skua is the users': what stands in it is a promise. tests/public_names.txt lists the promises, one a line, sorted;
this prints every name that is new or gone, and exits with 1 if there is any. --update writes the list anew.

The page docs/guide/names.md lists each promise once, in the first column of a table. Names that are [[deprecated]] are not
promises: they go with the next version.

It reads the headers that skua.hpp includes, directly or not, as text: it knows comments, strings, brackets and the forms
that a declaration may have, and nothing of types. So it needs no compiler. Members, macros, and what stands in a namespace
inside skua are not listed, but such a namespace itself is.
"""

import argparse
import pathlib
import re
import sys

from sources import ABI, Source

LIST = "tests/public_names.txt"
PAGE = "docs/guide/names.md"
FACE = "skua/skua.hpp"
NOT_A_NAME = {"alignas", "decltype", "explicit", "noexcept", "requires", "sizeof", "static_assert", "if", "operator"}


def headers(root, first=FACE):
    """The text of every header of ours that the first one includes, by path, each once."""
    found, wanted = {}, [first]
    while wanted:
        path = wanted.pop()
        if path not in found:
            found[path] = Source(path, (root / path).read_text(encoding="utf-8"))
            wanted += [name for _, name, _ in found[path].includes() if (root / name).is_file()]
    return found


# --- reading declarations -------------------------------------------------------------------------------------------

def closing(code, at, pair):
    """The offset behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] == pair[0]:
            depth += 1
        elif code[i] == pair[1] and not (pair == "<>" and code[i - 1] in "-="):  # neither -> nor =>
            depth -= 1
            if depth == 0:
                return i + 1
    return len(code)


def without_prefix(head):
    """A declaration without `template <...>`, attributes and alignment."""
    head = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", " ", head, flags=re.DOTALL)
    while found := re.match(r"\s*template\s*(?=<)", head):
        head = head[closing(head, found.end(), "<>") :]
    return " ".join(head.split())


def without_arguments(head):
    """A declaration in which arguments of templates are `<>` and what stands between parentheses is `()`."""
    out, at = "", 0
    while at < len(head):
        if head[at] == "(":
            at = closing(head, at, "()")
            out += "()"
        elif head[at] == "<" and re.search(r"\w$", out) and not out.endswith("operator"):
            at = closing(head, at, "<>")
            out += "<>"
        else:
            out += head[at]
            at += 1
    return out


A_CLASS = re.compile(r"(?:requires\b.*)?\b(?:class|struct|union|enum(?: class| struct)?) (\w+)(<>)? ?(?:final ?)?(?::(?!:)|$)")
AN_ASSIGNMENT = re.compile(r"(?<![=!<>+*/|&^-])=(?!=)")
AN_OPERATOR = re.compile(r"(\w+(?:<>)?::)?\boperator ?(\(\)(?= ?\()|\"\" ?\w+|[^\s\w(]+|new|delete|[\w:<>*& ]+?) ?\(")


def is_function(head):
    """Is this, up to a `{`, the head of a function?"""
    plain = without_arguments(without_prefix(head))
    if AN_OPERATOR.search(plain):
        return True
    return "(" in plain and not A_CLASS.match(plain) and not re.search(r"\bconcept\b", plain) and not AN_ASSIGNMENT.search(plain)


def declared_in(head):
    """The names that a declaration at namespace scope declares; `head` is its text up to its body or its semicolon."""
    head = without_prefix(head)
    if not head or re.match(r"(static_assert|friend|extern template|using namespace)\b", head):
        return []
    if found := re.match(r"using (\w+) ?=", head):
        return [found[1]]
    if head.startswith("using "):
        return [part.strip().rpartition("::")[2] for part in head[len("using ") :].split(",")]
    if found := re.match(r"namespace (\w+) ?=", head):
        return [f"namespace {found[1]}"]
    if found := re.search(r"\bconcept (\w+)", head):
        return [found[1]]
    plain = without_arguments(head)
    if found := A_CLASS.match(plain):
        return [] if found[2] else [found[1]]  # a specialisation has no name of its own
    if found := AN_OPERATOR.search(plain):
        return [] if found[1] else [f"operator{found[2].replace(' ', '')}"]
    if is_function(head):
        return function_named(plain)
    found = re.search(r"[\s*&>](\w+) ?(?:\[[^\]]*\])?$", AN_ASSIGNMENT.split(plain)[0].strip())
    return [found[1]] if found else []


def function_named(plain):
    """The name before the parameters; none if it is that of a member, of a specialisation or of a deduction guide."""
    for found in re.finditer(r"((?:[\w:~]|<>)+) ?\(", plain):
        if found[1] not in NOT_A_NAME:
            return [] if "::" in found[1] or found[1].endswith("<>") or found.start() == 0 else [found[1]]
    return []


BLANKS = re.compile(r"\s*")
A_NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s+((?:\w+|::|inline\s+\w+)+)\s*\{")
NO_SCOPE = re.compile(r"(?:extern\s*\"[^\"]*\"|namespace)\s*\{")  # extern "C", and an unnamed namespace


def declarations(code):
    """(begin, end, namespaces around it, head) of every declaration at namespace scope; where a namespace opens, the head is None."""
    scopes = [()]
    at = BLANKS.match(code).end()
    while at < len(code):
        begin = at
        if opened := A_NAMESPACE.match(code, at):
            inside = (*scopes[-1], *(n for n in opened[1].split("::") if not n.startswith("inline") and n != ABI))
            at = opened.end()
            for depth in range(len(scopes[-1]), len(inside)):
                yield begin, at, inside[: depth + 1], None
            scopes.append(inside)
        elif opened := NO_SCOPE.match(code, at):
            scopes.append(scopes[-1])
            at = opened.end()
        elif code[at] == "}":
            scopes.pop()
            at += 1
        else:
            head, at = declaration(code, at)
            yield begin, at, scopes[-1], head
        at = BLANKS.match(code, at).end()


INITIALISING = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]\s*$", re.DOTALL)  # `a::a(int n) : n_` before `{n}`


def declaration(code, begin):
    """The head of the declaration that begins here, and the offset behind all of it."""
    at, body = begin, None
    while at < len(code):
        if code[at] == "(":
            at = closing(code, at, "()")
        elif code[at] == "{":
            body, opened = at if body is None else body, at
            at = closing(code, at, "{}")
            if is_function(code[begin:body]) and not INITIALISING.search(code[begin:opened]):
                return code[begin:body], at
        elif code[at] == ";":
            return code[begin : at if body is None else body], at + 1
        else:
            at += 1
    return code[begin:], len(code)


def names_in(source):
    """Every name that a header declares in namespace skua itself."""
    found = set()
    for _, _, around, head in declarations(source.without_directives()):
        if head is None and len(around) == 2 and around[0] == "skua":
            found.add(f"namespace {around[1]}")
        elif head is not None and around == ("skua",) and "[[deprecated" not in head:
            found.update(declared_in(head))
    return found


# --- the list -------------------------------------------------------------------------------------------------------

def visible(root):
    """(name, the header that declares it) of everything that a program sees in namespace skua."""
    found = {}
    for path, source in sorted(headers(root).items()):
        for name in names_in(source):
            found.setdefault(name, path)
    return found


def listed(root):
    lines = (root / LIST).read_text(encoding="utf-8").splitlines() if (root / LIST).is_file() else []
    return {line for line in lines if line and not line.startswith("#")}


def on_page(root):
    """The names in the first column of the page's tables, in their order; none if there is no page."""
    text = (root / PAGE).read_text(encoding="utf-8") if (root / PAGE).is_file() else ""
    tables = text.partition("\n## Old names")[0]
    return [name for cell in re.findall(r"^\| (`[^|]*`) \|", tables, re.MULTILINE) for name in re.findall(r"`([^`]+)`", cell)]


def update(root, names):
    opening = f"# Names that a program may use in namespace skua after #include <{FACE}>. Written by tools/visible_names.py --update.\n"
    (root / LIST).write_text(opening + "".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


def main(arguments):
    words = argparse.ArgumentParser(prog="visible_names.py", description=__doc__.splitlines()[0])
    words.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    words.add_argument("--update", action="store_true", help=f"write {LIST} anew")
    asked = words.parse_args(arguments)
    if not (asked.root / FACE).is_file():
        print(f"visible_names.py: there is no {asked.root / FACE}", file=sys.stderr)
        return 2
    names = visible(asked.root)
    if asked.update:
        update(asked.root, names)
    promised = listed(asked.root)
    for name in sorted(names.keys() - promised):
        print(f"{names[name]}: {name} is visible in namespace skua, but {LIST} does not promise it")
    for name in sorted(promised - names.keys()):
        print(f"{LIST}: {name} is promised, but {FACE} does not show it")
    shown = on_page(asked.root)
    off_page = sorted(name for name in promised | set(shown) if shown.count(name) != (name in promised))
    for name in off_page:
        print(f"{PAGE}: {name} stands there {shown.count(name)} times, and is {'' if name in promised else 'not '}promised in {LIST}")
    print(f"{len(names)} names are visible, {len(promised)} are promised")
    return 0 if names.keys() == promised and not off_page else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
