#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What run_tests.py counts: cases, not programs; that nothing which went wrong counts as passed, and nothing which was
skipped goes without its reason."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import run_tests  # noqa: E402


def program(name, status="run", skipped=None, said="", seconds="1"):
    note = "" if skipped is None else f'<skipped message="{skipped}"/>'
    return f'<testcase name="{name}" classname="{name}" time="{seconds}" status="{status}">{note}<system-out>{said}</system-out></testcase>'


def case(name, inside="", status="run", result="completed"):
    """One case, as GoogleTest 1.12 writes it."""
    return f'<testcase name="{name}" classname="suite" status="{status}" result="{result}">{inside}</testcase>'


def skipped_case(name, reason):
    return case(name, f'<skipped message="../x_test.cpp:12&#x0A;{reason}"><![CDATA[..]]></skipped>', result="skipped")


FAILURE = '<failure message="x" type=""><![CDATA[x]]></failure>'


def found_in(programs, reports):
    with tempfile.TemporaryDirectory() as folder:
        junit = pathlib.Path(folder, "ctest.xml")
        junit.write_text("<testsuite>" + "".join(programs) + "</testsuite>", encoding="utf-8")
        for name, cases in reports.items():
            whole = "<testsuites><testsuite name='s'>" + "".join(cases) + "</testsuite></testsuites>"
            pathlib.Path(folder, f"{name}.xml").write_text(cases if isinstance(cases, str) else whole, encoding="utf-8")
        return run_tests.count(junit, pathlib.Path(folder))


def counted(programs, reports):
    states = [state for _, state, _ in found_in(programs, reports)]
    return states.count("passed"), states.count("failed"), states.count("skipped")


class RunTestsTest(unittest.TestCase):
    def test_cases_are_counted_not_programs(self):
        self.assertEqual(counted([program("a")], {"a": [case("x"), case("y"), case("z")]}), (3, 0, 0))

    def test_a_program_without_a_report_counts_one(self):
        self.assertEqual(counted([program("a"), program("b", "fail")], {}), (1, 1, 0))

    def test_failed_and_skipped_cases(self):
        cases = [case("x", FAILURE), case("y"), skipped_case("z", "one node"), case("w", status="notrun", result="suppressed")]
        self.assertEqual(counted([program("a", "fail")], {"a": cases}), (1, 1, 1))

    def test_a_program_that_fails_after_its_cases_passed_is_a_failure(self):
        self.assertEqual(counted([program("a", "fail")], {"a": [case("x")]}), (1, 1, 0))

    def test_a_program_that_crashed_while_writing_is_a_failure(self):
        self.assertEqual(counted([program("a", "fail")], {"a": "<testsuites><testsuite"}), (0, 1, 0))

    def test_a_program_that_could_not_start_is_a_failure(self):
        programs = [program("a", "notrun", "Unable to find executable"), program("b", "notrun", "Fixture dependency failed")]
        self.assertEqual(counted(programs, {}), (0, 2, 0))

    def test_skipped_and_disabled_programs_are_neither(self):
        programs = [program("a", "notrun", "SKIP_RETURN_CODE=77"), program("b", "disabled")]
        self.assertEqual(counted(programs, {}), (0, 0, 2))

    def test_a_program_whose_cases_were_all_left_out_counts_none(self):
        self.assertEqual(counted([program("a")], {"a": []}), (0, 0, 0))

    def test_a_folder_without_tests_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(run_tests.main([folder]), 2)


class Summary(unittest.TestCase):
    def lines(self, programs, reports, left_out=""):
        return list(run_tests.summary(found_in(programs, reports), left_out))

    def test_the_last_line_has_all_three_numbers(self):
        cases = [case("x"), case("y", FAILURE), skipped_case("z", "one node"), case("v")]
        self.assertEqual(self.lines([program("a", "fail")], {"a": cases})[-1], "2 passed, 1 failed, 1 skipped")
        self.assertEqual(self.lines([program("a")], {"a": [case("x")]}), ["1 passed, 0 failed, 0 skipped"])

    def test_skipped_cases_stand_under_their_reason(self):
        cases = [skipped_case("x", "there is one node"), case("y"), skipped_case("z", "a kernel without\nhuge pages")]
        programs = [program("a"), program("b", "notrun", "SKIP_REGULAR_EXPRESSION_MATCHED", "skipped: there is one node\n")]
        self.assertEqual(self.lines(programs, {"a": cases}),
                         ["skipped, because a kernel without huge pages:", "  a: suite.z",
                          "skipped, because there is one node:", "  a: suite.x", "  b",
                          "1 passed, 0 failed, 3 skipped"])

    def test_a_test_that_does_not_say_why_it_is_skipped_is_told_from_those_that_do(self):
        programs = [program("a", "notrun", "SKIP_RETURN_CODE=77"), program("b", "disabled")]
        self.assertEqual(self.lines(programs, {}), ["skipped, because it does not say why:", "  a",
                                                    "skipped, because it is disabled:", "  b", "0 passed, 0 failed, 2 skipped"])

    def test_a_filter_that_leaves_cases_out_is_named(self):
        self.assertEqual(self.lines([program("a")], {"a": [case("x")]}, "-*DeathTest.*")[-2:],
                         ["not in these numbers: the cases that GTEST_FILTER=-*DeathTest.* leaves out",
                          "1 passed, 0 failed, 0 skipped"])

    def test_failed_cases_are_named_right_above_the_numbers(self):
        lines = self.lines([program("a", "fail"), program("b", "fail")], {"a": [case("x", FAILURE)]})
        self.assertEqual(lines, ["failed: a: suite.x", "failed: b", "0 passed, 2 failed, 0 skipped"])


class Slowest(unittest.TestCase):
    def lines(self, programs):
        with tempfile.TemporaryDirectory() as folder:
            junit = pathlib.Path(folder, "ctest.xml")
            junit.write_text("<testsuite>" + "".join(programs) + "</testsuite>", encoding="utf-8")
            return list(run_tests.slowest(junit))

    def test_those_that_took_longest_come_first(self):
        self.assertEqual(self.lines([program("a", seconds="0.51"), program("b", "fail", seconds="120.26"), program("c", seconds="7")]),
                         ["slowest programs:", "   120.3 s  b", "     7.0 s  c", "     0.5 s  a"])

    def test_ten_are_named(self):
        self.assertEqual(len(self.lines([program(f"p{n}", seconds=f"{n}") for n in range(30)])), 1 + 10)

    def test_nothing_is_said_of_no_programs(self):
        self.assertEqual(self.lines([]), [])


class Python(unittest.TestCase):
    """The cases of unittest, reported by case_report.py."""

    def states(self, body):
        class Sample(unittest.TestCase):
            pass

        Sample.test_it = body
        result = unittest.TextTestRunner(stream=io.StringIO(), resultclass=case_report.Report).run(Sample("test_it"))
        report = run_tests.ElementTree.fromstring(case_report.as_xml(result.cases))
        return [(name, state, reason) for name, state, reason in run_tests.cases_of(report)]

    def test_a_case_that_passes_fails_or_is_skipped_is_counted_as_such(self):
        self.assertEqual(self.states(lambda test: None), [("Sample.test_it", "passed", "")])
        self.assertEqual(self.states(lambda test: test.fail("x")), [("Sample.test_it", "failed", "")])
        self.assertEqual(self.states(lambda test: 1 / 0), [("Sample.test_it", "failed", "")])
        self.assertEqual(self.states(lambda test: test.skipTest("there is no cpio")),
                         [("Sample.test_it", "skipped", "there is no cpio")])

    def test_a_case_of_which_parts_are_skipped_is_one_skipped_case(self):
        def body(test):
            for part in range(3):
                with test.subTest(part=part):
                    test.skipTest("no control group can be made here")

        self.assertEqual(self.states(body), [("Sample.test_it", "skipped", "no control group can be made here")])


if __name__ == "__main__":
    case_report.main()
