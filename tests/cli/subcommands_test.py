#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every subcommand does what it promises, as text and as JSON."""

import json
import os
import pathlib
import re
import subprocess
import time
import unittest
import xml.etree.ElementTree

import command

APPS = ["fib", "nqueens", "uts", "matmul", "matmul-z", "strassen", "strassen-z", "heat", "sph", "cilksort", "cg", "hull", "bipartition", "sssp",
        "puzzle15", "latency", "quicksort", "strips", "prefix-sum", "mix", "chains", "sparselu", "cholesky", "heat-dag", "matmul-dag",
        "random-dag", "fmm", "qr", "nbody-chain", "hartree-fock", "tce", "synthetic-loads"]
WITHOUT_TWINS = {"bipartition": ["serial"], "sssp": ["serial"], "puzzle15": ["serial"], "latency": ["serial", "tbb"], "strips": ["serial"],
                 "mix": ["serial"], "sparselu": ["serial", "openmp"], "cholesky": ["serial", "openmp"], "heat-dag": ["serial", "openmp"],
                 "matmul-dag": ["serial", "openmp"], "random-dag": ["serial"], "fmm": ["serial", "openmp"], "qr": ["serial", "openmp"],
                 "nbody-chain": ["serial", "openmp"], "hartree-fock": ["serial"], "tce": ["serial"], "synthetic-loads": ["serial"]}
PEERS = "serial,openmp,tbb" if command.PEERS_RUN else "serial"
ROW = ["runner", "workers", "median_s", "verified", "simulated", "min_s", "max_s", "runs", "speedup_over_serial", "ratio_to_best_peer",
       "facts"]
COMPARED = [*ROW, "times_s"]
MACHINE = ["cpu", "pus", "usable_pus", "kernel", "compiler", "build_type", "skua_version", "load_average"]


def groups_of(path, kind):
    """The groups of an SVG picture with this class."""
    return [g for g in xml.etree.ElementTree.parse(path).getroot() if g.get("class") == kind]


class Help(command.Case):
    def test_version_is_three_numbers(self):
        self.assertRegex(self.works("--version"), r"^skua \d+\.\d+\.\d+\n$")

    def test_help_names_every_subcommand_and_fits_a_screen(self):
        text = self.works("--help")
        for name in ("doctor", "topology", "list", "run", "compare", "sim", "profile", "calibrate", "experiment", "balance", "export", "report", "top", "omp", "study"):
            self.assertRegex(text, rf"\n  {name} ")
            self.assertIn("Usage: skua " + name, self.works(name, "--help"))
        self.assertLess(text.count("\n"), 25)

    def test_an_app_explains_its_own_options(self):
        self.assertIn("--tree", self.works("run", "uts", "--help"))


class List(command.Case):
    def test_text_names_apps_policies_and_peers(self):
        text = self.works("list")
        for name in [*APPS, "random", "hierarchical", "serial", "openmp", "tbb"]:
            self.assertRegex(text, rf"\n  {name} ")

    def test_json_names_apps_policies_and_peers(self):
        found = self.works_json("list", "--json")
        self.assertEqual([a["name"] for a in found["apps"]], APPS)
        self.assertEqual([a["name"] for a in found["apps"] if "simulation" not in a["capabilities"]], ["latency"])
        self.assertTrue(all(a["peers"] == WITHOUT_TWINS.get(a["name"], ["serial", "openmp", "tbb"]) for a in found["apps"]))
        self.assertEqual([a["name"] for a in found["apps"] if "maps" in a["capabilities"]], ["heat", "sph"])
        self.assertEqual([a["name"] for a in found["apps"] if "styles" in a["capabilities"]], ["heat", "sph", "cg"])
        self.assertEqual([p["name"] for p in found["policies"]][:3], ["auto", "random", "hierarchical"])
        self.assertEqual([o["word"] for o in found["policies"][2]["options"]], ["patience"])
        self.assertEqual([p["name"] for p in found["peers"]], ["serial", "openmp", "tbb"])
        self.assertTrue(all(entry["about"] for kind in found.values() for entry in kind))

    def test_a_reader_that_leaves_early_makes_no_noise(self):
        pipe = f"set -o pipefail; '{command.SKUA}' list | true"
        with subprocess.Popen(["bash", "-c", pipe], stderr=subprocess.PIPE, text=True) as shell:
            self.assertEqual(shell.communicate(timeout=command.TIMEOUT_S)[1], "")


class Topology(command.Case):
    def test_a_synthetic_tree_shows_workers_at_their_pus(self):
        text = self.works("topology", "--synthetic", "package:2 l3:1 core:2", "--workers", "3")
        self.assertEqual(len(re.findall(r"^ +package \d", text, re.M)), 2)
        self.assertEqual(len(re.findall(r"^ +pu \d", text, re.M)), 4)
        self.assertEqual(len(re.findall(r"worker \d$", text.split("\n\n", maxsplit=1)[0], re.M)), 3)

    def test_cores_of_several_speeds_are_named_and_the_fast_ones_work_first(self):
        words = ["--synthetic", "l3:1 core:6(speed=2x0.4,4x1)"]
        kinds = "4 cores of kind performance, 2 of kind efficiency (speed 0.4)"
        text = self.works("topology", *words)
        self.assertIn(f"\n{kinds}\n", text)
        self.assertRegex(text, r"pu 0  kind 0  speed 0\.4  worker 4")
        self.assertRegex(text, r"pu 2  kind 1  speed 1  worker 0")
        found = self.works_json("topology", *words, "--workers", "4", "--json")
        self.assertEqual([w["pu"] for w in found["workers"]], [2, 3, 4, 5])
        self.assertEqual([(k["name"], k["speed"], k["pus"]) for k in found["core_kinds"]],
                         [("performance", 1, [2, 3, 4, 5]), ("efficiency", 0.4, [0, 1])])
        self.assertRegex(self.works("doctor", *words), rf"kinds of cores +{re.escape(kinds)}")
        self.assertNotIn("kinds of cores  ", self.works("doctor", "--synthetic", "l3:1 core:6"))
        self.assertEqual(self.works_json("topology", "--synthetic", "core:6", "--json")["core_kinds"], [])

    def test_json_holds_the_same_tree(self):
        found = self.works_json("topology", "--synthetic", "package:2 l3:2 core:4", "--json")
        self.assertEqual((found["pus"], found["this_system"]), (16, False))
        self.assertEqual([w["worker"] for w in found["workers"]], list(range(16)))
        self.assertEqual(sorted(w for p in found["places"] for w in p["workers"]), list(range(16)))

        def of_kind(kind, node):
            below = [n for child in node.get("children", []) for n in of_kind(kind, child)]
            return [node, *below] if node["kind"] == kind else below

        self.assertEqual([len(of_kind(k, found["tree"])) for k in ("package", "l3", "core")], [2, 4, 16])
        self.assertEqual(sorted(w for p in of_kind("pu", found["tree"]) for w in p["workers"]), list(range(16)))

    def test_scatter_spreads_over_packages(self):
        arguments = ["topology", "--synthetic", "package:2 core:4", "--workers", "2", "--json"]
        self.assertEqual([w["pu"] for w in self.works_json(*arguments)["workers"]], [0, 1])
        self.assertEqual([w["pu"] for w in self.works_json(*arguments, "--scatter")["workers"]], [0, 4])

    def test_this_machine_has_the_pus_of_the_affinity_mask(self):
        self.assertEqual(self.works_json("topology", "--json", "-")["pus"], len(os.sched_getaffinity(0)))


class Doctor(command.Case):
    def test_text_has_a_section_for_everything_it_examines(self):
        text = self.works("doctor")
        for part in ("Machine", "CPU quota", "NUMA nodes", "Workers", "worker 0", "fences", "guard", "bind memory", "Settings", "Missing"):
            self.assertIn(part, text)

    def test_every_setting_names_who_chose_it(self):
        found = self.works_json("doctor", "--pin", "off", "--json", variables={"SKUA_SPIN": "7us", "OMP_NUM_THREADS": "3"})
        settings = found["settings"]
        self.assertEqual(settings["workers"], {"value": "3", "from": "OMP_NUM_THREADS"})
        self.assertEqual(settings["spin"], {"value": "7us", "from": "SKUA_SPIN"})
        self.assertEqual(settings["pin"], {"value": "off", "from": "command line"})
        self.assertEqual(settings["policy"]["from"], "default")
        self.assertEqual(found["workers"]["count"], 3)
        self.assertEqual(len(found["workers"]["pins"]), 3)
        self.assertIn(found["fences"]["kind"], ("asymmetric", "full"))

    def test_every_ability_of_the_kernel_has_a_reason(self):
        memory = self.works_json("doctor", "--json")["memory"]
        for ability in ("bind", "locate", "huge"):
            self.assertIsInstance(memory[ability]["works"], bool)
            self.assertTrue(memory[ability]["why"])

    def test_a_smaller_mask_means_fewer_workers_and_is_named(self):
        only = min(os.sched_getaffinity(0))
        found = self.works_json("doctor", "--json", preexec_fn=lambda: os.sched_setaffinity(0, {only}))
        self.assertEqual(found["affinity_mask"], str(only))
        self.assertEqual(found["default_workers"]["count"], 1)


class Run(command.Case):
    def test_uts_counts_the_published_tree_and_json_stands_alone(self):
        arguments = ["--tree", "T3"] if command.PEERS_RUN else ["--tree", "T3", "--branching", "60"]
        found = self.works_json("run", "uts", *arguments, "--workers", "2", "--json", "-")
        self.assertEqual(list(found), ["subcommand", "app", "options", "simulated", "interrupted", "machine", "rows"])
        self.assertEqual(list(found["machine"]), MACHINE)
        (row,) = found["rows"]
        self.assertEqual((found["app"], row["runner"], row["workers"], row["verified"]), ("uts", "auto", 2, True))
        if command.PEERS_RUN:
            self.assertEqual(row["facts"]["nodes"], 4112897)

    def test_text_says_what_ran_and_what_came_of_it(self):
        text = self.works("run", "fib", "--n", "20", "--policy", "hierarchical", "--workers", "3", "--repeat", "3", "--stats")
        self.assertIn("fib on hierarchical with 3 workers", text)
        self.assertRegex(text, r"result +6765\n")
        self.assertIn("the median of 3 runs", text)
        self.assertRegex(text, r"answer +right\n")
        self.assertIn("scheduling", text)

    def test_stats_say_what_auto_chose(self):
        run = ["run", "heat", "--n", "64", "--iterations", "3", "--workers", "2", "--repeat", "3", "--stats"]
        text = self.works(*run, "--policy", "auto")
        self.assertRegex(text, r"what auto chose\n +call +scheduler +why +since +calls ")
        self.assertRegex(text, r"(adws|random|hierarchical) +(the first choice|measured|it spawns)")
        self.assertNotIn("what auto chose", self.works(*run, "--policy", "random"))
        (row,) = self.works_json(*run, "--policy", "checked:auto", "--json", "-")["rows"]
        self.assertEqual(sum(c["calls"] for c in row["choices"]), 3)
        self.assertFalse(any(c["from_earlier_run"] for c in row["choices"]))

    def test_stats_count_every_fork(self):
        run = ["run", "fib", "--n", "20", "--repeat", "2", "--stats"]
        (row,) = self.works_json(*run, "--count-forks", "on", "--json", "-")["rows"]
        self.assertEqual(len(row["times_s"]), 2)
        self.assertEqual(sum(w["forks"] for w in row["counters"]), 2 * (10946 - 1))  # fib(n) forks fib(n + 1) - 1 times
        (row,) = self.works_json(*run, "--json", "-")["rows"]
        self.assertEqual([w["forks"] for w in row["counters"]], [None] * len(row["counters"]))
        self.assertRegex(self.works(*run), r"all .* - ")

    def test_every_app_with_64_workers_of_another_machine(self):
        inputs = {"fib": ["--n", "16"], "nqueens": ["--n", "6"], "uts": ["--tree", "T1", "--depth", "5"], "matmul": ["--n", "64"],
                  "heat": ["--n", "64", "--iterations", "3"], "sph": ["--scale", "1", "--steps", "2"],
                  "cilksort": ["--n", "10000"], "matmul-z": ["--n", "64"], "strassen": ["--n", "128"],
                  "strassen-z": ["--n", "128"], "cg": ["--class", "S"], "hull": ["--n", "20000"], "bipartition": ["--n", "14"], "sssp": ["--n", "300"],
                  "puzzle15": ["--moves", "12"], "latency": ["--levels", "6"], "quicksort": ["--n", "100000"],
                  "strips": ["--triangles", "2000"],
                  "prefix-sum": ["--n", "100000"], "mix": ["--of", "prefix-sum --n 100000, uts --depth 5 --form spawn"],
                  "chains": ["--tasks", "60", "--size", "16"], "sparselu": ["--blocks", "8", "--size", "8"],
                  "cholesky": ["--n", "128", "--tile", "32"], "heat-dag": ["--n", "64", "--block", "16", "--iterations", "3"],
                  "matmul-dag": ["--n", "128", "--leaf", "32"], "random-dag": ["--layers", "20", "--width", "10"],
                  "fmm": ["--n", "1000"], "qr": ["--n", "96", "--tile", "32"], "nbody-chain": ["--n", "100", "--iterations", "20"],
                  "hartree-fock": ["--atoms", "1"], "tce": [], "synthetic-loads": ["--tasks", "100", "--mean-us", "10"]}
        for app in APPS:
            with self.subTest(app=app):
                (row,) = self.works_json("run", app, *inputs[app], "--synthetic", "package:4 core:16", "--json", "-")["rows"]
                self.assertEqual((row["workers"], row["verified"]), (64, True))

    def test_peers_give_the_right_answer(self):
        for peer in PEERS.split(","):
            (row,) = self.works_json("run", "fib", "--n", "12", "--peer", peer, "--json", "-")["rows"]
            self.assertEqual((row["runner"], row["verified"], row["facts"]["result"]), (peer, True, 144))

    def test_an_answer_that_is_not_verified_is_not_called_verified(self):
        (row,) = self.works_json("run", "fib", "--n", "12", "--no-verify", "--json", "-")["rows"]
        self.assertIsNone(row["verified"])
        self.assertIn("not checked", self.works("run", "fib", "--n", "12", "--no-verify"))

    def test_json_in_a_file_leaves_the_text_on_standard_output(self):
        path = self.scratch / "out.json"
        path.write_text("longer than what replaces it" * 1000, encoding="utf-8")
        self.assertIn("answer", self.works("run", "fib", "--n", "12", "--json", str(path)))
        self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["app"], "fib")

    def test_a_map_shows_every_leaf_in_the_colour_of_its_worker(self):
        path = self.scratch / "map.svg"
        arguments = ["run", "heat", "--n", "256", "--leaf-rows", "64", "--leaf-cols", "64", "--iterations", "5", "--map", str(path)]
        hybrid = self.works(*arguments, "--synthetic", "l3:1 core:3(speed=1,2x0.5)")
        self.assertIn("; workers 0 at speed 1, 1-2 at 0.5\n", hybrid)
        self.assertIn("workers 0 at speed 1, 1-2 at 0.5", re.sub(r"</text>\s*<text[^>]*>", " ", path.read_text()))
        for workers in (1, 2, 7):
            (row,) = self.works_json(*arguments, "--workers", str(workers), "--json", "-")["rows"]
            panels = [[box.get("fill") for box in group] for group in groups_of(path, "iteration")]
            self.assertEqual([len(boxes) for boxes in panels], [16, 16, 16])
            keys = [box.get("fill") for (group,) in [groups_of(path, "workers")] for box in group]
            self.assertEqual(len(set(keys)), workers)
            self.assertLessEqual({fill for boxes in panels for fill in boxes}, set(keys))
            self.assertTrue(0 <= row["map_overlap"] <= 1)
            if workers == 1:
                self.assertEqual((row["map_overlap"], row["map_shares"]), (1, [1]))
            self.assertEqual(len(row["map_shares"]), workers)
            self.assertAlmostEqual(sum(row["map_shares"]), 1)
        self.assertRegex(self.works(*arguments, "--workers", "1"),
                         r"\n  map +\S+map.svg: 5 iterations, overlap of consecutive ones 1.000\n  shares  of the work by worker: 0: 100%\n")

    def test_a_map_of_water_is_drawn_as_svg_and_png(self):
        svg, png = self.scratch / "map.svg", self.scratch / "map.png"
        arguments = ["run", "sph", "--scale", "1", "--steps", "1", "--policy", "adws", "--workers", "3"]
        (row,) = self.works_json(*arguments, "--map", str(svg), "--json", "-")["rows"]
        (boxes,) = groups_of(svg, "iteration")
        self.assertEqual(len(boxes), row["facts"]["leaves"])
        self.assertIsNone(row["map_overlap"], "one step overlaps with nothing")
        self.works(*arguments, "--map", str(png))
        self.assertTrue(png.read_bytes().startswith(b"\x89PNG\r\n"))

    def test_the_machine_may_come_from_an_xml_file(self):
        path = self.scratch / "machine.xml"
        path.write_text(
            '<?xml version="1.0"?><topology version="2.0">'
            '<object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3" nodeset="0x1" '
            'complete_nodeset="0x1" allowed_nodeset="0x1">'
            '<object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"/>'
            '<object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1">'
            '<object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/></object>'
            '<object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1">'
            '<object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"/></object>'
            "</object></topology>", encoding="utf-8")
        (row,) = self.works_json("run", "fib", "--n", "12", "--xml", str(path), "--json", "-")["rows"]
        self.assertEqual(row["workers"], 2)
        self.assertNotIn("memory", self.works("topology", "--xml", str(path)), "one memory of no known tier says nothing")
        self.shows_memories_and_kinds(path)

    def shows_memories_and_kinds(self, path):
        text = path.read_text(encoding="utf-8")
        text = text.replace('complete_nodeset="0x1"/>', 'complete_nodeset="0x1" local_memory="4096" subtype="H\x1bBM" gp_index="7"/>', 1)
        text = text.replace("</topology>", '<memattr name="Bandwidth" flags="5"><memattr_value target_obj_gp_index="7" target_obj_type="NUMANode" value="900" '
                            'initiator_cpuset="0x3"/></memattr><cpukind cpuset="0x1" forced_efficiency="1"/>'
                            '<cpukind cpuset="0x2" forced_efficiency="2"><info name="CoreType" value="IntelCore"/></cpukind></topology>')
        path.write_text(text, encoding="utf-8")
        shown = self.works("topology", "--xml", str(path))
        self.assertIn("memory 0  H\\x1bBM  4 KiB  PUs 0-1  900 MiB/s\n", shown)
        self.assertIn("cores of kind 0  PUs 0\ncores of kind 1  PUs 1  CoreType IntelCore\n", shown)
        self.assertNotIn("\x1b", shown)
        with path.open("rb") as piped:
            self.assertEqual(self.works("topology", "--xml", "-", stdin=piped).replace("/dev/stdin", str(path)), shown)


class Compare(command.Case):
    def test_all_rows_are_verified_and_have_the_promised_keys(self):
        found = self.works_json("compare", "fib", "--n", "16", "--peers", PEERS, "--workers", "1,2", "--repeat", "3", "--json", "-")
        self.assertEqual(list(found), ["subcommand", "app", "options", "simulated", "interrupted", "machine", "rows"])
        self.assertEqual(list(found["machine"]), MACHINE)
        wanted = {("serial", 1)} | {(r, w) for r in ["auto", "random", *PEERS.split(",")[1:]] for w in (1, 2)}
        self.assertEqual({(r["runner"], r["workers"]) for r in found["rows"]}, wanted)
        for row in found["rows"]:
            self.assertEqual(list(row), COMPARED)
            self.assertEqual((row["verified"], row["runs"], row["facts"]["result"]), (True, 3, 987))
            self.assertLessEqual(row["min_s"], row["median_s"])
            self.assertLessEqual(row["median_s"], row["max_s"])
            self.assertEqual((min(row["times_s"]), sorted(row["times_s"])[1], max(row["times_s"])), (row["min_s"], row["median_s"], row["max_s"]))

    def test_ratios_follow_from_the_medians(self):
        rows = self.works_json("compare", "fib", "--n", "16", "--peers", PEERS, "--workers", "1", "--repeat", "1", "--json", "-")["rows"]
        serial = next(r["median_s"] for r in rows if r["runner"] == "serial")
        peers = [r["median_s"] for r in rows if r["runner"] in ("openmp", "tbb")]
        for row in rows:
            self.assertAlmostEqual(row["speedup_over_serial"], serial / row["median_s"])
            if peers:
                self.assertAlmostEqual(row["ratio_to_best_peer"], min(peers) / row["median_s"])
            else:
                self.assertIsNone(row["ratio_to_best_peer"])

    @unittest.skipUnless(command.PEERS_RUN, "no peers under this sanitizer")
    def test_one_table_compares_a_peer_in_several_styles(self):
        styles = {"tbb": ("auto", "static", "affinity", "simple"), "openmp": ("static", "dynamic", "tasks")}
        key = {"tbb": "tbb_partitioner", "openmp": "openmp_schedule"}
        peers = [f"{peer}:{style}" for peer, all_of_it in styles.items() for style in all_of_it]
        for app in (["heat", "--n", "64", "--iterations", "3"], ["cg", "--class", "S"], ["sph", "--scale", "1", "--steps", "1"]):
            arguments = ["compare", *app, "--peers", ",".join(["serial", "openmp", "tbb", *peers]), "--policies", "random", "--workers", "2",
                     "--tbb", "simple", "--openmp", "tasks", "--repeat", "1", "--warmup", "0", "--no-map-overlap", "--json", "-"]
            with self.subTest(app=app[0]):
                rows = {row["runner"]: row for row in self.works_json(*arguments)["rows"]}
                self.assertEqual(set(rows), {"serial", "openmp", "tbb", "random", *peers})
                self.assertTrue(all(row["verified"] for row in rows.values()))
                for name, row in rows.items():
                    peer, _, style = name.partition(":")
                    asked = {"tbb_partitioner": "simple", "openmp_schedule": "tasks"} | ({key[peer]: style} if style else {})
                    self.assertEqual({k: row["facts"][k] for k in asked}, asked, name)
        (row,) = self.works_json("run", "heat", "--n", "64", "--iterations", "3", "--peer", "tbb:affinity", "--json", "-")["rows"]
        self.assertEqual((row["runner"], row["facts"]["tbb_partitioner"]), ("tbb:affinity", "affinity"))

    def test_the_heading_says_which_way_is_faster(self):
        text = self.works("compare", "fib", "--n", "12", "--peers", "serial", "--workers", "1", "--repeat", "1")
        self.assertIn("above 1 is faster", text)
        self.assertRegex(text, r"\nauto +1 ")

    def test_apps_with_maps_say_how_much_work_stays_on_its_worker(self):
        arguments = ["compare", "heat", "--n", "128", "--iterations", "4", "--leaf-rows", "16", "--policies", "random,adws:no-steal",
                 "--peers", "serial", "--workers", "2", "--repeat", "1", "--json", "-"]
        rows = {row["runner"]: row for row in self.works_json(*arguments)["rows"]}
        for row in rows.values():
            self.assertEqual(list(row), [*ROW, "map_overlap", "map_shares", "times_s"])
            self.assertEqual((row["verified"], row["runs"]), (True, 1))
        self.assertIsNone(rows["serial"]["map_overlap"])
        self.assertEqual(rows["adws:no-steal"]["map_overlap"], 1)
        self.assertTrue(0 <= rows["random"]["map_overlap"] <= 1)
        for row in self.works_json(*arguments, "--no-map-overlap")["rows"]:
            self.assertEqual(list(row), COMPARED)
        self.assertIn("largest share", self.works(*arguments[:-2], "--map-overlap"))

    def test_a_breakdown_accounts_for_all_time_and_names_what_it_added(self):
        found = self.works_json("compare", "fib", "--n", "22", "--policies", "random,adws", "--peers", "none", "--workers", "2",
                                "--repeat", "3", "--breakdown", "--json", "-")
        self.assertEqual(found["added_for_breakdown"], ["serial", "every policy on one worker"])
        shown = [(r["runner"], r["workers"], "per_worker" in r) for r in found["rows"]]
        self.assertEqual(shown, [("serial", 1, False), ("random", 1, True), ("adws", 1, True), ("random", 2, True), ("adws", 2, True)])
        for row in found["rows"][1:]:
            self.assertEqual(list(row), [*ROW, "work_s", "scheduling_s", "idle_s", "unaccounted", "inflation_over_one", "overhead", "per_worker",
                                         "times_s"])
            self.assertEqual([w["worker"] for w in row["per_worker"]], list(range(row["workers"])))
            self.assertLess(row["unaccounted"], 0.02)
            self.assertGreater(row["work_s"], 0)
            self.assertGreater(row["inflation_over_one"], 0)
            self.assertGreater(row["overhead"], 0)

    def test_the_text_of_a_breakdown_names_every_part(self):
        text = self.works("compare", "fib", "--n", "12", "--workers", "1,2", "--peers", "serial", "--repeat", "2", "--breakdown")
        for part in ("work", "scheduling", "idle", "W_P/T_1", "T_1/T_S", "all"):
            self.assertIn(part, text)
        self.assertNotIn("Measured for this table", text)
        self.assertNotIn("W_P", self.works("compare", "fib", "--n", "12", "--workers", "1", "--repeat", "1", "--peers", "none"))

    def test_a_page_holds_the_rows_of_json_and_is_written_beside_the_table(self):
        page = self.scratch / "it's.html"
        plain = ["compare", "fib", "--n", "16", "--policies", "random", "--peers", "serial", "--workers", "1,2", "--repeat", "2"]
        text = self.works(*plain, "--html", str(page), variables={"SKUA_SPIN": "20us"})
        self.assertIn("every answer verified", text)
        data = self.data_of(page.read_text(encoding="utf-8"))
        self.assertEqual([(r["runner"], r["workers"], r["kind"]) for r in data["rows"]],
                         [("serial", 1, "serial"), ("random", 1, "policy"), ("random", 2, "policy")])
        self.assertEqual(data["question"], "Which runs fib --n 16 fastest on 1 and 2 workers?")
        quoted = str(page).replace("'", "'\\''")
        self.assertTrue(data["command"].endswith(f" {' '.join(plain)} --html '{quoted}'"), data["command"])
        self.assertIn("SKUA_SPIN=20us skua", data["command"])
        self.assertEqual(len(data["rows"][0]["times_s"]), 2)
        # On standard output the page has it for itself.
        self.assertEqual(self.data_of(self.works(*plain, "--html", "-"))["app"], "fib")

    @staticmethod
    def data_of(page):
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])

    def test_a_policy_with_options_is_one_policy(self):
        rows = self.works_json("compare", "fib", "--n", "12", "--policies", "random,hierarchical:patience=3", "--peers", "none",
                               "--workers", "2", "--repeat", "1", "--json", "-")["rows"]
        self.assertEqual([r["runner"] for r in rows], ["random", "hierarchical:patience=3"])
        self.assertIsNone(rows[0]["speedup_over_serial"])


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one PU: nothing can be bound to fewer")
class OpenMPsVariables(command.Case):
    """libgomp binds the first thread before main() begins; that must not be all that Skua sees."""

    PUS = len(os.sched_getaffinity(0))
    BINDINGS = ({"OMP_PLACES": "cores"}, {"OMP_PLACES": "threads"}, {"OMP_PROC_BIND": "true"},
                {"OMP_PLACES": ",".join(f"{{{pu}}}" for pu in sorted(os.sched_getaffinity(0)))})

    def test_skua_uses_all_processors_in_spite_of_a_binding(self):
        for binding in self.BINDINGS:
            with self.subTest(**binding):
                found = self.works_json("doctor", "--json", variables=binding)
                self.assertEqual(found["default_workers"]["count"], self.PUS)
                (row,) = self.works_json("run", "fib", "--n", "16", "--json", "-", variables=binding)["rows"]
                self.assertEqual((row["workers"], row["verified"]), (self.PUS, True))
                rows = self.works_json("compare", "fib", "--n", "16", "--repeat", "1", "--peers", PEERS, "--json", "-", variables=binding)["rows"]
                self.assertEqual({r["workers"] for r in rows}, {1, self.PUS})

    @unittest.skipUnless(command.PEERS_RUN, "no peers under this sanitizer")
    def test_the_openmp_peer_is_bound_as_the_user_wants(self):
        def masks(pid):
            status = [t / "status" for t in pathlib.Path(f"/proc/{pid}/task").iterdir()]
            return [re.search(r"^Cpus_allowed_list:\s+(\S+)", s.read_text(), re.M)[1] for s in status]

        with command.start("run", "fib", "--n", "60", "--peer", "openmp", "--workers", "2", variables={"OMP_PROC_BIND": "true"}) as run:
            try:
                # Until its second thread is there and bound: it begins with the mask of the first one.
                for _ in range(6000):
                    seen = masks(run.pid)
                    if len(set(seen)) == 2 and all(mask.isdigit() for mask in seen):
                        break
                    time.sleep(0.01)
                self.assertEqual(len(seen), 2)
                self.assertEqual(len(set(seen)), 2, "each on a processor of its own")
                self.assertTrue(all(mask.isdigit() for mask in seen), seen)
            finally:
                run.kill()


if __name__ == "__main__":
    command.main()
