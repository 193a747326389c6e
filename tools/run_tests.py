#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run ctest in a build directory and count test cases, not programs.

    tools/run_tests.py BUILD_DIRECTORY [ctest's own options]

A GoogleTest program counts as many cases as it has, and so does a program of unittest; each leaves a report in
BUILD_DIRECTORY/cases/NAME.xml (see skua_test and skua_python_test in cmake/targets.cmake). Any other test counts one. A
program that fails although none of its cases did (it crashed, timed out, leaked) counts one failed case.

The ten programs that took longest are named, with their seconds. A case that was skipped is listed under its reason: what
this machine or this build lacks. The last line of the output is
`N passed, N failed, N skipped`; the exit status is 0 only if something passed and nothing failed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

NO_REASON = "it does not say why"
NAMED_AS_SLOW = 10


def reason_of(case):
    """Why a case was skipped. GoogleTest puts the line of the source before what the test said."""
    said = " ".join(note.get("message", "") for note in case.iter("skipped")).strip()
    return " ".join(re.sub(r"^\S+:\d+\s+", "", said).split()) or NO_REASON


def cases_of(report):
    """(name, state, reason) of every case of a report; state is passed, failed or skipped."""
    for case in report.iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.get("status") == "notrun" or case.get("result") == "suppressed":
            continue
        if case.find("failure") is not None:
            yield name, "failed", ""
        elif case.get("result") == "skipped":
            yield name, "skipped", reason_of(case)
        else:
            yield name, "passed", ""


def read_report(path):
    """A report, or None if the program left none or did not live to write it whole."""
    try:
        return ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None


def ended(program):
    """How ctest says that a program ended: (passed, failed or skipped; why it was skipped)."""
    if program.get("status") == "run":
        return "passed", ""
    if program.get("status") == "disabled":
        return "skipped", "it is disabled"
    # ctest reports a program that it could not start as not run, too; that is no excuse.
    note = program.find("skipped")
    if note is None or not note.get("message", "").startswith("SKIP_"):
        return "failed", ""
    said = re.search(r"^skipped: (.+)$", program.findtext("system-out", ""), re.MULTILINE)
    return "skipped", said[1].strip() if said else NO_REASON


def count(junit, reports):
    """All cases as (name, state, reason), from ctest's JUnit file and the folder of reports."""
    found = []
    for program in ElementTree.parse(junit).getroot().iter("testcase"):
        name, (state, why) = program.get("name"), ended(program)
        report = read_report(reports / f"{name}.xml")
        cases = list(cases_of(report)) if report is not None else []
        found += [(f"{name}: {case}", how, reason) for case, how, reason in cases]
        if state == "failed" and not any(how == "failed" for _, how, _ in cases):
            found.append((f"{name}: the program itself" if cases else name, "failed", ""))
        elif report is None and state != "failed":
            found.append((name, state, why))
    return found


def slowest(junit):
    """The lines that say what costs: the programs that took longest, from ctest's JUnit file."""
    took = [(float(program.get("time") or 0), program.get("name")) for program in ElementTree.parse(junit).getroot().iter("testcase")]
    most = sorted(took, key=lambda t: (-t[0], t[1]))[:NAMED_AS_SLOW]
    if most:
        yield "slowest programs:"
        yield from (f"  {seconds:6.1f} s  {name}" for seconds, name in most)


def summary(found, left_out=""):
    """The lines that end the output: what was skipped and why, what failed, and the numbers."""
    reasons = {}
    for name, state, reason in found:
        if state == "skipped":
            reasons.setdefault(reason, []).append(name)
    for reason in sorted(reasons):
        yield f"skipped, because {reason}:"
        yield from (f"  {name}" for name in reasons[reason])
    if left_out:
        yield f"not in these numbers: the cases that GTEST_FILTER={left_out} leaves out"
    yield from (f"failed: {name}" for name, state, _ in found if state == "failed")
    states = [state for _, state, _ in found]
    yield ", ".join(f"{states.count(state)} {state}" for state in ("passed", "failed", "skipped"))


def main(arguments):
    if not arguments or not (pathlib.Path(arguments[0]) / "CTestTestfile.cmake").is_file():
        print("run_tests.py: name a build directory that has tests, e.g. build/dev", file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0]).resolve()
    reports, junit = build / "cases", build / "ctest.xml"
    shutil.rmtree(reports, ignore_errors=True)
    junit.unlink(missing_ok=True)
    ctest = ["ctest", "--test-dir", str(build), "--output-on-failure", "--output-junit", str(junit), *arguments[1:]]
    status = subprocess.run(ctest, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False).returncode
    if not junit.is_file():
        print("run_tests.py: ctest wrote no result", file=sys.stderr)
        return 1

    found = count(junit, reports)
    print()
    for line in (*slowest(junit), *summary(found, os.environ.get("GTEST_FILTER", ""))):
        print(line, flush=True)
    states = {state for _, state, _ in found}
    return 0 if "passed" in states and "failed" not in states and status == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
