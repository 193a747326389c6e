#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua balance: what it says of a distribution, and that applications follow each other."""

import json
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
        self.assertIn("phase 1, the last of 2\naverage load 250.00 us, longest task 250.00 us", text)
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

    def test_phases_have_any_number_of_64_bits(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("0,1,1\n0,2,4294967297\n0,3,18446744073709551615\n", encoding="utf-8")
        for phase, load in ((1, 1), (4294967297, 2), (18446744073709551615, 3)):
            found = self.works_json("balance", "--loads", str(loads), "--phase", str(phase), "--json", "-")
            self.assertEqual((found["phase"], found["average_load"]), (phase, load))
        self.refuses("balance", "--loads", str(loads), "--phase", "18446744073709551616", message=["--phase is '18446744073709551616'; allowed: a whole number from 0 to 18446744073709551615"])

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
