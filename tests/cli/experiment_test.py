#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Experiments run, say that they are simulated, and repeat themselves byte by byte in another process."""

import pathlib
import tempfile

import command


class Experiment(command.Case):
    def test_a_quick_run_is_the_same_in_every_process(self):
        for name in ("adws-sc19/fig12", "numa-ws-2018/fig8"):
            with self.subTest(experiment=name):
                seen = set()
                for _ in range(3):
                    with tempfile.TemporaryDirectory() as place:
                        self.works("experiment", name, "--quick", "--output", place)
                        stem = pathlib.Path(place) / (name.replace("/", "-") + "-quick")
                        texts = tuple(stem.with_suffix(end).read_text() for end in (".csv", ".json", ".svg", ".txt"))
                        self.assertIn("simulated on the machine model", texts[2])
                        seen.add(texts)
                self.assertEqual(len(seen), 1)

    def test_help_names_its_argument(self):
        text = self.works("experiment", "--help")
        self.assertIn("Usage: skua experiment [options] [NAME]", text)
        self.assertRegex(text, r"\n  NAME +e\.g\. adws-sc19/fig12")

    def test_without_a_name_all_are_listed(self):
        listed = self.works("experiment")
        for name in ("adws-sc19/fig12", "adws-sc19/fig13", "numa-ws-2018/fig8"):
            self.assertIn(name, listed)


if __name__ == "__main__":
    command.main()
