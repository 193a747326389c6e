#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""experiments/auto/repeat.py: what it computes from times, and one tiny run of it, from the command to the page."""

import json
import pathlib
import subprocess
import sys
import types

import command

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "auto"
sys.path.insert(0, str(FOLDER))
import cases  # noqa: E402  (they stand there)
import ratios  # noqa: E402
import tables  # noqa: E402


def times(median, least=None, most=None, runs=3):
    return ratios.Times(median, least or median, most or median, runs)


def result(auto, *, name="app", is_new=False, report="", **fixed):
    case = types.SimpleNamespace(name=name, is_new=is_new)
    return ratios.Result(case, {f"only:{k}": v if isinstance(v, ratios.Times) else times(v) for k, v in fixed.items()},
                         auto if auto is None or isinstance(auto, ratios.Times) else times(auto), report)


class Computing(command.Case):
    def test_ratios_are_to_the_fastest_fixed_policy(self):
        r = result(1.5, random=2.0, adws=1.25, arms=4.0)
        self.assertEqual((r.best, r.ratio, r.over_random, r.over_best("only:arms")), ("only:adws", 1.2, 0.75, 3.2))

    def test_a_policy_that_failed_has_no_ratio_and_is_not_the_best(self):
        r = result(3.0, random=2.0)
        self.assertEqual((r.over_best("only:adws"), r.best), (None, "only:random"))
        self.assertEqual((result(None, random=2.0).ratio, result(None, random=2.0).over_random), (None, None))
        self.assertEqual((result(1.0).best, result(1.0).ratio), (None, None))

    def test_the_geometric_mean_counts_only_inputs_where_policies_differ(self):
        self.assertAlmostEqual(ratios.geometric_mean([0.5, 8.0]), 2.0)
        self.assertIsNone(ratios.geometric_mean([]))
        all_alike = result(9.0, random=1.0, adws=1.04)
        self.assertFalse(all_alike.differs)
        self.assertAlmostEqual(ratios.mean_of([result(2.0, random=1.0, adws=2.0), result(0.5, random=1.0, adws=3.0), all_alike]), 1.0)

    def test_misses_are_those_above_the_targets_the_worst_first(self):
        at_target, small, large = (result(t, name=str(t), random=2.0, adws=1.0) for t in (1.05, 1.06, 3.0))
        self.assertEqual(ratios.over_best_misses([at_target, small, large]), [large, small])
        self.assertEqual(ratios.over_random_misses([result(2.04, random=2.0), small, large]), [large])

    def test_a_miss_is_beyond_the_spread_if_all_runs_of_auto_are_slower_than_all_of_the_best(self):
        best = times(1.0, 0.9, 1.2)
        self.assertTrue(result(times(1.4, 1.21, 2.0), random=best).is_beyond_spread)
        self.assertFalse(result(times(1.4, 1.19, 2.0), random=best).is_beyond_spread)
        self.assertIsNone(result(times(1.4, runs=1), random=times(1.0, runs=1)).is_beyond_spread)

    def test_what_auto_explored_is_read_from_its_report(self):
        self.assertEqual(ratios.explored(""), ([], 0, 0.0))
        self.assertEqual(ratios.explored("auto: a call: adws (the first choice) since call 1; 1 call of 9.2 us, 1 group; 0 trials\n"), (["adws"], 0, 0.0))
        two = ("auto: f() [with T = g<int>; x = h(i::j)]: random (measured: 0.81 of the time under the last choice) since call 3, group 31; 7 calls of 10 ms, "
               "400 groups; 3 trials lost 1.5 % of the time (random: 2, the last one took 1.5 times as long)\n"
               "auto: k(): random (it spawns tasks before it forks) since call 1; 1 call of 2 us, 1 group; 1 trial lost 2.5e-05 % of the time\n")
        self.assertEqual(ratios.explored(two), (["random"], 4, 1.5))


class Data(command.Case):
    def test_each_app_has_a_known_input_and_a_new_one(self):
        for app in {case.app for case in cases.CASES}:
            for effort in ("quick", "normal"):
                self.assertEqual({case.is_new for case in cases.chosen([app], effort)}, {False, True}, app)

    def test_no_input_is_listed_twice(self):
        names = [case.name for case in cases.CASES]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_each_app_that_can_be_simulated_is_compared(self):
        listed = self.works("list").split("The peers and capabilities of each app\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual({case.app for case in cases.CASES}, {line.split()[0] for line in listed if "simulation" in line})


class Page(command.Case):
    def test_only_the_tables_are_replaced(self):
        page = f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n"
        made = tables.page_of({}, page)
        self.assertEqual(made, f"before\n{tables.BEGIN}\n\nNo results.\n\n{tables.END}\nafter\n")
        self.assertEqual(tables.page_of({}, made), made)
        self.assertRaises(ValueError, tables.page_of, {}, "no tables")


class Repeat(command.Case):
    def repeat(self, *arguments):
        return subprocess.run([str(FOLDER / "repeat.py"), "--apps", "nqueens", "--quick", "--skua", command.SKUA, "--output", str(self.scratch / "results"),
                               *arguments], check=False, capture_output=True, text=True, env=command.clean_environment())

    def test_a_tiny_run_makes_a_page_and_goes_on_where_it_ended(self):
        page = self.scratch / "page.md"
        tiny = ["--machine", "xeon-6130-4s", "--workers", "4", "--page", str(page)]
        first = self.repeat(*tiny)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stderr.count("nqueens"), 2, first.stderr)
        made = page.read_text()
        for part in ("## Summary", "## Where `auto` misses", "## Xeon-6130-4s, 4 workers", "| `nqueens --n 9` |  |", "| `nqueens --n 8` | new |", "| adws |"):
            self.assertIn(part, made)
        second = self.repeat(*tiny)
        self.assertEqual((second.returncode, second.stderr), (0, ""), "all results are kept")
        self.assertEqual(page.read_text(), made)
        kept = next(self.scratch.glob("results/*/*.json"))
        rows = json.loads(kept.read_text())["rows"]
        self.assertEqual([row["runner"] for row in rows], [*cases.SEVEN, cases.AUTO])
        kept.unlink()
        self.assertEqual(self.repeat(*tiny, "--no-run").stderr, "")
        self.assertEqual(self.repeat(*tiny).stderr.count("nqueens"), 1)

    def test_real_workers_have_a_table_of_their_own(self):
        done = self.repeat("--only-real", "--rounds", "2", "--print")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("## 2 real workers", done.stdout)
        self.assertNotIn("xeon", done.stdout)

    def test_unknown_apps_and_machines_are_refused(self):
        for wrong, message in ((["--apps", "nqueen"], "--apps names 'nqueen'; allowed: fib, nqueens"), (["--machine", "xeon"], "--machine is 'xeon'"),
                               (["--workers", "4"], "allowed: only with --machine")):
            done = self.repeat(*wrong)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    command.main()
