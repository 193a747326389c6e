# SPDX-License-Identifier: MIT
"""Which namespaces there are: what tidy.py checks of them.

What the library declares stands in the inline namespace ABI, so that programs compiled against another ABI do not link,
and two versions in one process stay apart. Each file says so itself: where one file declares the inline namespace and the
next one opens `skua::runtime` without it, Clang takes that for a second namespace.
"""

import re

ABI = "v0"
NOT_OF_THE_LIBRARY = ("apps", "cli", "bench")
OPENED = re.compile(r"\bnamespace\s+skua\b(?:::(?P<of>\w+))?(?:\s*\{\s*inline\s+namespace\s+(?P<inline>\w+))?[\w:\s]*\{")


def findings(tree):
    for source in tree.code:
        if "detail" in source.path.split("/"):
            yield source, 1, "no folder is called detail: what others need has a name of its own"
        for number, line in enumerate(source.code_lines, 1):
            if re.search(r"\bnamespace\s+([\w: ]+::)?detail\b", line):
                yield source, number, "no namespace is called detail: what others need has a name of its own"
            if source.is_header and re.search(r"\busing\s+namespace\b", line):
                yield source, number, "using namespace in a header enters every file that includes it"
            opened = OPENED.search(line)
            if opened and opened["inline"] != ABI and opened["of"] not in NOT_OF_THE_LIBRARY:
                yield source, number, (f"the library's namespaces stand in the ABI's: namespace skua {{ inline namespace {ABI} {{ "
                                       "namespace runtime {, a form that ctags reads, too")
