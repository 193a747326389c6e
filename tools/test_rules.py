# SPDX-License-Identifier: MIT
"""Rules of tools/tidy.py for tests: what they are called, what they leave out, and how they tell threads apart."""

import re

A_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
A_SUITE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*(_DeathTest)?")  # GoogleTest runs suites with this ending first
A_SENTENCE = re.compile(r"[a-z0-9]+(_[a-z0-9]+){2,}")

NO_REASON = re.compile(r"\bGTEST_SKIP\(\)\s*;")
SILENT = re.compile(r"\bif (?:constexpr )?\((?:[^;{}]*[^\w;{}])?!?(?:skua::)?(?:under_[at]san|checked|valgrind::running\(\))[^;{}]*\)\s*\{?\s*"
                    r"(?:return|continue)\s*;")

THREAD_ID = re.compile(r"\bget_id\s*\(|\bpthread_self\s*\(")


def names(tree):
    for source in tree.code:
        for test in A_TEST.finditer(source.code):
            if not A_SUITE.fullmatch(test[1]) or not A_SENTENCE.fullmatch(test[2]):
                yield source, source.line_of(test.start()), \
                    f"{test[1]}.{test[2]}: a test is named TEST(what_is_tested, a_sentence_that_states_a_property)"


def silent_skips(tree):
    for source in tree.code:
        if source.is_test:
            for found in NO_REASON.finditer(source.code):
                yield source, source.line_of(found.start()), "GTEST_SKIP() without a reason; say what this machine or this build lacks"
            for found in SILENT.finditer(source.code):
                yield source, source.line_of(found.start()), "a test that is left out silently counts as passed: GTEST_SKIP() << why"


def thread_ids(tree):
    """A test may be compiled so that it cannot fail: two such calls around a wait become one."""
    for source in tree.code:
        if source.is_test:
            for found in THREAD_ID.finditer(source.code):
                yield source, source.line_of(found.start()), \
                    "a compiler may ask once and compare the answer with itself across a wait, because the C library " \
                    "declares pthread_self const; call this_thread_number() of tests/programs/this_thread.hpp"
