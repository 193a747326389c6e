#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua balance: what it says of a distribution, and that applications follow each other."""

import functools
import json
import resource
import subprocess
import unittest

import command


class Balance(command.Case):
    def rows(self, *arguments):
        return self.works_json("balance", *arguments, "--json", "-")["rows"]

    def test_the_distribution_of_table_3_has_the_tasks_and_the_imbalance_of_the_paper(self):
        found = self.works_json("balance", "--ranks", "2400", "--json", "-")
        self.assertEqual((found["tasks"], found["ranks"], found["pattern"]), (213144, 2400, "4,4"))
        self.assertEqual([r["runner"] for r in found["rows"]], ["centralised", "hierarchical", "tempered"])
        for row in found["rows"]:
            self.assertAlmostEqual(row["over_ideal_before"], 1.56, delta=0.01)
            self.assertLess(row["over_ideal_after"], 0.005, row["runner"])
            self.assertTrue(row["verified"])
        near, far = (r["hops_per_migration"] for r in found["rows"][1:])
        self.assertLess(near, far / 2)

    def test_each_application_begins_where_the_last_one_ended(self):
        rows = self.rows("--distribution", "lognormal", "--tasks", "5000", "--ranks", "100", "--repeat", "3", "--how", "hierarchical:arity=4,binned,tempered")
        self.assertEqual([(r["runner"], r["application"]) for r in rows],
                         [(name, i) for name in ("hierarchical:arity=4,binned", "tempered") for i in (1, 2, 3)])
        for before, after in zip(rows, rows[1:]):
            if after["application"] > 1:
                self.assertEqual(after["over_ideal_before"], before["over_ideal_after"])

    def test_a_cluster_adds_the_time_with_all_messages(self):
        found = self.works_json("balance", "--ranks", "240", "--machine", "hopper", "--json", "-")
        self.assertEqual(found["cluster"], {"name": "hopper"})
        centralised, hierarchical, tempered = (r["balance_s"] for r in found["rows"])
        self.assertLess(hierarchical, centralised)
        self.assertGreater(tempered, 0)

    def test_a_file_of_loads_takes_the_place_of_a_distribution(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("rank,load\n" + "0,10\n" * 8 + "3,0\n", encoding="utf-8")
        for row in self.rows("--loads", str(loads), "--how", "centralised,hierarchical,tempered"):
            self.assertEqual((row["over_ideal_before"], row["over_ideal_after"], row["migrations"]), (3, 0, 6), row["runner"])

    def test_the_loads_of_a_file_have_a_unit_and_ranks_may_be_idle(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("rank,load,phase\n" + "0,0.25,1\n" * 8 + "3,0,0\n", encoding="utf-8")
        arguments = ["--loads", str(loads), "--how", "centralised", "--ranks", "8", "--unit"]
        found = self.works_json("balance", *arguments, "s", "--json", "-")
        self.assertEqual((found["average_load"], found["longest_task"], found["load_unit"], found["ranks"], found["phase"]), (250e6, 250e6, "ns", 8, 1))
        self.assertEqual((found["rows"][0]["over_ideal_before"], found["rows"][0]["over_ideal_after"]), (7, 0))
        text = self.works("balance", *arguments, "ms")
        self.assertIn("phase 1, the last of 2\naverage load 250.00 us, largest 2.00 ms, longest task 250.00 us", text)
        self.assertNotIn("null", text)

    def test_files_of_darma_vt_take_the_place_of_a_distribution(self):
        def task(number, seconds):
            return {"entity": {"home": 0, "id": number, "migratable": True, "type": "object"}, "node": 0, "resource": "cpu", "time": seconds}

        for rank, tasks in enumerate(([task(i, 0.5) for i in range(4)], [])):
            file = {"type": "LBDatafile", "phases": [{"id": 0, "tasks": []}, {"id": 3, "tasks": tasks, "communications": [{"bytes": 8}]}]}
            (self.scratch / f"data.{rank}.json").write_text(json.dumps(file, indent=2), encoding="utf-8")
        found = self.works_json("balance", "--loads", str(self.scratch), "--how", "centralised", "--json", "-")
        self.assertEqual((found["ranks"], found["tasks"], found["average_load"], found["phase"]), (2, 4, 1e9, 3))
        self.assertEqual(found["notes"], ["communications are ignored: balancers know loads only"])
        self.assertEqual((found["rows"][0]["over_ideal_before"], found["rows"][0]["over_ideal_after"]), (1, 0))

    def test_loads_of_each_rank_are_those_before_and_after(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("rank,load\n" + "0,10\n" * 8 + "3,0\n", encoding="utf-8")
        found = self.works_json("balance", "--loads", str(loads), "--how", "none,centralised", "--repeat", "2", "--json", "-")
        self.assertEqual(found["loads_before"], [80, 0, 0, 0])
        self.assertEqual([(r["runner"], r["application"], r.get("loads_after")) for r in found["rows"]],
                         [("none", 1, None), ("none", 2, [80, 0, 0, 0]), ("centralised", 1, None), ("centralised", 2, [20] * 4)])
        self.assertEqual([(r["max_before"], r["max_after"]) for r in found["rows"]], [(80, 80), (80, 80), (80, 20), (20, 20)])
        text = self.works("balance", "--loads", str(loads), "--how", "centralised")
        self.assertRegex(text, r"\nload of rank +before +centralised\n0 +80.00 ns +20.00 ns\n1 +0.00 us +20.00 ns\n2 .*\n3 .*\n$")
        text = self.works("balance", "--loads", str(loads), "--how", "centralised", "--ranks", "40")
        self.assertRegex(text, r"\nload of ranks +before +centralised\nleast +0.00 us +0.00 us\n.*\nmedian .*\n.*\nlargest +80.00 ns +10.00 ns\n--json has the load of each rank.\n$")

    def vt_files(self, tasks_of_ranks, metadata=None, folder="vt"):
        """A directory of vt's files with phase 7."""
        vt = self.scratch / folder
        vt.mkdir()
        for rank, count in enumerate(tasks_of_ranks):
            tasks = [{"entity": {"home": rank, "id": (1 << 63) + 100 * rank + i, "index": [i], "migratable": True, "type": "object"}, "node": rank, "resource": "cpu",
                      "time": 1.1263000033068238e-05 * (i + rank), "user_defined": {"x": i}} for i in range(count)]
            file = {"type": "LBDatafile", "metadata": {"rank": rank, **(metadata or {})}, "phases": [{"id": 6, "tasks": []}, {"id": 7, "tasks": tasks, "communications": []}]}
            (vt / f"data.{rank}.json").write_text(json.dumps(file), encoding="utf-8")
        return vt

    def test_its_output_has_the_loads_that_it_says_and_the_form_of_its_input(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("rank,load,phase\n" + "".join(f"{i % 3},{i * 0.1 + 0.0000000014},7\n" for i in range(30)), encoding="utf-8")
        vt = self.vt_files((10, 1, 2), {"shared_node": {"id": 4}, "phases": {"skipped": {"list": [0]}, "identical_to_previous": {"list": [], "range": [[8, 9]]}}})
        for source, out, more in ((loads, self.scratch / "out.csv", ["--unit", "ms"]), (vt, self.scratch / "out", [])):
            first = self.works_json("balance", "--loads", str(source), "--how", "centralised", "--ranks", "5", "--repeat", "2", "--output", str(out), "--json", "-", *more)
            again = self.works_json("balance", "--loads", str(out), "--how", "none", "--ranks", "5", "--json", "-", *more)
            self.assertEqual(again["loads_before"], first["rows"][-1]["loads_after"])
            self.assertNotEqual(again["loads_before"], first["loads_before"])
            self.assertEqual(again["phase"], first["phase"])
        files = [json.loads((self.scratch / "out" / f"data.{r}.json").read_text(encoding="utf-8")) for r in range(5)]
        self.assertEqual([f["type"] for f in files], ["LBDatafile"] * 5)
        self.assertEqual([f["metadata"] for f in files], [{"rank": r, "type": "LBDatafile"} | ({"shared_node": {"id": 4}} if r < 3 else {}) for r in range(5)])
        self.assertEqual([(len(f["phases"]), f["phases"][0]["id"]) for f in files], [(1, 9)] * 5)
        before = {t["entity"]["id"]: t for r in range(3) for t in json.loads((vt / f"data.{r}.json").read_text(encoding="utf-8"))["phases"][1]["tasks"]}
        after = {t["entity"]["id"]: (r, t) for r, f in enumerate(files) for t in f["phases"][0]["tasks"]}
        self.assertEqual(sum(len(f["phases"][0]["tasks"]) for f in files), 13)
        self.assertEqual(after, {number: (after[number][0], task | {"node": after[number][0]}) for number, task in before.items()})

    def test_its_output_is_compressed_as_its_input(self):
        vt = self.vt_files((4, 0))
        plain = self.works_json("balance", "--loads", str(vt), "--how", "centralised", "--output", str(self.scratch / "out"), "--json", "-")
        try:
            for rank in range(2):
                subprocess.run(["brotli", "--rm", str(vt / f"data.{rank}.json")], check=True)
        except FileNotFoundError:
            self.skipTest("there is no program brotli")
        code, out, err = command.run("balance", "--loads", str(vt), "--how", "centralised", "--output", str(self.scratch / "packed"), "--json", "-")
        if "no brotli library" in err:
            self.skipTest("this build found no brotli library")
        self.assertEqual((code, json.loads(out)["rows"][0]["loads_after"]), (0, plain["rows"][0]["loads_after"]))
        for rank in range(2):
            packed = self.scratch / "packed" / f"data.{rank}.json.br"
            found = subprocess.run(["brotli", "-dc", str(packed)], check=True, stdout=subprocess.PIPE).stdout
            self.assertEqual(found, (self.scratch / "out" / f"data.{rank}.json").read_bytes())

    def test_an_output_that_cannot_be_written_is_refused_before_anything_is_there(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("0,10\n0,10\n1,0\n", encoding="utf-8")
        vt = self.vt_files((3, 0))
        text, files = (["balance", "--loads", str(of), "--how", "centralised", "--output"] for of in (loads, vt))
        before = sorted(self.scratch.rglob("*"))
        self.refuses(*text, str(loads), message=[f"--output is '{loads}'; allowed: a file other than ", "because --loads names the same file"])
        self.refuses(*text, str(self.scratch), code=1, message=[f"cannot write {self.scratch}: Is a directory"])
        self.refuses(*text, "/dev/full", code=1, message=["cannot write /dev/full: No space left on device"])
        for path in (str(vt), str(self.scratch), str(loads), "new.json", "new.*.json"):
            self.refuses(*files, path, message=[f"--output is '{path}'; allowed: a directory that is new or empty, for a file per rank"])
        self.refuses(*files, "/proc/none", code=1, message=["cannot write /proc/none"])
        for line in (text, files):
            self.refuses(*line, "/no/such/folder/out", code=1, message=["cannot write /no/such/folder/out: No such file or directory"])
            self.refuses(*line, "o", "--json", "o", message=["--output is 'o'", "because --json names the same file"])
        self.refuses(*text[:3], "--how", "none,tempered", "--output", "o", message=["--how is 'none,tempered'; allowed: one balancer"])
        self.refuses("balance", "--output", "o", message=["--output is given without --loads; allowed: only with --loads"])
        self.refuses("balance", "--loads", str(loads), "--json", str(loads), message=["--json is ", "because --loads names the same file"])
        self.assertEqual(sorted(self.scratch.rglob("*")), before)

    def test_a_disk_that_is_full_leaves_no_file_of_a_new_directory(self):
        vt = self.vt_files((200, 0, 0))
        small = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        for name in ("new", "empty"):
            out = self.scratch / name
            if name == "empty":
                out.mkdir()
            self.refuses("balance", "--loads", str(vt), "--how", "none", "--output", str(out), code=1, message=[f"cannot write {out}/data.0.json: File too large"], preexec_fn=small)
            self.assertEqual((out.exists(), list(out.glob("*"))), (name == "empty", []))
        self.works("balance", "--loads", str(vt), "--how", "none", "--output", f"{self.scratch}/new/")
        self.works("balance", "--loads", str(vt), "--how", "none", "--output", str(self.scratch / "empty"))
        self.assertEqual(len(list((self.scratch / "empty").glob("data.?.json"))), 3)

    def test_phases_have_any_number_of_64_bits(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("0,1,1\n0,2,4294967297\n0,3,18446744073709551615\n", encoding="utf-8")
        for phase, load in ((1, 1), (4294967297, 2), (18446744073709551615, 3)):
            found = self.works_json("balance", "--loads", str(loads), "--phase", str(phase), "--json", "-")
            self.assertEqual((found["phase"], found["loads_before"]), (phase, [load]))
        self.refuses("balance", "--loads", str(loads), "--phase", "18446744073709551616", message=["--phase is '18446744073709551616'; allowed: a whole number from 0 to 18446744073709551615"])

    def test_a_picture_shows_the_loads_before_and_after_each_balancer(self):
        path = self.scratch / "loads.svg"
        text = self.works("balance", "--ranks", "12", "--tasks", "300", "--how", "none,tempered", "--repeat", "3", "--picture", str(path))
        self.assertIn(f"Picture of the loads: {path}\n", text)
        words = path.read_text(encoding="utf-8")
        for part in ("Loads of 12 ranks", "300 tasks of table3, ", "before: largest ", "after none, 3 times: largest ", "after tempered, 3 times: ", "mean load, "):
            self.assertIn(part, words)
        self.assertEqual(words.count("<rect"), 1 + 3 * 12)
        self.refuses("balance", "--picture", str(self.scratch / "loads.png"), message=["--picture", "loads.png", ".svg"])
        self.refuses("balance", "--picture", str(path), "--json", str(path), message=["--picture is ", "because --json names the same file"])
        self.refuses("balance", "--picture", "/no/such/folder/loads.svg", message=["--picture", "/no/such/folder"])

    def test_the_same_seed_gives_the_same_answer_and_the_text_labels_its_times(self):
        arguments = ["--distribution", "lognormal", "--tasks", "3000", "--ranks", "64", "--how", "tempered", "--seed"]
        same = [{k: v for k, v in self.rows(*arguments, seed)[0].items() if k != "median_s"} for seed in ("7", "7", "8")]
        self.assertEqual(same[0], same[1])
        self.assertNotEqual(same[0], same[2])
        self.assertIn("time of one thread", self.works("balance", *arguments, "7"))

    def test_list_shows_the_balancers_with_their_options(self):
        balancers = self.works_json("list", "--json", "-")["balancers"]
        self.assertEqual([b["name"] for b in balancers], ["none", "centralised", "hierarchical", "tempered"])
        self.assertIn("arity", [o["word"] for o in balancers[2]["options"]])
        self.assertIn("\nBalancers (skua balance --how", self.works("list"))


if __name__ == "__main__":
    command.main()
