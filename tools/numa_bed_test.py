#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What numa_bed.py makes of what a guest says: nothing that went wrong, or was not done, counts as passed."""

import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import numa_bed  # noqa: E402


def said(name, body="[       OK ] a.b (0 ms)", status=0):
    return f"numa_bed: begin {name}\n{body}\nnuma_bed: end {name} {status}\n"


class Verdict(unittest.TestCase):
    def wrong(self, log, programs=("one", "two")):
        return numa_bed.verdict(programs, log)

    def test_all_is_well(self):
        self.assertEqual(self.wrong("numa_bed: booted\n" + said("one") + said("two") + "numa_bed: done\n"), [])

    def test_a_program_that_did_not_end_or_failed(self):
        log = "numa_bed: begin one\n[       OK ] a.b\nnuma_bed: begin two\nnuma_bed: end two 139\nnuma_bed: done\n"
        self.assertEqual(self.wrong(log), ["one did not run to its end", "two ended with 139", "two passed no test"])

    def test_skipped_tests_are_no_tests(self):
        body = "[       OK ] a.b (0 ms)\n[  SKIPPED ] a.c (0 ms)\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] a.c"
        log = said("one", body) + said("two") + "numa_bed: done\n"
        self.assertEqual(self.wrong(log), ["one skipped a.c"])

    def test_a_guest_that_hangs_or_panics(self):
        self.assertEqual(self.wrong("", ["one"]), ["one did not run to its end", "the guest did not come to its end"])
        self.assertEqual(self.wrong(said("one"), ["one"]), ["the guest did not come to its end"])


class Machine(unittest.TestCase):
    def test_the_slit_is_symmetric_and_nearest_at_home(self):
        for nodes in (2, 4, 5):
            rows = numa_bed.slit(nodes)
            for a in range(nodes):
                for b in range(nodes):
                    self.assertEqual(rows[a][b], rows[b][a])
                    self.assertEqual(rows[a][b] == 10, a == b)
        self.assertEqual(numa_bed.slit(4)[0], [10, 21, 31, 21])

    def test_the_archive_is_what_cpio_reads(self):
        archive = numa_bed.cpio({"d": (0o040755, b""), "d/f": (0o100644, b"hello"), "g": (0o100755, b"")})
        if not shutil.which("cpio"):
            self.skipTest("there is no cpio to ask")
        listed = subprocess.run(["cpio", "-t", "--quiet"], input=archive, capture_output=True, check=True).stdout
        self.assertEqual(listed.decode().split(), ["d", "d/f", "g"])

    def test_every_program_is_begun_and_ended_by_the_guest(self):
        script = numa_bed.init_script(4)
        for name, _ in numa_bed.PROGRAMS:
            self.assertIn(f"begin {name}", script)
            self.assertIn(f"end {name} $?", script)
        self.assertIn('SKUA_TEST_SLIT="10 21 31 21 21 10 ', script)

    def test_what_cannot_be_is_said_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in ([folder], [folder, "--nodes", "3"], [folder, "--kernel", "/nowhere"]):
                heard = io.StringIO()
                with contextlib.redirect_stderr(heard):
                    self.assertEqual(numa_bed.main(words), 2)
                self.assertEqual(len(heard.getvalue().splitlines()), 1, heard.getvalue())


if __name__ == "__main__":
    case_report.main()
