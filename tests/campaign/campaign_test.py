#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A campaign runs every program under every policy, goes on where it was cut off, and names what fails.

    campaign_test.py RANDOM_PROGRAMS
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "campaign.py"
sys.path.insert(0, str(TOOL.parent))
import campaign  # pylint: disable=wrong-import-position

PROGRAM = sys.argv.pop(1)


class Chunks(unittest.TestCase):
    def test_every_program_runs_once_under_every_policy(self):
        seen = {policy: [] for policy in campaign.POLICIES}
        for c in campaign.chunks_of(95, 10):
            seen[c["policy"]] += range(c["first"], c["first"] + c["count"])
        for policy, seeds in seen.items():
            self.assertEqual(seeds, list(range(1, 96)), policy)

    def test_every_policy_meets_every_disturbance(self):
        pairs = {(c["policy"], c["inject"]) for c in campaign.chunks_of(700, 100)}
        self.assertEqual(len(pairs), len(campaign.POLICIES) * len(campaign.INJECTIONS))


class Runs(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.journal = pathlib.Path(self.folder.name) / "new" / "journal.jsonl"

    def run_tool(self, program, *arguments):
        return subprocess.run([sys.executable, TOOL, program, "--journal", self.journal, *arguments],
                              capture_output=True, text=True, check=False)

    def chunks(self):
        return campaign.read_journal(self.journal)

    def test_programs_pass_under_every_policy_and_disturbance_and_do_not_run_again(self):
        ended = self.run_tool(PROGRAM, "--programs", "105", "--chunk", "15")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("525 programs have answered as their serial elision", ended.stdout)
        self.assertEqual(len(self.chunks()), 35)
        again = self.run_tool("/bin/false", "--programs", "105", "--chunk", "15")
        self.assertEqual(again.returncode, 0, "nothing is left to run")
        self.assertEqual(again.stdout, ended.stdout)

    def test_a_journal_that_was_cut_off_is_continued(self):
        self.assertEqual(self.run_tool("/bin/true", "--programs", "20", "--chunk", "10").returncode, 0)
        text = self.journal.read_text()
        self.journal.write_text(text[:-20])
        ended = self.run_tool("/bin/true", "--programs", "20", "--chunk", "10")
        self.assertIn("100 programs have answered", ended.stdout)
        self.assertEqual(len(self.chunks()), 10)

    def test_a_fault_is_named_with_its_command_and_does_not_count(self):
        ended = self.run_tool("/bin/false", "--programs", "10", "--chunk", "10", "--jobs", "1")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("/bin/false --policy random --first 1 --count 10 --inject nothing", ended.stderr)
        self.assertIn("0 programs have answered", ended.stdout)

    def test_no_time_means_no_chunk(self):
        ended = self.run_tool("/bin/false", "--minutes", "0")
        self.assertEqual(ended.returncode, 0)
        self.assertIn("0 programs have answered", ended.stdout)

    def test_a_program_that_is_not_there_is_refused(self):
        ended = self.run_tool("/no/such/program")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("there is no /no/such/program", ended.stderr)

    def test_a_wrong_answer_is_found(self):
        ended = subprocess.run([PROGRAM, "--policy", "random", "--inject", "wrong-answers"], capture_output=True,
                               text=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"^seed \d+: the answer is \d+, not \d+ under random")

    def test_the_program_refuses_what_it_does_not_know(self):
        for arguments in (["--policy", "nonsense"], ["--policy", "random", "--inject", "rain"], []):
            ended = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
            self.assertNotEqual(ended.returncode, 0, arguments)
            self.assertNotEqual(ended.stderr, "", arguments)


if __name__ == "__main__":
    unittest.main()
