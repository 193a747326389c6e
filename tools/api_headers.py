# SPDX-License-Identifier: MIT
"""The public headers as Doxygen shall see them: what a program may use, under the names by which a program finds it.

The library's names live in skua::v0, an inline namespace, many of them in skua::runtime, from where `using` brings the public ones up
(tools/visible_names.py). Doxygen would show the namespaces and everything in them. So `shown` copies each header's text with the same
lines, in which

  * only public declarations are left, with their comments (and the few that public ones inherit from, INHERITED),
  * they stand in namespace skua,
  * the comment at the head of the file is one that Doxygen reads.

Namespace skua::policies, for those who write a policy, is shown as a whole; what stands in other namespaces is not shown.
"""

import re

import visible_names
from sources import Source

FACES = ("skua/skua.hpp", "skua/mpi.hpp", "skua/rank_pool.hpp", "skua/distributed_matrix.hpp")
POLICY_FACES = ("skua/policy/policy.hpp", "skua/policy/setup.hpp", "skua/policy/greedy.hpp")
# What users never name, but whose members they call: the argument of every task, and bases of public classes.
INHERITED = {"here", "basic_task_group", "basic_task_handle", "one_shot_base", "scope", "finish_handle", "flow_graph"}
# Declared in another header than the one whose `using` makes them public.
DECLARED_ELSEWHERE = {"monoid", "requester"}
# Public in C++, but nothing to read.
HIDDEN = {"namespace policies", "namespace runtime"}

A_FORWARD_DECLARATION = re.compile(r"\s*(template\s*<[^{;]*>\s*)?(class|struct|enum|enum class)\s+\w+(\s*:\s*[\w:]+)?;", re.DOTALL)


def public_names(root):
    """Every name that a program may use in namespace skua."""
    found = set()
    for face in FACES:
        for source in visible_names.headers(root, face).values():
            found |= visible_names.names_in(source)
    return {name for name in found if not name.startswith(("operator", "namespace "))}


def public_headers(root):
    found = {}
    for face in FACES + POLICY_FACES:
        found |= visible_names.headers(root, face)
    return dict(sorted(found.items()))


def comment_above(text, begin):
    """The offset of the first `///` line directly above."""
    at = text.rfind("\n", 0, begin) + 1
    while at > 0:
        line = text.rfind("\n", 0, at - 1) + 1
        if not text[line:at].lstrip().startswith("//"):
            break
        at = line
    return at


def is_shown(around, names, text, public):
    if re.match(r"\s*using\s+[\w:]+;", text) or A_FORWARD_DECLARATION.fullmatch(text):
        return False
    if around[:1] != ("skua",) or names is None:
        return False
    inner = list(around[1:])
    if inner == ["policies"]:
        return True
    return inner in ([], ["runtime"]) and bool(set(names) & (public | INHERITED)) and not set(names) & HIDDEN


def head_comment(path, text):
    """What the file is, as Doxygen reads it."""
    lines = []
    for line in text.splitlines()[1:]:  # the first one is the licence
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return f"/// @file {path}\n/// " + as_prose("\n/// ".join(lines)) + "\n"


def as_prose(text):
    """Without what Doxygen would take for its own commands."""
    return re.sub(r"<(?=[\w/])", "&lt;", text).replace("@", "\\@").replace("#", "\\#").replace("\\@file", "@file")


def comments_as_prose(text):
    return re.sub(r"(?m)(///<? ?)(.*)$", lambda m: m[1] + in_code_spans(m[2]), text)


def in_code_spans(line):
    """as_prose, but for what stands in `code`."""
    return "".join(part if i % 2 else as_prose(part) for i, part in enumerate(re.split(r"(`[^`]*`)", line)))


def shown(path, text, public):
    """(the header's text for Doxygen, the public names that it declares); the text is empty where nothing is public."""
    source = Source(path, text)
    code = source.without_directives()
    kept, names_kept, end_before = [], set(), 0
    here_public = public & (visible_names.names_in(source) | DECLARED_ELSEWHERE)  # an internal name elsewhere may be spelled like a public one
    for begin, end, around, head in visible_names.declarations(code):
        names = None if head is None else visible_names.declared_in(head)
        if is_shown(around, names, code[begin:end], here_public):
            first = max(comment_above(text, begin), end_before)
            space = "skua::policies" if "policies" in around else "skua"
            behind = re.compile(r"[ \t]*///<.*").match(text, end)
            said = comments_as_prose(text[first:behind.end() if behind else end].strip())
            kept.append(f"namespace {space} {{\n{said}\n}}\n")
            names_kept |= set(names)
        end_before = end
    if not kept:
        return "", set()
    return head_comment(path, text) + re.sub(r"\b(?:skua::)?(?:runtime|v0)::", "", "".join(kept)), names_kept
