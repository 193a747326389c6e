#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run ctest in a build directory and count test cases, not programs.

    tools/run_tests.py BUILD_DIRECTORY [ctest's own options]

A GoogleTest program counts as many cases as it ran (it leaves BUILD_DIRECTORY/gtest/NAME.json, see skua_test in
cmake/targets.cmake); any other test counts one. A program that fails although none of its cases did (it crashed,
timed out, leaked) counts one failed case. The last line of the output is `N passed, N failed`; the exit status is 0
only if something passed and nothing failed.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree


def cases_of(report):
    """(name, state) of every case of a GoogleTest report; state is passed, failed or skipped."""
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            name = f"{case.get('classname', suite.get('name'))}.{case.get('name')}"
            if case.get("status") == "NOTRUN" or case.get("result") == "SUPPRESSED":
                continue
            if case.get("failures"):
                yield name, "failed"
            elif case.get("result") == "SKIPPED":
                yield name, "skipped"
            else:
                yield name, "passed"


def read_report(path):
    """A GoogleTest report, or None if the program did not live to write it whole."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def ended(program):
    """How ctest says that a program ended: passed, failed or skipped."""
    if program.get("status") == "run":
        return "passed"
    if program.get("status") == "disabled":
        return "skipped"
    # ctest reports a program that it could not start as not run, too; that is no excuse.
    note = program.find("skipped")
    return "skipped" if note is not None and note.get("message", "").startswith("SKIP_") else "failed"


def count(junit, reports):
    """All cases as (name, state), from ctest's JUnit file and the folder of GoogleTest reports."""
    found = []
    for program in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        name, state = program.get("name"), ended(program)
        report = read_report(reports / f"{name}.json")
        cases = list(cases_of(report)) if report else []
        found += [(f"{name}: {case}", how) for case, how in cases]
        if state == "failed" and not any(how == "failed" for _, how in cases):
            found.append((f"{name}: the program itself" if cases else name, "failed"))
        elif report is None and state != "failed":
            found.append((name, state))
    return found


def main(arguments):
    if not arguments or not (pathlib.Path(arguments[0]) / "CTestTestfile.cmake").is_file():
        print("run_tests.py: name a build directory that has tests, e.g. build/dev", file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0]).resolve()
    reports, junit = build / "gtest", build / "ctest.xml"
    shutil.rmtree(reports, ignore_errors=True)
    junit.unlink(missing_ok=True)
    ctest = ["ctest", "--test-dir", str(build), "--output-on-failure", "--output-junit", str(junit), *arguments[1:]]
    status = subprocess.run(ctest, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False).returncode
    if not junit.is_file():
        print("run_tests.py: ctest wrote no result", file=sys.stderr)
        return 1

    found = count(junit, reports)
    print()
    for wanted in ("skipped", "failed"):
        for name, state in found:
            if state == wanted:
                print(f"{wanted}: {name}")
    passed = sum(state == "passed" for _, state in found)
    failed = sum(state == "failed" for _, state in found)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if passed > 0 and failed == 0 and status == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
