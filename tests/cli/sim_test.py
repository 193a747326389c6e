#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Simulations say that they are simulated, repeat themselves byte by byte, and refuse what makes no sense."""

import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import command

SMALL = {"fib": ["--n", "14"], "nqueens": ["--n", "6"], "uts": ["--tree", "T1", "--depth", "5"], "matmul": ["--n", "128"],
         "matmul-z": ["--n", "128"], "strassen": ["--n", "128", "--cutoff", "64", "--leaf", "32"],
         "strassen-z": ["--n", "128", "--cutoff", "64", "--leaf", "32"], "heat": ["--n", "256", "--iterations", "3"],
         "sph": ["--scale", "1", "--steps", "2"], "cilksort": ["--n", "20000"], "cg": ["--class", "S"], "hull": ["--n", "20000"]}
# Of an app without leaves, or of leaves without flops; elsewhere --task-ns has no effect.
TIMES = {app: ["--task-ns", "50"] for app in ("fib", "nqueens", "uts", "cilksort", "hull")}
HEAT = ["heat", "--n", "512", "--iterations", "5", "--leaf-rows", "32", "--leaf-columns", "128"]


class Sim(command.Case):
    def test_every_app_runs_under_several_policies_and_its_times_add_up(self):
        for app, arguments in SMALL.items():
            with self.subTest(app=app):
                found = self.works_json("sim", app, *arguments, "--workers", "1,7,64", *TIMES.get(app, []), "--json", "-")
                self.assertEqual((found["simulated"], found["app"], found["model"]), (True, app, "xeon-6130-4s"))
                self.assertEqual(len(found["rows"]), 4 * 3)
                for row in found["rows"]:
                    told = f"{row['runner']} with {row['workers']} workers"
                    self.assertGreater(row["median_s"], 0, told)
                    spent = row["work_s"] + row["scheduling_s"] + row["idle_s"]
                    self.assertGreaterEqual(spent, row["median_s"] * row["workers"] * 0.999, told)
                    self.assertLessEqual(row["speedup_over_serial"], row["workers"] * row["inflation_over_serial"] ** -1 * 1.001, told)
                    self.assertEqual(sum(row["steals_by_distance"].values()), row["steals"], told)

    def test_the_same_seed_gives_the_same_bytes_in_another_process(self):
        # Arrays lie elsewhere in every process (address space layout randomization).
        for app in ("heat", "matmul", "matmul-z", "strassen", "sph", "cg", "cilksort", "hull", "fib"):
            for way in ("--recorded", "--live"):
                arguments = ["sim", app, *SMALL[app], "--workers", "64", "--policies", "random,adws", *TIMES.get(app, []), way]
                with self.subTest(app=app, way=way):
                    texts = {self.works(*arguments, "--seed", "7", "--json", "-") for _ in range(3)}
                    self.assertEqual(len(texts), 1)

    def test_a_trace_is_of_one_run_and_says_that_it_is_simulated(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t"
            for way in ("--recorded", "--live"):
                self.works("sim", *HEAT, "--policies", "adws", "--workers", "64", way, "--trace", str(path))
                head = path.read_bytes()[:65536]
                self.assertTrue(head.startswith(b"SKUATRC1"))
                self.assertIn(b'"simulated":true', head)
                self.assertIn(b'"policy":"adws"', head)
            for more in (["--policies", "adws"], ["--workers", "64"], ["--policies", "adws", "--workers", "4", "--seeds", "2"]):
                self.refuses("sim", *HEAT, *more, "--trace", str(path), message=["--trace is", "one policy, one number of workers and one seed"])

    def test_another_seed_is_another_run(self):
        arguments = ["sim", *HEAT, "--workers", "64", "--policies", "random", "--json", "-"]
        self.assertNotEqual(*(self.works_json(*arguments, "--schedule-seed", seed)["rows"][0]["median_s"] for seed in ("1", "2")))

    def test_a_seed_seeds_the_schedule_whether_the_app_has_one_or_not(self):
        for app in ("heat", "fib"):
            arguments = ["sim", app, *SMALL[app], "--workers", "2", "--policies", "random", *TIMES.get(app, []), "--json", "-"]
            self.assertEqual(self.works_json(*arguments, "--seed", "9")["first_seed"], 9)
            self.assertEqual(self.works_json(*arguments, "--seed", "9", "--schedule-seed", "4")["first_seed"] if app == "heat" else 4, 4)

    def test_live_and_recorded_simulations_agree(self):
        for app in ("heat", "matmul", "fib"):
            arguments = ["sim", app, *SMALL[app], "--workers", "7,64", *TIMES.get(app, []), "--json", "-"]
            with self.subTest(app=app):
                live, recorded = (self.works_json(*arguments, way)["rows"] for way in ("--live", "--recorded"))
                self.assertEqual(live, recorded)

    def test_the_row_of_several_seeds_is_their_median(self):
        arguments = ["sim", *HEAT, "--workers", "16", "--policies", "random", "--json", "-"]
        (all_of_them,) = self.works_json(*arguments, "--seeds", "5")["rows"]
        each = sorted(self.works_json(*arguments, "--schedule-seed", str(seed))["rows"][0]["median_s"] for seed in range(1, 6))
        self.assertEqual([all_of_them[key] for key in ("min_s", "median_s", "max_s")], [each[0], each[2], each[4]])

    def test_the_text_says_simulated_and_holds_every_figure(self):
        text = self.works("sim", *HEAT, "--workers", "1,64", "--policies", "random,adws", "--breakdown")
        self.assertIn("heat, simulated on the machine model xeon-6130-4s", text.splitlines()[0])
        for part in ("speed-up", "scheduling", "idle", "inflation", "steals@", "remote", "arithmetic", "queues"):
            self.assertIn(part, text)

    def test_measured_leaves_of_a_live_simulation_take_what_leaves_of_as_many_flops_took(self):
        arguments = ["sim", "strassen", *SMALL["strassen"], "--workers", "1", "--policies", "random", "--json", "-"]
        declared, measured = self.works_json(*arguments), self.works_json(*arguments, "--measured-leaves")
        self.assertEqual((measured["way"], measured["measured_here"], declared["measured_here"]), ("live", True, False))
        self.assertEqual(declared["measured_gflops"], 0)
        self.assertGreater(measured["measured_gflops"], 0)
        self.assertNotEqual(measured["rows"][0]["median_s"], declared["rows"][0]["median_s"])
        self.assertIn("leaves of as many flops took here", self.works(*arguments[:-2], "--measured-leaves"))
        self.refuses(*arguments, "--measured-leaves", "--task-ns", "5", message=["--measured-leaves is given with --task-ns; allowed: one of them"])

    def test_the_time_of_a_task_is_refused_where_every_leaf_declares_flops(self):
        for command_line in (["sim", *HEAT], ["profile", *HEAT], ["sim", *HEAT, "--live"]):
            self.refuses(*command_line, "--workers", "4", "--task-ns", "5", message=["--task-ns is given with heat", "all its leaves declare flops"])

    def test_placement_and_noise_change_the_times(self):
        arguments = ["sim", *HEAT, "--workers", "64", "--policies", "adws", "--json", "-"]
        times = [self.works_json(*arguments, *more)["rows"][0]["median_s"]
                 for more in ([], ["--placement", "interleave"], ["--placement", "bind:0"], ["--noise", "100000:5us"])]
        self.assertEqual(len(set(times)), 4)

    def test_a_warm_up_run_leaves_its_data_in_the_caches_and_its_record_with_the_policy(self):
        heat = ["sim", "heat", "--n", "256", "--iterations", "2", "--machine", "measured-2core", "--workers", "2", "--policies", "random,hierarchical,adws,adws:no-steal,numa-ws,replay", "--json", "-"]
        cold, warm = (self.works_json(*heat, "--warm-up", runs) for runs in ("0", "3"))
        self.assertEqual((cold["warm_up_runs"], warm["warm_up_runs"]), (0, 3))
        for first, later in zip(cold["rows"], warm["rows"], strict=True):
            with self.subTest(policy=first["runner"]):
                self.assertGreater(first["local_memory_bytes"], 0)
                self.assertEqual(later["local_memory_bytes"], 0)
                self.assertLess(later["median_s"], first["median_s"])
        fib = ["sim", "fib", "--n", "18", "--task-ns", "5", "--machine", "measured-2core", "--workers", "2", "--policies", "replay", "--json", "-"]
        first, later = (self.works_json(*fib, "--warm-up", runs)["rows"][0] for runs in ("0", "8"))
        self.assertNotEqual(first["steals"], later["steals"], "a strict iteration follows the record")

    def test_a_look_for_urgent_tasks_that_finds_only_dead_ones_loses_none(self):
        """In seeds 11 and 33 such a look was the last event: the groups of the dead tasks waited for ever."""
        search = ["sim", "bipartition", "--n", "26", "--density", "0.3", "--weights", "9", "--task-ns", "1000", "--workers", "64"]
        for seed in ("11", "33"):
            self.assertIn("strategies", self.works(*search, "--policies", "strategies", "--seed", seed), seed)

    def test_a_report_of_the_policy_is_in_its_row(self):
        _, out, said = command.run("sim", "nqueens", "--n", "6", "--workers", "4", "--policies", "random,auto:explain", "--json", "-")
        rows = json.loads(out)["rows"]
        self.assertIn(rows[1]["policy_report"], said)
        self.assertEqual(rows[0]["policy_report"], "")
        self.assertIn("auto: a call: adws (the first choice) since call 1; 1 call of", rows[1]["policy_report"])

    def test_without_runs_on_one_worker_all_is_the_same_but_the_speed_up(self):
        asked = ["nqueens", "--n", "6", "--workers", "4", "--task-ns", "50", "--policies", "random,adws"]
        rows, alone = (self.works_json("sim", *asked, *more, "--json", "-")["rows"] for more in (["--no-alone"], []))
        self.assertEqual([row.pop("speedup_over_one") for row in rows], [None, None])
        self.assertGreater(min(row.pop("speedup_over_one") for row in alone), 0)
        self.assertEqual(rows, alone)

    def test_a_senseless_request_is_refused_with_what_is_allowed(self):
        for arguments, message in ((["--machine", "xeon"], ["machine model is 'xeon'; allowed: ", "xeon-6130-4s"]),
                            (["--machine", "no/such.toml"], ["no/such.toml"]),
                            (["--workers", "0"], ["--workers", "1 to"]),
                            (["--workers", "65"], ["--workers is '65'; allowed: 1 to 64"]),
                            (["--workers", "1,,2"], ["--workers"]),
                            (["--policies", "none"], ["--policies is 'none'; allowed: at least one"]),
                            (["--policies", "randm"], ["'randm'", "'random'"]),
                            (["--seeds", "0"], ["--seeds", "1 to"]),
                            (["--seed", "-1"], ["--seed", "0 to"]),
                            (["--placement", "somewhere"], ["--placement is 'somewhere'; allowed: first-touch, interleave"]),
                            (["--placement", "bind:4"], ["placement is 'bind:4'; allowed: bind:N", "0 to 3"]),
                            (["--noise", "5us"], ["--noise is '5us'; allowed: RATE:TIME"]),
                            (["--noise", "0:5us"], ["--noise", "1 to"]),
                            (["--task-ns", "soon"], ["--task-ns", "0 to"]),
                            (["--live", "--recorded"], ["--live is given with --recorded; allowed: one of them"]),
                            (["--n", "0"], ["--n"])):
            for subcommand in ("sim", "profile"):
                with self.subTest(subcommand=subcommand, arguments=arguments):
                    self.refuses(subcommand, "fib", *arguments, message=message)

    def test_nothing_is_simulated_for_a_file_that_cannot_be_written(self):
        # fib(60) would run for hours.
        for subcommand in ("sim", "profile"):
            self.refuses(subcommand, "fib", "--n", "60", "--json", "/no/such/folder.json", code=1, message=["No such file"])


class Virtual(command.Case):
    def test_every_app_repeats_itself_from_a_seed(self):
        for app, arguments in SMALL.items():
            for policy in ("random", "adws", "numa-ws"):
                with self.subTest(app=app, policy=policy):
                    command_line = ["run", app, *arguments, "--virtual", "--workers", "7", "--policy", policy, "--schedule-seed", "5", "--json", "-"]
                    first, again = (self.works(*command_line) for _ in range(2))
                    self.assertEqual(first, again)
                    (row,) = json.loads(first)["rows"]
                    self.assertEqual((row["seed"], row["workers"], row["verified"]), (5, 7, True))

    def test_seeds_follow_each_other_and_give_other_runs(self):
        command_line = ["run", "fib", "--n", "14", "--virtual", "--workers", "64", "--json", "-"]
        rows = self.works_json(*command_line, "--seed", "3", "--repeat", "3")["rows"]
        self.assertEqual([row["seed"] for row in rows], [3, 4, 5])
        self.assertEqual(len({row["fingerprint"] for row in rows}), 3)
        self.assertEqual(rows[2], self.works_json(*command_line, "--seed", "5")["rows"][0])

    def test_the_text_says_virtual_and_whether_the_answer_is_right(self):
        text = self.works("run", "fib", "--n", "14", "--virtual", "--workers", "7", "--policy", "adws")
        for part in ("7 virtual workers", "events", "steals", "verified", "yes"):
            self.assertIn(part, text)

    def test_a_senseless_request_is_refused(self):
        self.refuses("run", "fib", "--virtual", "--peer", "tbb", message=["--virtual", "--peer"])
        self.refuses("run", "fib", "--virtual", "--stats", message=["--virtual", "--stats"])
        self.refuses("run", "fib", "--seed", "4", message=["--seed", "--virtual"])
        self.refuses("run", "fib", "--virtual", "--seed", "x", message=["--seed", "0 to"])
        self.refuses("run", "fib", "--virtual", "--policy", "adsw", message=["'adsw'", "'adws'"])


class Profile(command.Case):
    def profile(self, *arguments):
        return self.works_json("profile", *arguments, "--json", "-")

    def test_work_and_span_of_fib_follow_from_its_definition(self):
        # fib(n) is 2 F(n + 1) - 1 tasks, and its longest path has n of them.
        found = self.profile("fib", "--n", "20", "--task-ns", "100", "--policies", "random", "--workers", "4")
        self.assertEqual(found["tasks"], 2 * 10946 - 1)
        self.assertAlmostEqual(found["work_s"], found["tasks"] * 100e-9)
        self.assertAlmostEqual(found["span_s"], 20 * 100e-9)
        self.assertAlmostEqual(found["burdened_span_s"], 20 * 100e-9 + 19 * found["burden_s"])
        self.assertEqual(found["forks"], 10945)

    def test_the_curve_covers_the_machine_and_stays_below_its_bounds(self):
        found = self.profile(*HEAT, "--policies", "random,adws")
        self.assertEqual([(p["runner"], p["workers"]) for p in found["rows"]],
                         [(policy, 2 ** i) for policy in ("random", "adws") for i in range(7)])
        for point in found["rows"]:
            self.assertAlmostEqual(sum(point["shares"].values()), 1, places=6)

    def test_the_picture_shows_what_the_document_says(self):
        path = self.scratch / "profile.svg"
        found = self.profile(*HEAT, "--policies", "random,adws", "--picture", str(path))
        texts = [e.text for e in xml.etree.ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        named = {row["runner"]: row["speedup_over_serial"] for row in found["rows"] if row["workers"] == 64}
        named |= {"parallelism": found["parallelism"], "burdened parallelism": found["burdened_parallelism"]}
        for name, speedup in named.items():
            self.assertTrue(any(t.startswith(f"{name} {speedup:.3g}") for t in texts), f"{name} {speedup:.3g} in {texts}")
        self.assertIn(f"Picture of the speed-ups: {path}\n", self.works("profile", *HEAT, "--policies", "random", "--picture", str(path)))

    def advice_for(self, *arguments):
        return [a["what"] for a in self.profile(*arguments)["advice"]]

    def test_advice_follows_the_figures(self):
        self.assertIn("too little parallelism", self.advice_for("cilksort", "--n", "20000", "--task-ns", "20000"))
        self.assertIn("the grain is too small", self.advice_for("fib", "--n", "24", "--task-ns", "5"))
        self.assertEqual(self.advice_for("fib", "--n", "24", "--task-ns", "5000"), [])

    def test_the_text_says_simulated_and_what_bounds_the_leaves(self):
        text = self.works("profile", *HEAT, "--workers", "1,64", "--policies", "random")
        for part in ("simulated on the machine model", "parallelism", "burdened", "speed-up", "-bound"):
            self.assertIn(part, text)


if __name__ == "__main__":
    command.main()
