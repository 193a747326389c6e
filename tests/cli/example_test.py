#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Environment variables change the scheduler of a program that is already built."""

import command


class Example(command.Case):
    def output(self, **variables):
        code, out, err = command.run(program=command.EXAMPLE, variables=variables)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_auto_is_the_default(self):
        self.assertRegex(self.output(), r"^fib\(\d+\) = \d+, scheduled by auto on \d+ workers\n$")

    def test_skua_policy_chooses_the_policy(self):
        self.assertIn("scheduled by hierarchical", self.output(SKUA_POLICY="hierarchical"))

    def test_skua_workers_or_omp_num_threads_chooses_the_number_of_workers(self):
        self.assertIn("on 3 workers", self.output(SKUA_WORKERS="3"))
        self.assertIn("on 4 workers", self.output(OMP_NUM_THREADS="4"))

    def test_a_senseless_variable_is_named_with_what_is_allowed(self):
        wrongs = {"SKUA_POLICY": ("randm", "RANDOM", "numa-ws:bias=0"), "SKUA_WORKERS": ("0",), "SKUA_PLACES": ("{",), "SKUA_SPIN": ("-1us",)}
        for name, values in wrongs.items():
            for value in values:
                with self.subTest(variable=name, value=value):
                    code, out, err = command.run(program=command.EXAMPLE, variables={name: value})
                    self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
                    self.assertIn(f" is '{value.rpartition('=')[2]}'", err)
                    self.assertRegex(err, f"{name}.*; allowed: ")


if __name__ == "__main__":
    command.main()
