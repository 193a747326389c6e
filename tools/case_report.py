# SPDX-License-Identifier: MIT
"""unittest.main() for the tests of the tools and of the command, which also leaves a report of its cases.

The report is XML as GoogleTest writes it, in the file that CASE_REPORT names, so that tools/run_tests.py counts the cases
of Python as it counts those of C++, and prints why one was skipped.
"""

import os
import pathlib
import time
import unittest
import xml.etree.ElementTree as ElementTree


class Report(unittest.TextTestResult):
    """Remembers every case as (class, name, what came of it, and the reason)."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.cases = []
        self.began = time.monotonic()

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def note(self, test, outcome, reason=""):
        self.cases.append((type(test).__name__, test.id().split(".")[-1], outcome, reason, time.monotonic() - self.began))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "failed", str(err[1]))

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "failed", str(err[1]))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        case = getattr(test, "test_case", test)  # where a subTest is skipped, the case is: once, however many there are
        if not any(name == case.id().split(".")[-1] and classname == type(case).__name__ for classname, name, *_ in self.cases):
            self.note(case, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, "failed", str(subtest))


def as_xml(cases):
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite")
    for classname, name, outcome, reason, seconds in cases:
        result = "skipped" if outcome == "skipped" else "completed"
        case = ElementTree.SubElement(suite, "testcase", classname=classname, name=name, status="run", result=result, time=f"{seconds:.3f}")
        if outcome != "passed":
            ElementTree.SubElement(case, {"skipped": "skipped", "failed": "failure"}[outcome], message=reason)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def main(verbosity=1):
    runner = unittest.TextTestRunner(resultclass=Report, verbosity=verbosity)
    result = unittest.main(module="__main__", exit=False, testRunner=runner).result
    if path := os.environ.get("CASE_REPORT"):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(as_xml(result.cases), encoding="utf-8")
    raise SystemExit(0 if result.wasSuccessful() and result.cases else 1)
