#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Experiments run, say that they are simulated, and repeat themselves byte by byte in another process."""

import json
import pathlib
import tempfile

import command


OWN = """title = "t"
where = "1, Fig. 2"
claim = "it is so"
quantity = "time"
machine = "xeon-6130-4s"
workers = [4]
app = "heat"
options = "--n 1024 --iterations 20 --leaf-rows 64 --leaf-columns 64"
[[series]]
name = "random"
policy = "random"
[[expect]]
says = "it takes its time"
of = "random@4"
at_least = 0.001
"""


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

    def test_what_a_verdict_hangs_on_is_shown_and_written(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN, encoding="utf-8")
        text = self.works("experiment", str(own), "--vary=core.flops_per_ns,prices.spawn_ns", "--output", str(self.scratch))
        self.assertRegex(text, r"it takes its time: [0-9.]+ \(>= 0\.001\), holds as stated\n +figure +low +stated +high")
        self.assertRegex(text, r"\n  core\.flops_per_ns +10 +20 +40 ")
        self.assertIn("1 figure changes it by less than 5%", text)
        for end in ("csv", "json", "txt"):
            self.assertIn("core.flops_per_ns", (self.scratch / f"own-own-vary.{end}").read_text(encoding="utf-8"))
        one = self.works("experiment", str(own), "--vary=core.flops_per_ns", "--threshold", "1000", "--output", str(self.scratch))
        self.assertIn("1 figure changes it by less than 1000%", one)

    def test_what_cannot_be_varied_is_refused(self):
        self.refuses("experiment", "--vary", message=["--vary is given without NAME; allowed: only with NAME"])
        self.refuses("experiment", "adws-sc19/fig12", "--vary=prices.tea", message=["figure is 'prices.tea'"])
        self.refuses("experiment", "adws-sc19/fig12", "--vary", "--quick", message=["--vary", "--quick"])
        self.refuses("experiment", "adws-sc19/fig12", "--panel", "N = 3", message=["panel is 'N = 3'"])

    def test_one_panel_has_files_of_its_own(self):
        self.works("experiment", "adws-sc19/fig12", "--quick", "--panel", "N = 4096", "--output", str(self.scratch))
        names = sorted(p.name for p in self.scratch.iterdir())
        self.assertEqual(names, [f"adws-sc19-fig12-N-4096-quick.{end}" for end in ("csv", "json", "svg", "txt")])

    def test_the_targets_run_on_models_of_servers(self):
        for name in ("scaling", "heat", "loops", "wake"):
            for machine in ("epyc-7763", "xeon-8481c", "graviton3"):
                with self.subTest(experiment=name, machine=machine):
                    self.works("experiment", f"targets/{name}", "--quick", "--machine", machine, "--output", str(self.scratch))
                    document = json.loads((self.scratch / f"targets-{name}-on-{machine}-quick.json").read_text(encoding="utf-8"))
                    self.assertEqual(document["model"], machine)
        self.refuses("experiment", "targets/wake", "--machine", "graviton", message=["machine model is 'graviton'"])

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
