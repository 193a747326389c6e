#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is simulated says so, repeats itself byte by byte, and refuses what makes no sense."""

import json
import unittest

import command

SMALL = {"fib": ["--n", "14"], "nqueens": ["--n", "6"], "uts": ["--tree", "T1", "--depth", "5"], "matmul": ["--n", "128"],
         "matmul-z": ["--n", "128"], "strassen": ["--n", "128", "--cutoff", "64", "--leaf", "32"],
         "strassen-z": ["--n", "128", "--cutoff", "64", "--leaf", "32"], "heat": ["--n", "256", "--iterations", "3"],
         "sph": ["--scale", "1", "--steps", "2"], "cilksort": ["--n", "20000"], "cg": ["--class", "S"], "hull": ["--n", "20000"]}
HEAT = ["heat", "--n", "512", "--iterations", "5", "--leaf-rows", "32", "--leaf-columns", "128"]


class Sim(command.Case):
    def test_every_app_under_several_policies(self):
        for app, words in SMALL.items():
            with self.subTest(app=app):
                found = self.works_json("sim", app, *words, "--workers", "1,7,64", "--task-ns", "50", "--json", "-")
                self.assertEqual((found["simulated"], found["app"], found["machine"]["model"]), (True, app, "xeon-6130-4s"))
                self.assertEqual(len(found["rows"]), 4 * 3)
                for row in found["rows"]:
                    told = f"{row['policy']} with {row['workers']} workers"
                    self.assertGreater(row["time_s"], 0, told)
                    spent = row["work_s"] + row["scheduling_s"] + row["idle_s"]
                    self.assertGreaterEqual(spent, row["time_s"] * row["workers"] * 0.999, told)
                    self.assertLessEqual(row["speedup_over_serial"], row["workers"] * row["work_inflation"] ** -1 * 1.001, told)
                    self.assertEqual(sum(row["steals_by_distance"].values()), row["steals"], told)

    def test_the_same_seed_gives_the_same_bytes_in_another_process(self):
        # Arrays lie elsewhere in every process (address space layout randomization).
        for app in ("heat", "matmul", "matmul-z", "strassen", "sph", "cg", "cilksort", "hull", "fib"):
            for way in ("--recorded", "--live"):
                words = ["sim", app, *SMALL[app], "--workers", "64", "--policies", "random,adws", "--task-ns", "50", way]
                with self.subTest(app=app, way=way):
                    said = {self.works(*words, "--seed", "7", "--json", "-") for _ in range(3)}
                    self.assertEqual(len(said), 1)

    def test_another_seed_is_another_run(self):
        words = ["sim", *HEAT, "--workers", "64", "--policies", "random", "--json", "-"]
        self.assertNotEqual(*(self.works_json(*words, "--schedule-seed", seed)["rows"][0]["time_s"] for seed in ("1", "2")))

    def test_a_seed_is_of_the_schedule_whether_the_app_has_one_or_not(self):
        for app in ("heat", "fib"):
            words = ["sim", app, *SMALL[app], "--workers", "2", "--policies", "random", "--task-ns", "50", "--json", "-"]
            self.assertEqual(self.works_json(*words, "--seed", "9")["seed"], 9)
            self.assertEqual(self.works_json(*words, "--seed", "9", "--schedule-seed", "4")["seed"] if app == "heat" else 4, 4)

    def test_live_and_recorded_are_one_game(self):
        for app in ("heat", "matmul", "fib"):
            words = ["sim", app, *SMALL[app], "--workers", "7,64", "--task-ns", "50", "--json", "-"]
            with self.subTest(app=app):
                live, recorded = (self.works_json(*words, way)["rows"] for way in ("--live", "--recorded"))
                self.assertEqual(live, recorded)

    def test_the_median_over_seeds(self):
        words = ["sim", *HEAT, "--workers", "16", "--policies", "random", "--json", "-"]
        (all_of_them,) = self.works_json(*words, "--seeds", "5")["rows"]
        each = sorted(self.works_json(*words, "--schedule-seed", str(seed))["rows"][0]["time_s"] for seed in range(1, 6))
        self.assertEqual([all_of_them[key] for key in ("min_s", "time_s", "max_s")], [each[0], each[2], each[4]])

    def test_for_people(self):
        said = self.works("sim", *HEAT, "--workers", "1,64", "--policies", "random,adws", "--breakdown")
        self.assertIn("heat, simulated on the machine model xeon-6130-4s", said.splitlines()[0])
        for part in ("speed-up", "scheduling", "idle", "inflation", "steals@", "remote", "arithmetic", "queues"):
            self.assertIn(part, said)

    def test_leaves_that_are_played_live_take_what_their_like_were_measured_to_take(self):
        words = ["sim", "strassen", *SMALL["strassen"], "--workers", "1", "--policies", "random", "--json", "-"]
        declared, measured = self.works_json(*words), self.works_json(*words, "--measured-leaves")
        self.assertEqual((measured["way"], measured["measured_here"], declared["measured_here"]), ("live", True, False))
        self.assertEqual(declared["measured_flops_per_ns"], 0)
        self.assertGreater(measured["measured_flops_per_ns"], 0)
        self.assertNotEqual(measured["rows"][0]["time_s"], declared["rows"][0]["time_s"])
        self.assertIn("leaves of as many flops took here", self.works(*words[:-2], "--measured-leaves"))
        self.refuses(*words, "--measured-leaves", "--task-ns", "5", says=["exclude"])

    def test_placement_and_noise_change_the_times(self):
        words = ["sim", *HEAT, "--workers", "64", "--policies", "adws", "--json", "-"]
        times = [self.works_json(*words, *more)["rows"][0]["time_s"]
                 for more in ([], ["--placement", "interleave"], ["--placement", "bind:0"], ["--noise", "100000:5us"])]
        self.assertEqual(len(set(times)), 4)

    def test_wrong_requests(self):
        for words, says in ((["--machine", "xeon"], ["xeon"]),
                            (["--machine", "no/such.toml"], ["no/such.toml"]),
                            (["--workers", "0"], ["--workers", "1 to"]),
                            (["--workers", "65"], ["64 processors", "1 to 64"]),
                            (["--workers", "1,,2"], ["--workers"]),
                            (["--policies", "none"], ["nothing"]),
                            (["--policies", "randm"], ["'randm'", "'random'"]),
                            (["--seeds", "0"], ["--seeds", "1 to"]),
                            (["--seed", "-1"], ["--seed", "0 to"]),
                            (["--placement", "somewhere"], ["--placement", "interleave"]),
                            (["--placement", "bind:4"], ["4"]),
                            (["--noise", "5us"], ["--noise", "100:20us"]),
                            (["--noise", "0:5us"], ["--noise", "1 to"]),
                            (["--task-ns", "soon"], ["--task-ns", "0 to"]),
                            (["--live", "--recorded"], ["exclude"]),
                            (["--n", "0"], ["--n"])):
            for verb in ("sim", "profile"):
                with self.subTest(verb=verb, words=words):
                    self.refuses(verb, "fib", *words, says=says)

    def test_files_that_cannot_be_written(self):
        # fib(60) would run for hours.
        for verb in ("sim", "profile"):
            self.refuses(verb, "fib", "--n", "60", "--json", "/no/such/folder.json", code=1, says=["No such file"])


class Virtual(command.Case):
    def test_every_app_repeats_itself(self):
        for app, words in SMALL.items():
            for policy in ("random", "adws", "numa-ws"):
                with self.subTest(app=app, policy=policy):
                    play = ["run", app, *words, "--virtual", "--workers", "7", "--policy", policy, "--schedule-seed", "5", "--json", "-"]
                    first, again = (self.works(*play) for _ in range(2))
                    self.assertEqual(first, again)
                    (row,) = json.loads(first)["rows"]
                    self.assertEqual((row["seed"], row["workers"], row["verified"]), (5, 7, True))

    def test_seeds_differ_and_follow_each_other(self):
        play = ["run", "fib", "--n", "14", "--virtual", "--workers", "64", "--json", "-"]
        rows = self.works_json(*play, "--seed", "3", "--repeat", "3")["rows"]
        self.assertEqual([row["seed"] for row in rows], [3, 4, 5])
        self.assertEqual(len({row["fingerprint"] for row in rows}), 3)
        self.assertEqual(rows[2], self.works_json(*play, "--seed", "5")["rows"][0])

    def test_for_people(self):
        said = self.works("run", "fib", "--n", "14", "--virtual", "--workers", "7", "--policy", "adws")
        for part in ("7 virtual workers", "events", "steals", "right"):
            self.assertIn(part, said)

    def test_wrong_requests(self):
        self.refuses("run", "fib", "--virtual", "--peer", "tbb", says=["--virtual", "--peer"])
        self.refuses("run", "fib", "--virtual", "--stats", says=["--virtual", "--stats"])
        self.refuses("run", "fib", "--seed", "4", says=["--seed", "--virtual"])
        self.refuses("run", "fib", "--virtual", "--seed", "x", says=["--seed", "0 to"])
        self.refuses("run", "fib", "--virtual", "--policy", "adsw", says=["'adsw'", "'adws'"])


class Profile(command.Case):
    def profile(self, *words):
        return self.works_json("profile", *words, "--json", "-")

    def test_work_and_span_of_a_program_that_is_known(self):
        # fib(n) is 2 F(n + 1) - 1 tasks, and its longest path has n of them.
        found = self.profile("fib", "--n", "20", "--task-ns", "100", "--policies", "random", "--workers", "4")
        self.assertEqual(found["tasks"], 2 * 10946 - 1)
        self.assertAlmostEqual(found["work_s"], found["tasks"] * 100e-9)
        self.assertAlmostEqual(found["span_s"], 20 * 100e-9)
        self.assertAlmostEqual(found["burdened_span_s"], 20 * 100e-9 + 19 * found["burden_s"])
        self.assertEqual(found["forks"], 10945)

    def test_the_curve_covers_the_machine_and_stays_below_its_bounds(self):
        found = self.profile(*HEAT, "--policies", "random,adws")
        self.assertEqual([(p["policy"], p["workers"]) for p in found["curve"]],
                         [(policy, 2 ** i) for policy in ("random", "adws") for i in range(7)])
        for point in found["curve"]:
            self.assertAlmostEqual(sum(point["shares"].values()), 1, places=6)

    def advice_for(self, *words):
        return [a["what"] for a in self.profile(*words)["advice"]]

    def test_advice_follows_the_figures(self):
        self.assertIn("too little parallelism", self.advice_for("cilksort", "--n", "20000", "--task-ns", "20000"))
        self.assertIn("the grain is too small", self.advice_for("fib", "--n", "24", "--task-ns", "5"))
        self.assertEqual(self.advice_for("fib", "--n", "24", "--task-ns", "5000"), [])

    def test_for_people(self):
        said = self.works("profile", *HEAT, "--workers", "1,64", "--policies", "random")
        for part in ("simulated on the machine model", "parallelism", "burdened", "speed-up", "-bound"):
            self.assertIn(part, said)


if __name__ == "__main__":
    command.main()
