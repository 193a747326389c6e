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
    """Remembers how long every case took."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.began, self.took = 0.0, {}

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.took[test] = time.monotonic() - self.began

    @property
    def cases(self):
        """(class, name, what came of it, the reason, seconds) of every case, once, however many of its subtests failed or were skipped; and
        of every class or module that failed or was skipped as a whole."""
        said = {}
        for outcome, of in (("failed", self.failures + self.errors), ("skipped", self.skipped)):
            for test, why in of:
                said.setdefault(getattr(test, "test_case", test), (outcome, "".join(why.strip().splitlines()[-1:])))
        return [(type(test).__name__, test.id().split(".")[-1], *said.get(test, ("passed", "")), self.took.get(test, 0.0))
                for test in {**self.took, **said}]


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
