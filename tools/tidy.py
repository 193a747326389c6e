#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of the house, as a test: layers, sizes, memory orders, words, dead files.

    tools/tidy.py [ROOT] [--all]

Prints one line, `file:line: sentence [rule]`, for everything that breaks a rule, and exits with 1 if there is any.
The rules read text, not C++: they know comments, strings, brackets and names, and nothing of types. Each is a
function marked @rule; tidy_test.py shows that each fires on a bad sample and is quiet on a good one. A rule of NOT_YET is
checked only with --all.
"""

import collections
import pathlib
import re
import statistics
import sys

import layers
import namespaces
import old_words
import papers
import test_rules
import thick_headers
import traces
from sources import SCRIPT_SUFFIXES, Tree, blank

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
COMMENT_REACH_LINES = 4

PLATFORM = "skua/parts/base/platform.hpp"
STANDARD = "skua/skua.hpp"  # refuses older standards, before a header that they do not understand
SPDX = "SPDX-License-Identifier: MIT"
OUR_ROOTS = ("skua/", "apps/", "bench/", "cli/", "tests/")
THE_RULES_THEMSELVES = {"tools/tidy.py", "tools/tidy_test.py",  # they spell out what they forbid
                        "tools/old_words.py", "tools/old_words_test.py"}
NOT_YET = set()  # rules that the tree does not obey yet

# Third-party headers inside the library, and the folders that hide each from the rest.
HIDDEN_LIBRARIES = {"hwloc": "skua/parts/topology/", "boost/": "skua/parts/context/", "mpi.h": "skua/machine/ranks/",
                    "toml++/": ("skua/machine/sim/model/", "skua/machine/ranks/simulated/")}

# What would let a policy act, wait, measure or allocate, instead of only deciding.
BARRED_IN_POLICIES = {"atomic", "barrier", "chrono", "condition_variable", "ctime", "future", "latch", "mutex", "new",
                      "random", "semaphore", "shared_mutex", "stop_token", "thread"}

RULES = {}


def rule(function):
    RULES[function.__name__.removeprefix("rule_")] = function
    return function


# --- layers ---------------------------------------------------------------------------------------------------------

@rule
def rule_layers(tree):
    for source in tree.code:
        for line, name, quoted in source.includes():
            if name.startswith(OUR_ROOTS):
                if name not in tree.sources:
                    yield source, line, f"there is no file {name}"
                elif why := layers.why_barred(source.path, name):
                    yield source, line, f"must not include {name}: {why}"
            elif quoted and layers.layer_of(source.path) is not None and not tree.variants(source, name):
                yield source, line, f"include {name} by its path from the root of the repository"


@rule
def rule_libraries(tree):
    for source in tree.code:
        if not source.path.startswith("skua/") or source.is_test:
            continue
        for line, name, _ in source.includes():
            for library, folder in HIDDEN_LIBRARIES.items():
                if name.startswith(library) and not source.path.startswith(folder):
                    yield source, line, f"only {folder if isinstance(folder, str) else ' and '.join(folder)} may include <{name}>; the rest sees what it makes of it"


@rule
def rule_pure_policies(tree):
    for source in tree.code:
        if layers.layer_of(source.path) != "policy":
            continue
        for line, name, quoted in source.includes():
            if not quoted and not name.startswith("skua/") and (name in BARRED_IN_POLICIES or "." in name or "/" in name):
                yield source, line, f"a policy only decides: <{name}> would let it act, wait, measure or allocate"


# --- sizes ----------------------------------------------------------------------------------------------------------

@rule
def rule_file_size(tree):
    for source in tree.sources.values():
        sized = source.is_code or pathlib.PurePosixPath(source.path).suffix in SCRIPT_SUFFIXES
        if sized and len(source.lines) > MAX_FILE_LINES:
            yield source, MAX_FILE_LINES + 1, f"{len(source.lines)} lines; at most {MAX_FILE_LINES}: split it by idea"


def opens_function(head):
    """Does a `{` after this text, at namespace or class scope, open the body of a function?"""
    head = head.rstrip()
    if head.endswith(("}", ")")):  # `f() : a_{1} {` or `f() {`
        return True
    return re.search(r"\)[^()=;]*(\b(const|noexcept|override|final|mutable|try)|&|->[^;{}]*)$", head) is not None


def opens_scope(head):
    """Does a `{` after this text open a namespace, a class or an enumeration?"""
    last = re.split(r"[;{}]|\b(?:public|private|protected)\s*:", head)[-1]
    while (shorter := re.sub(r"<[^<>]*>", " ", last)) != last:
        last = shorter
    last = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", " ", last)
    last = re.sub(r"^\s*(template\b|export\b|inline\b|friend\b|typedef\b|static\b|const\b|requires\b[^;]*?(?=\bclass\b|\bstruct\b)|\s)*",
                  "", last)
    return re.match(r"(namespace|class|struct|union|enum)\b|extern\s*\"", last) is not None


def functions(source):
    """(first line, last line) of every function body that is not inside another one."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: blank(m.group()), source.code, flags=re.MULTILINE)
    stack, head_start = [], 0
    inside = None  # depth at which the current function opened
    for match in re.finditer(r"[{};]", code):
        at, bracket = match.start(), match.group()
        if bracket == "{":
            if inside is None:
                head = code[head_start:at]
                if not opens_scope(head) and opens_function(head):
                    inside = len(stack)
                elif opens_scope(head):
                    head_start = at + 1
            stack.append(at)
        elif bracket == "}" and stack:
            opened = stack.pop()
            if inside == len(stack):
                yield source.line_of(opened), source.line_of(at)
                inside, head_start = None, at + 1
            elif inside is None and code[at + 1 : at + 2] not in (",", " ", "\n", ")"):
                head_start = at + 1
        elif inside is None:
            head_start = at + 1


@rule
def rule_function_size(tree):
    for source in tree.code:
        for first, last in functions(source):
            if last - first + 1 > MAX_FUNCTION_LINES:
                yield source, first, f"a function of {last - first + 1} lines; at most {MAX_FUNCTION_LINES}"


# --- the preprocessor -----------------------------------------------------------------------------------------------

@rule
def rule_conditionals(tree):
    for source in tree.code:
        for number, line in enumerate(source.code_lines, 1):
            if source.path not in (PLATFORM, STANDARD) and re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line):
                yield source, number, f"conditional compilation belongs in {PLATFORM}"


@rule
def rule_macros(tree):
    for source in tree.code:
        for number, line in enumerate(source.code_lines, 1):
            if not source.is_test and re.match(r"\s*#\s*define\s+\w+\(", line):
                yield source, number, "a function-like macro; write a function"


@rule
def rule_pragma_once(tree):
    for source in tree.code:
        if source.is_header and not any(line.strip() == "#pragma once" for line in source.lines):
            yield source, 1, "a header without #pragma once"


# --- memory orders --------------------------------------------------------------------------------------------------

ATOMIC_CALL = re.compile(r"(?:\.|->)\s*(load|store|exchange|compare_exchange_weak|compare_exchange_strong|"
                         r"fetch_add|fetch_sub|fetch_and|fetch_or|fetch_xor|test_and_set)\s*\(")
FENCE_CALL = re.compile(r"\b(atomic_thread_fence|atomic_signal_fence|light_fence|full_fence|heavy_fence)\s*\(")
NAMED_FENCE = re.compile(r"((?:light|full|heavy)_fence)$")
STRONG = re.compile(r"(?:\b|_)(acquire|release|acq_rel|seq_cst|consume)\b")
ANY_ORDER = re.compile(r"\bmemory_order|\b(relaxed|acquire|release|acq_rel|seq_cst)\b|\border(_\w+|s)?\b|\b\w+_order\b")


def arguments_of(source, opening):
    """The text between the parenthesis at `opening` - 1 and its partner."""
    depth, at = 1, opening
    while at < len(source.code) and depth > 0:
        depth += {"(": 1, ")": -1}.get(source.code[at], 0)
        at += 1
    return source.code[opening : at - 1]


def library_code(tree):
    return (s for s in tree.code if s.path.startswith("skua/") and not s.is_test)


@rule
def rule_named_orders(tree):
    for source in library_code(tree):
        for call in ATOMIC_CALL.finditer(source.code):
            if not ANY_ORDER.search(arguments_of(source, call.end())):
                yield source, source.line_of(call.start()), f"{call[1]} does not name its memory order"
        for declared in re.finditer(r"\batomic(?:<[^;{}]*>|_\w+)\s+(\w+_)\s*[{;=]", source.code):
            operator = rf"(?:\+\+|--)\s*{declared[1]}\b|(?<![\w>])(?<!> ){declared[1]}\s*(?:\+\+|--|[-+|&^]?=(?!=))"
            for use in re.finditer(operator, source.code):
                yield source, source.line_of(use.start()), f"an operator on the atomic {declared[1]} hides a seq_cst order"


@rule
def rule_partner_comments(tree):
    for source in library_code(tree):
        for call in [*ATOMIC_CALL.finditer(source.code), *FENCE_CALL.finditer(source.code)]:
            arguments = arguments_of(source, call.end())
            strong = STRONG.search(arguments) or NAMED_FENCE.match(call[1])
            if not strong or (strong.re is NAMED_FENCE and source.path.startswith("skua/parts/base/")):  # defined there
                continue
            first, last = source.line_of(call.start()), source.line_of(call.end() + len(arguments))
            near = (source.comments.get(n, "") for n in range(first - COMMENT_REACH_LINES, last + 1))
            if not any(len(said.split()) >= 3 for said in near):
                yield source, first, f"{strong[1]} without a comment that names its partner and says why"


@rule
def rule_one_thread_local(tree):
    uses = [(s, s.line_of(m.start())) for s in library_code(tree) for m in re.finditer(r"\bthread_local\b", s.code)]
    for source, line in uses[1:]:
        first, at = uses[0]
        yield source, line, f"a second thread_local; the only one of the library stands at {first.path}:{at}"


# --- words ----------------------------------------------------------------------------------------------------------

LATER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
SOMEBODYS_PATH = re.compile(r"(?<![\w./<])/(home|root|work|Users)/")
NUMBERED_REPORT = re.compile(r"(?<![\w&/(])#\d+\b|\b(issue|bug|pull request|PR)\s+#?\d+\b", re.IGNORECASE)


@rule
def rule_words(tree):
    for source in tree.sources.values():
        if source.path in THE_RULES_THEMSELVES:
            continue
        for number, line in enumerate(source.lines, 1):
            if found := LATER.search(line):
                yield source, number, f"{found[0]}: do it now, or write it in docs/roadmap.md"
            if SOMEBODYS_PATH.search(line):
                yield source, number, "a path on somebody's machine"
            prose = source.comments.get(number, "") if source.is_code else line
            if not source.path.endswith((".json", ".in")) and NUMBERED_REPORT.search(prose):
                yield source, number, "a number of a report; say here what it taught"


@rule
def rule_old_words(tree):
    finder = old_words.Finder()
    for source in tree.sources.values():
        if source.path not in THE_RULES_THEMSELVES:
            for line, said in old_words.findings(source, finder):
                yield source, line, said


@rule
def rule_papers(tree):
    yield from papers.findings(tree)


@rule
def rule_traces(tree):
    yield from traces.findings(tree)


@rule
def rule_thick_headers(tree):
    yield from thick_headers.findings(tree)


@rule
def rule_namespaces(tree):
    yield from namespaces.findings(tree)


@rule
def rule_library_manners(tree):
    barred = {
        r"\bstd::c(err|out|log)\b": "the library prints nothing: throw, or hand the text to the caller",
        r"(?<!\w)(std::)?_?(quick_)?[eE]xit\s*\(": "the library never ends the process: throw",
        r"\bstd::(random_device|mt19937(_64)?|default_random_engine|rand)\b|(?<![\w:.>])s?rand\s*\(":
            "parts/base/dice.hpp is the only source of randomness",
    }
    for source in library_code(tree):
        for number, line in enumerate(source.code_lines, 1):
            for pattern, sentence in barred.items():
                # MPI_Init and MPI_Finalize can wait for a dead rank for ever, and nothing else interrupts them.
                if "never ends" in sentence and str(source.path).endswith("machine/ranks/mpi/time_limit.hpp"):
                    continue
                if re.search(pattern, line):
                    yield source, number, sentence


NUMBERS_THAT_ARE_NAMES = re.compile(r"(sha1|sha256|x86_64|aarch64|avx2|avx512|sse2|u?int\d+|float\d+|utf8|mt19937)$")
VERSIONED = re.compile(r"(_(new|old|v\d+|copy|fast|orig|bak)|[a-z]_?\d+)$")


@rule
def rule_no_versions(tree):
    for source in tree.code:
        stem = re.sub(r"_(test|model|bench)$", "", pathlib.PurePosixPath(source.path).stem)
        if VERSIONED.search(stem) and not NUMBERS_THAT_ARE_NAMES.search(stem):
            yield source, 1, f"the file's name {stem} ends like a version: a variant is a parameter, or it replaces its elder"
        for declared in re.finditer(r"(?<!enum )\b(?:class|struct|concept|namespace)\s+(\w+)\s*(?=[:{=]|final)", source.code):
            if VERSIONED.search(declared[1]) and not NUMBERS_THAT_ARE_NAMES.search(declared[1]) and declared[1] != namespaces.ABI:
                yield source, source.line_of(declared.start()), f"the name {declared[1]} ends like a version"


@rule
def rule_test_names(tree):
    yield from test_rules.names(tree)


@rule
def rule_silent_skips(tree):
    yield from test_rules.silent_skips(tree)


@rule
def rule_thread_ids(tree):
    yield from test_rules.thread_ids(tree)


# --- files ----------------------------------------------------------------------------------------------------------

@rule
def rule_spdx(tree):
    for source in tree.sources.values():
        script = source.lines[:1] and source.lines[0].startswith("#!")
        if source.is_code or script or pathlib.PurePosixPath(source.path).suffix in SCRIPT_SUFFIXES:
            opening = source.lines[1 if script else 0 :][:1]
            if not opening or opening[0].strip("/# ") != SPDX:
                yield source, 1, f"must open with the line {SPDX}"


@rule
def rule_white_space(tree):
    for source in tree.sources.values():
        if source.text and not source.text.endswith("\n"):
            yield source, len(source.lines), "the last line has no end"
        tabs_allowed = source.path.endswith("Makefile")
        for number, line in enumerate(source.text.split("\n"), 1):
            if line != line.rstrip():
                yield source, number, "white space at the end of the line"
            if "\t" in line and not tabs_allowed:
                yield source, number, "a tab"


MARKER = re.compile(r"(<{7}|\|{7}|>{7})( |$)")


@rule
def rule_merged(tree):
    for source in tree.sources.values():
        for number, line in enumerate(source.lines, 1):
            if MARKER.match(line):
                yield source, number, "a merge that was left open"


def is_built(tree, source):
    """Does a CMake file name this source, in full or, as in `${name}_test.cpp`, by parts that stand there as words?"""
    pure = pathlib.PurePosixPath(source.path)
    near = [s for s in tree.cmake if s.path.endswith(".cmake") or pure.is_relative_to(pathlib.PurePosixPath(s.path).parent)]
    text = "\n".join(s.text for s in near)
    if re.search(rf"(?<![\w.-]){re.escape(pure.name)}(?![\w.-])", text):
        return True
    for composed in set(re.findall(r"[\w.${}-]*\$\{\w+\}[\w.${}-]*\.cpp", text)):
        parts = re.fullmatch(re.sub(r"\\\$\\\{\w+\\\}", r"(\\w+)", re.escape(composed)), pure.name)
        if parts and all(re.search(rf"(?<![\w-]){re.escape(part)}(?![\w-])", text) for part in parts.groups()):
            return True
    return False


@rule
def rule_dead_files(tree):
    named = [(s, name) for s in tree.code for _, name, _ in s.includes()]
    included = {name for _, name in named} | {path for s, name in named for path in tree.variants(s, name)}
    configured = "\n".join(s.text for s in tree.cmake)
    for source in tree.code:
        if source.is_header and source.path not in included and pathlib.PurePosixPath(source.path).name not in configured:
            yield source, 1, "nobody includes this header and no CMake file names it"
        if not source.is_header and not is_built(tree, source):
            yield source, 1, "no CMakeLists.txt names this file, so nobody builds it"


# --- report ---------------------------------------------------------------------------------------------------------

def findings(tree, rules=tuple(RULES)):
    """(path, line, sentence, rule) of everything that breaks a rule, in the order of the files."""
    found = [(source.path, line, said, name) for name in rules for source, line, said in RULES[name](tree)]
    return sorted(set(found))


def main(arguments):
    folders = [word for word in arguments if word != "--all"]
    rules = [name for name in RULES if name not in NOT_YET or "--all" in arguments]
    root = pathlib.Path(folders[0] if folders else pathlib.Path(__file__).resolve().parent.parent)
    if len(folders) > 1 or not root.is_dir():
        print("tidy.py: name one folder, the root of the repository, or nothing; and perhaps --all", file=sys.stderr)
        return 2
    tree = Tree(root)
    if not tree.code:
        print(f"tidy.py: there is no source under {root}", file=sys.stderr)
        return 2
    found = findings(tree, rules)
    for path, line, said, name in found:
        print(f"{path}:{line}: {said} [{name}]")
    sizes = [len(s.lines) for s in tree.code]
    largest = max(tree.code, key=lambda s: len(s.lines))
    folders = collections.Counter(str(pathlib.PurePosixPath(s.path).parent) for s in tree.code)
    folder, files = folders.most_common(1)[0]
    print(f"{len(found)} findings by {len(rules)} rules in {len(tree.sources)} files; {len(sizes)} of C++, median "
          f"{statistics.median(sizes):g} lines, largest {len(largest.lines)} ({largest.path}), in {len(folders)} folders, largest {files} files ({folder})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
