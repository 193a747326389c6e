#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What run_tests.py counts: cases, not programs; and that nothing which went wrong counts as passed."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_tests  # noqa: E402  (it stands beside this file)


def program(name, status="run", skipped=None):
    note = "" if skipped is None else f'<skipped message="{skipped}"/>'
    return f'<testcase name="{name}" classname="{name}" time="1" status="{status}">{note}</testcase>'


def case(name, failed=False, **more):
    return {"name": name, "classname": "suite", "status": "RUN", "result": "COMPLETED",
            **({"failures": [{"failure": "x"}]} if failed else {}), **more}


def counted(programs, reports):
    with tempfile.TemporaryDirectory() as folder:
        junit = pathlib.Path(folder, "ctest.xml")
        junit.write_text("<testsuite>" + "".join(programs) + "</testsuite>", encoding="utf-8")
        for name, cases in reports.items():
            text = cases if isinstance(cases, str) else json.dumps({"testsuites": [{"name": "s", "testsuite": cases}]})
            pathlib.Path(folder, f"{name}.json").write_text(text, encoding="utf-8")
        states = [state for _, state in run_tests.count(junit, pathlib.Path(folder))]
    return states.count("passed"), states.count("failed"), states.count("skipped")


class RunTestsTest(unittest.TestCase):
    def test_cases_are_counted_not_programs(self):
        self.assertEqual(counted([program("a")], {"a": [case("x"), case("y"), case("z")]}), (3, 0, 0))

    def test_a_program_without_a_report_counts_one(self):
        self.assertEqual(counted([program("a"), program("b", "fail")], {}), (1, 1, 0))

    def test_failed_and_skipped_cases(self):
        cases = [case("x", failed=True), case("y"), case("z", result="SKIPPED"), case("w", status="NOTRUN")]
        self.assertEqual(counted([program("a", "fail")], {"a": cases}), (1, 1, 1))

    def test_a_program_that_fails_after_its_cases_passed_is_a_failure(self):
        self.assertEqual(counted([program("a", "fail")], {"a": [case("x")]}), (1, 1, 0))

    def test_a_program_that_crashed_while_writing_is_a_failure(self):
        self.assertEqual(counted([program("a", "fail")], {"a": '{"testsuites": ['}), (0, 1, 0))

    def test_a_program_that_could_not_start_is_a_failure(self):
        programs = [program("a", "notrun", "Unable to find executable"), program("b", "notrun", "Fixture dependency failed")]
        self.assertEqual(counted(programs, {}), (0, 2, 0))

    def test_skipped_and_disabled_programs_are_neither(self):
        programs = [program("a", "notrun", "SKIP_RETURN_CODE=77"), program("b", "disabled")]
        self.assertEqual(counted(programs, {}), (0, 0, 2))

    def test_a_program_whose_cases_were_all_left_out_counts_none(self):
        self.assertEqual(counted([program("a")], {"a": []}), (0, 0, 0))

    def test_a_folder_without_tests_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run_tests.main([folder]), 2)


if __name__ == "__main__":
    unittest.main()
