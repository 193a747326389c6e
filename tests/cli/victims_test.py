#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whom idle ranks ask: skua run --victims, on the ranks of each MPI that is here."""

import command
import ranks_test


class Victims(ranks_test.OnRanks):
    def test_ranks_on_lifelines_ask_less_often(self):
        # Three long tasks are on four ranks: one waits, and in the end all wait for the longest.
        loads = ["run", "synthetic-loads", "--tasks", "3", "--shape", "equal", "--mean-us", "100000", "--sleep", "--iterations", "1"]
        for mpi in self.each():
            random, lifelines = (self.row(mpi, 4, *loads, *victims)["iterations"][0]["steals_attempted"] for victims in ([], ["--victims", "lifelines"]))
            self.assertLess(lifelines, random)
            self.assertTrue(self.row(mpi, 4, *ranks_test.FOCK, "--victims", "lifelines")["verified"])

    def test_lifelines_exclude_recovery_and_runs_without_steals(self):
        for option, said in ((["--victims", "lifelines", "--recover"], "--victims lifelines is given with --recover"), (["--victims", "random", "--balance", "none"], "--victims is given with --balance none"),
                             (["--victims", "nope"], "--victims is 'nope'; allowed: random, lifelines")):
            self.refuses(*ranks_test.FOCK, "--ranks", *option, message=(said,))


if __name__ == "__main__":
    command.main()
