#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""experiments/retentive-hpdc12/repeat.py runs all its commands on small inputs, and repeats none whose result is there."""

import pathlib
import subprocess

import command

REPEAT = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "retentive-hpdc12" / "repeat.py"


class Repeat(command.Case):
    def repeat(self, what):
        return subprocess.run([str(REPEAT), what, "--quick", "--skua", command.SKUA, "--output", str(self.scratch)], check=True,
                              capture_output=True, text=True, env=command.clean_environment()).stdout

    def test_every_figure_and_table_runs_on_small_inputs(self):
        said = self.repeat("all")
        for part in ("Table 1", "Table 2", "Table 3", "Figure 5", "Figure 6", "Figure 7", "Figure 10", "simulated"):
            self.assertIn(part, said)
        self.assertIn("holds: Be256/40 has the paper's tasks", said)

    def test_a_result_that_is_there_is_read(self):
        self.repeat("table1")
        found = next((self.scratch / "quick").glob("count-*.json"))
        found.write_text(found.read_text().replace('"tasks": 84934656', '"tasks": 5'))
        self.assertIn("DOES NOT HOLD: Be256/40 has", self.repeat("table1"))


if __name__ == "__main__":
    command.main()
