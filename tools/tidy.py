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
import old_words
import papers
import thick_headers
import traces
from sources import ABI, SCRIPT_SUFFIXES, Tree

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
COMMENT_REACH_LINES = 4

PLATFORM = "skua/parts/base/platform.hpp"
STANDARD = "skua/skua.hpp"  # refuses older standards, before a header that they do not understand
LIBSTDCXX = "skua/pstl.hpp"  # refuses other standard libraries, and a backend that is already chosen: both are known only as macros
STDEXEC = "skua/execution.hpp"  # says what it needs where that is not installed
ONETBB = "skua/onetbb/names.hpp"  # gives a namespace of ours another name, to which programs may add
SPDX = "SPDX-License-Identifier: MIT"
OUR_ROOTS = ("skua/", "apps/", "bench/", "cli/", "tests/", "examples/")
THE_RULES_THEMSELVES = {"tools/tidy.py", "tools/tidy_test.py",  # they spell out what they forbid
                        "tools/old_words.py", "tools/old_words_test.py"}
NOT_YET = set()  # rules that the tree does not obey yet

# Third-party headers inside the library, and the folders that hide each from the rest.
HIDDEN_LIBRARIES = {"hwloc": "skua/parts/topology/", "boost/": "skua/parts/context/", "mpi.h": "skua/machine/ranks/",
                    "toml++/": ("skua/machine/sim/model/", "skua/machine/ranks/simulated/")}

# What would let a policy act, wait, measure or allocate, instead of only deciding.
BARRED_IN_POLICIES = {"atomic", "barrier", "chrono", "condition_variable", "ctime", "future", "latch", "mutex", "new",
                      "random", "semaphore", "shared_mutex", "stop_token", "thread"}

RULES = {"papers": papers.findings, "thick_headers": thick_headers.findings, "traces": traces.findings}


def rule(function):
    RULES[function.__name__.removeprefix("rule_")] = function
    return function


# --- texts that a rule bars ---------------------------------------------------------------------------------------------

SKIPPED_SILENTLY = (r"\bif (?:constexpr )?\((?:[^;{}]*[^\w;{}])?!?(?:skua::)?(?:under_[at]san|checked|valgrind::running\(\))"
                    r"[^;{}]*\)\s*\{?\s*(?:return|continue)\s*;")

# Rule: rows of the files that it reads, whether it reads their comments and strings as well, what it bars, and why.
BARRED = {
    "conditionals": [
        (lambda s: s.is_code and s.path not in (PLATFORM, STANDARD, LIBSTDCXX, STDEXEC), False, r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)\b",
         f"conditional compilation belongs in {PLATFORM}")],
    # The entry points of skua/openmp are families of names, which no template can make.
    "macros": [(lambda s: s.is_code and not s.is_test and not s.path.startswith(("skua/openmp/gomp_loops", "skua/openmp/omp_fortran")), False,
                r"^[ \t]*#[ \t]*define\s+\w+\(", "a function-like macro; write a function")],
    "pragma_once": [(lambda s: s.is_header, True, r"\A(?!(?s:.*)^\s*#pragma once\s*$)", "a header without #pragma once")],
    # What the library declares stands in the inline namespace ABI, so that programs compiled against another ABI do not link, and two versions
    # in one process stay apart. Each file says so itself: where one file declares the inline namespace and the next one opens
    # `skua::runtime` without it, Clang takes that for a second namespace.
    "namespaces": [
        (lambda s: s.is_code and "/detail/" in s.path, False, r"\A", "no folder is called detail: what others need has a name of its own"),
        (lambda s: s.is_code, False, r"\bnamespace\s+([\w: ]+::)?detail\b", "no namespace is called detail: what others need has a name of its own"),
        (lambda s: s.is_header and s.path != ONETBB, False, r"\busing\s+namespace\b", "using namespace in a header enters every file that includes it"),
        (lambda s: s.is_code, False, rf"\bnamespace\s+skua\b(?!::(?:apps|cli|bench)\b)(?!\s*\{{\s*inline\s+namespace\s+{ABI}\b)[\w:\s]*\{{",
         f"the library's namespaces stand in the ABI's: namespace skua {{{{ inline namespace {ABI} {{{{ namespace runtime {{{{, a form that ctags reads, too")],
    "words": [
        (lambda s: s.path not in THE_RULES_THEMSELVES, True, r"\b(TODO|FIXME|XXX|HACK)\b", "{0}: do it now, or write it in docs/roadmap.md"),
        (lambda s: s.path not in THE_RULES_THEMSELVES, True, r"(?<![\w./<])/(home|root|work|Users)/", "a path on somebody's machine")],
    "library_manners": [
        (lambda s: s.is_library, False, r"\bstd::c(err|out|log)\b", "the library prints nothing: throw, or hand the text to the caller"),
        # MPI_Init and MPI_Finalize can wait for a dead rank for ever, and nothing else interrupts them; a rank that leaves ends its job. OpenMP's
        # interface has no way to report that there is no memory for a region.
        (lambda s: s.is_library and not s.path.endswith(("machine/ranks/mpi/time_limit.hpp", "machine/ranks/mpi/job_end.cpp", "openmp/last_words.cpp")), False,
         r"(?<!\w)(std::)?_?(quick_)?[eE]xit\s*\(", "the library never ends the process: throw"),
        (lambda s: s.is_library, False,
         r"\bstd::(random_device|mt19937(_64)?|default_random_engine|rand)\b|(?<![\w:.>])s?rand\s*\(",
         "parts/base/dice.hpp is the only source of randomness")],
    "silent_skips": [
        (lambda s: s.is_code and s.is_test, False, r"\bGTEST_SKIP\(\)\s*;", "GTEST_SKIP() without a reason; say what this machine or this build lacks"),
        (lambda s: s.is_code and s.is_test, False, SKIPPED_SILENTLY, "a test that is left out silently counts as passed: GTEST_SKIP() << why")],
    # A test may be compiled so that it cannot fail: two such calls around a wait become one.
    "thread_ids": [
        (lambda s: s.is_code and s.is_test, False, r"\bget_id\s*\(|\bpthread_self\s*\(",
         "a compiler may ask once and compare the answer with itself across a wait, because the C library declares pthread_self const; "
         "call this_thread_number() of tests/programs/this_thread.hpp")],
    "white_space": [
        (lambda s: True, True, r"[^\S\n]+$", "white space at the end of the line"),
        (lambda s: not s.path.endswith("Makefile"), True, r"\t", "a tab"),
        (lambda s: True, True, r"[^\n]\Z", "the last line has no end")],
    "merged": [(lambda s: True, True, r"^(<{7}|\|{7}|>{7})( |$)", "a merge that was left open")],
}


def barred_by(rows):
    def findings(tree):
        for is_read, all_of_it, pattern, why in rows:
            barred = re.compile(pattern, re.MULTILINE)
            for source in filter(is_read, tree.sources.values()):
                for found in barred.finditer(source.text if all_of_it else source.code):
                    yield source, source.line_of(found.start()), why.format(found[0])
    return findings


RULES |= {name: barred_by(rows) for name, rows in BARRED.items()}


# --- layers ---------------------------------------------------------------------------------------------------------

@rule
def rule_layers(tree):
    for source in tree.code:
        for line, name, quoted in source.includes():
            if name.startswith(OUR_ROOTS):
                if name not in tree.sources and name != "skua/ranks.h":  # C, which tidy does not read
                    yield source, line, f"there is no file {name}"
                elif why := layers.why_barred(source.path, name):
                    yield source, line, f"must not include {name}: {why}"
            elif quoted and layers.layer_of(source.path) is not None and not tree.variants(source, name):
                yield source, line, f"include {name} by its path from the root of the repository"


@rule
def rule_libraries(tree):
    for source in tree.library:
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
    code = source.without_directives()
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


@rule
def rule_named_orders(tree):
    for source in tree.library:
        for call in ATOMIC_CALL.finditer(source.code):
            if not ANY_ORDER.search(arguments_of(source, call.end())):
                yield source, source.line_of(call.start()), f"{call[1]} does not name its memory order"
        for declared in re.finditer(r"\batomic(?:<[^;{}]*>|_\w+)\s+(\w+_)\s*[{;=]", source.code):
            operator = rf"(?:\+\+|--)\s*{declared[1]}\b|(?<![\w>])(?<!> ){declared[1]}\s*(?:\+\+|--|[-+|&^]?=(?!=))"
            for use in re.finditer(operator, source.code):
                yield source, source.line_of(use.start()), f"an operator on the atomic {declared[1]} hides a seq_cst order"


@rule
def rule_partner_comments(tree):
    for source in tree.library:
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
    # skua/c has the text of a thread's last error, as errno has its number: a flow reads it before it can switch. skua/openmp is a library of its own, whose
    # interface is about threads.
    uses = [(s, s.line_of(m.start())) for s in tree.library if not s.path.startswith(("skua/c/", "skua/openmp/")) for m in re.finditer(r"\bthread_local\b", s.code)]
    for source, line in uses[1:]:
        first, at = uses[0]
        yield source, line, f"a second thread_local; the only one of the library stands at {first.path}:{at}"


# --- words ----------------------------------------------------------------------------------------------------------

NUMBERED_REPORT = re.compile(r"(?<![\w&/(])#\d+\b|\b(issue|bug|pull request|PR)\s+#?\d+\b", re.IGNORECASE)


@rule
def rule_numbered_reports(tree):
    for source in tree.sources.values():
        if source.path in THE_RULES_THEMSELVES or source.path.endswith((".json", ".in")):
            continue
        for number, line in enumerate(source.lines, 1):
            if NUMBERED_REPORT.search(source.comments.get(number, "") if source.is_code else line):
                yield source, number, "a number of a report; say here what it taught"


@rule
def rule_old_words(tree):
    finder = old_words.Finder()
    for source in tree.sources.values():
        if source.path not in THE_RULES_THEMSELVES:
            for line, said in old_words.findings(source, finder):
                yield source, line, said


NUMBERS_THAT_ARE_NAMES = re.compile(r"(sha1|sha256|x86_64|aarch64|avx2|avx512|sse2|u?int\d+|float\d+|utf8|mt19937)$")
VERSIONED = re.compile(r"(_(new|old|v\d+|copy|fast|orig|bak)|[a-z]_?\d+)$")


@rule
def rule_no_versions(tree):
    for source in tree.code:
        stem = re.sub(r"_(test|model|bench)$", "", pathlib.PurePosixPath(source.path).stem)
        if VERSIONED.search(stem) and not NUMBERS_THAT_ARE_NAMES.search(stem):
            yield source, 1, f"the file's name {stem} ends like a version: a variant is a parameter, or it replaces its elder"
        for declared in re.finditer(r"(?<!enum )\b(?:class|struct|concept|namespace)\s+(\w+)\s*(?=[:{=]|final)", source.code):
            if VERSIONED.search(declared[1]) and not NUMBERS_THAT_ARE_NAMES.search(declared[1]) and declared[1] != ABI:
                yield source, source.line_of(declared.start()), f"the name {declared[1]} ends like a version"


A_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
A_SUITE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*(_DeathTest)?")  # GoogleTest runs suites with this ending first
A_SENTENCE = re.compile(r"[a-z0-9]+(_[a-z0-9]+){2,}")


@rule
def rule_test_names(tree):
    for source in tree.code:
        for test in A_TEST.finditer(source.code):
            if not A_SUITE.fullmatch(test[1]) or not A_SENTENCE.fullmatch(test[2]):
                yield source, source.line_of(test.start()), \
                    f"{test[1]}.{test[2]}: a test is named TEST(what_is_tested, a_sentence_that_states_a_property)"


# --- files ----------------------------------------------------------------------------------------------------------

@rule
def rule_spdx(tree):
    for source in tree.sources.values():
        script = source.lines[:1] and source.lines[0].startswith("#!")
        if source.is_code or script or pathlib.PurePosixPath(source.path).suffix in SCRIPT_SUFFIXES:
            opening = source.lines[1 if script else 0 :][:1]
            if not opening or opening[0].strip("/# ") != SPDX:
                yield source, 1, f"must open with the line {SPDX}"


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
