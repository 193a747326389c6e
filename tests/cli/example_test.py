#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The environment changes the scheduler of a program that is already built and knows nothing of it."""

import command


class Example(command.Case):
    def says(self, **variables):
        code, out, err = command.run(program=command.EXAMPLE, variables=variables)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_the_default(self):
        self.assertRegex(self.says(), r"^fib\(\d+\) = \d+, scheduled by random on \d+ workers\n$")

    def test_another_policy(self):
        self.assertIn("scheduled by hierarchical", self.says(SKUA_POLICY="hierarchical"))

    def test_another_number_of_workers(self):
        self.assertIn("on 3 workers", self.says(SKUA_WORKERS="3"))
        self.assertIn("on 4 workers", self.says(OMP_NUM_THREADS="4"))

    def test_a_senseless_variable_is_named_with_what_is_allowed(self):
        wrongs = {"SKUA_POLICY": ("randm", "RANDOM", "numa-ws:bias=0"), "SKUA_WORKERS": ("0",), "SKUA_PLACES": ("{",), "SKUA_SPIN": ("-1us",)}
        for name, values in wrongs.items():
            for value in values:
                with self.subTest(variable=name, value=value):
                    code, out, err = command.run(program=command.EXAMPLE, variables={name: value})
                    self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
                    self.assertIn(f'{name}="{value}"', err)
                    self.assertRegex(err, "known|allowed|from 1 to 100")


if __name__ == "__main__":
    command.main()
