#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SIGINT (Ctrl-C) and SIGTERM end every long command promptly: what is complete is written and marked, the rest is not; exit code 130 or
143, no half written file, a clean last line on a terminal. The protocol: cli/text/interrupt.md.

A command that has something to keep handles SIGTERM from then on. The tests wait for that, not for a time."""

import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time
import unittest

import command

LONG_RUN = ["run", "fib", "--n", "60"]
OWN_EXPERIMENT = """title = "t"
where = "1, Fig. 2"
claim = "it is so"
machine = "xeon-6130-4s"
workers = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
app = "heat"
options = "--n 1024 --iterations 30 --leaf-rows 64 --leaf-columns 64"
quantity = "time"
seeds = 3
[[series]]
name = "random"
policy = "random"
[[series]]
name = "adws"
policy = "adws"
[[expect]]
says = "it ends"
of = "random@64"
at_least = 0
"""
ROUNDS = "1000000"
MANY_RUNS = ["compare", "fib", "--n", "12", "--policies", "random", "--peers", "serial", "--repeat", ROUNDS]
RUN = ["run", "fib", "--n", "12", "--repeat", ROUNDS]
VIRTUAL_RUN = [*RUN, "--virtual", "--workers", "4"]
SIMULATED = ["fib", "--n", "16", "--task-ns", "9", "--policies", "random,adws", "--workers", "1,2", "--seeds", "10000"]
ON_RANKS = ["run", "tce", "--iterations", "10000", "--ranks"]  # one, without MPI; several: ranks_test.py
RANKS = ["sim", "hartree-fock", "--ranks", "3000", "--machine", "titan", "--iterations", "1000", "--balance", "steal"]
BALANCE = ["balance", "--distribution", "lognormal", "--tasks", "100000", "--ranks", "1000", "--repeat", "1000"]
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143}


def handles(process, number):
    """Has the process installed a handler of this signal?"""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    caught = int(re.search(r"^SigCgt:\s*(\w+)$", status, re.M)[1], 16)
    return bool(caught & 1 << (number - 1))


def wait_until(what, condition):
    for _ in range(100 * command.TIMEOUT_S):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError(f"in {command.TIMEOUT_S} s it did not happen that {what}")


class NothingToKeep(command.Case):
    """Commands that keep nothing, or not yet."""

    def end(self, arguments, signals=1):
        """(exit code, output, errors) of a command that is interrupted while it works."""
        process = command.start(*arguments)
        self.addCleanup(process.kill)
        wait_until("the command handles SIGINT", lambda: handles(process, signal.SIGINT))
        time.sleep(0.3)
        self.assertIsNone(process.poll(), "it ended before it was interrupted")
        process.send_signal(signal.SIGINT)
        if signals == 2:
            wait_until("the command leaves a second SIGINT to the system", lambda: not handles(process, signal.SIGINT))
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=command.TIMEOUT_S)
        return process.returncode, out, err

    def test_a_long_run_ends(self):
        self.assertEqual(self.end([*LONG_RUN, "--json", "-"]), (130, "", ""))

    # ThreadSanitizer keeps a signal back until the thread makes a system call, which this one never does.
    @unittest.skipIf(os.environ.get("SANITIZER") == "thread", "signals come late under ThreadSanitizer")
    def test_a_serial_run_ends(self):
        self.assertEqual(self.end([*LONG_RUN, "--peer", "serial"]), (130, "", ""))

    def test_a_comparison_whose_first_round_is_not_complete_writes_nothing(self):
        file = self.scratch / "it.json"
        self.assertEqual(self.end(["compare", "fib", "--n", "60", "--policies", "random", "--peers", "none", "--json", str(file)]), (130, "", ""))
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_second_ctrl_c_kills(self):
        self.assertEqual(self.end(LONG_RUN, signals=2)[0], -signal.SIGINT)


class Kept(command.Case):
    """What commands keep that have something complete."""

    def end(self, arguments, number=signal.SIGINT):
        """(output, complete steps) of a command that is interrupted once it has something to keep."""
        process = command.start(*arguments)
        self.addCleanup(process.kill)
        wait_until("the command has something to keep", lambda: handles(process, signal.SIGTERM) or process.poll() is not None)
        self.assertIsNone(process.poll(), "it ended before it was interrupted")
        process.send_signal(number)
        out, err = process.communicate(timeout=command.TIMEOUT_S)
        self.assertEqual(process.returncode, ENDS[number], err)
        said = re.fullmatch(rf"skua: {arguments[0]}: interrupted after (\d+) of (\d+) [a-z ]+\n", err)
        self.assertTrue(said, err)
        self.assertLess(int(said[1]), int(said[2]))
        return out, int(said[1])

    def document(self, arguments, number=signal.SIGINT):
        out, done = self.end([*arguments, "--json", "-"], number)
        made = json.loads(out)
        self.assertIs(made["interrupted"], True)
        return made, done

    def test_a_comparison_keeps_complete_rounds(self):
        for number in ENDS:
            with self.subTest(signal=number.name):
                made, rounds = self.document([*MANY_RUNS, "--breakdown"], number)
                self.assertGreaterEqual(rounds, 1)
                self.assertEqual({r["runs"] for r in made["rows"]}, {rounds})
                self.assertGreaterEqual(len(made["rows"]), 2)

    def test_the_text_says_so(self):
        out, rounds = self.end(MANY_RUNS)
        self.assertRegex(out, rf"fib: {rounds} rounds? of {ROUNDS} before an interrupt, interleaved")
        for arguments in (RUN, VIRTUAL_RUN, ["sim", *SIMULATED], ["profile", *SIMULATED], ON_RANKS, RANKS, BALANCE):
            with self.subTest(command=arguments[0]):
                out, done = self.end(arguments)
                self.assertRegex(out, rf"interrupted after {done} of \d+ ")

    def test_a_file_is_whole_and_alone(self):
        for name in ("new.json", "old.json"):
            path = self.scratch / name
            if name == "old.json":
                path.write_text("[]", encoding="utf-8")
            self.end([*MANY_RUNS, "--json", str(path)])
            self.assertIs(json.loads(path.read_text(encoding="utf-8"))["interrupted"], True)
        self.assertEqual(sorted(os.listdir(self.scratch)), ["new.json", "old.json"])

    def test_a_run_keeps_complete_runs(self):
        made, runs = self.document(RUN)
        self.assertEqual(len(made["rows"][0]["times_s"]), runs)
        made, runs = self.document(VIRTUAL_RUN)
        self.assertEqual([r["seed"] for r in made["rows"]], list(range(1, runs + 1)))

    def test_a_simulation_keeps_complete_runs(self):
        made, runs = self.document(["sim", *SIMULATED])
        self.assertEqual(sum(r["runs"] for r in made["rows"]), runs)

    def test_a_profile_keeps_the_programs_figures_and_the_runs_that_are_complete(self):
        made, runs = self.document(["profile", *SIMULATED])
        self.assertGreater(made["parallelism"], 1)
        self.assertEqual(sum(r["runs"] for r in made["rows"]), runs)
        if not any(r["workers"] == 2 for r in made["rows"]):
            self.assertEqual((made["best"], made["advice"]), (None, []))

    def test_ranks_keep_complete_iterations(self):
        for number in ENDS:
            with self.subTest(signal=number.name):
                made, runs = self.document(ON_RANKS, number)
                (row,) = made["rows"]
                self.assertEqual((runs, row["times_s"], row["median_s"], row["verified"]), (0, [], None, None))
                done = [i["iteration"] for i in row["iterations"]]
                self.assertEqual(done, list(range(1, len(done) + 1)))
                self.assertGreaterEqual(len(done), 1)

    def test_simulated_ranks_keep_complete_iterations(self):
        made, iterations = self.document(RANKS)
        self.assertEqual([r["iteration"] for r in made["rows"]], list(range(1, iterations + 1)))

    def test_balancers_keep_complete_applications(self):
        made, applications = self.document(BALANCE)
        self.assertEqual(len(made["rows"]), applications)
        self.assertTrue(all(r["verified"] for r in made["rows"]))

    def test_an_experiment_keeps_its_points_and_decides_nothing_that_was_not_run(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN_EXPERIMENT, encoding="utf-8")
        results = self.scratch / "results"
        out, points = self.end(["experiment", str(own), "--output", str(results)])
        self.assertIn(f"interrupted after {points} of 26 simulated points", out)
        self.assertEqual(sorted(os.listdir(results)), [f"own-own-interrupted{e}" for e in ("-verdicts.csv", ".csv", ".json", ".svg", ".txt")])
        made = json.loads((results / "own-own-interrupted.json").read_text(encoding="utf-8"))
        self.assertEqual((made["interrupted"], made["points"], made["planned_points"]), (True, points, 26))
        self.assertEqual(len(made["rows"]), min(points, 24))
        self.assertEqual({r["runs"] for r in made["rows"]}, {3})
        verdict = made["verdicts"][0]
        self.assertEqual((verdict["holds"], verdict["standing"]), (None, "not run"))
        self.assertIn("not run", (results / "own-own-interrupted-verdicts.csv").read_text(encoding="utf-8"))

    def test_what_was_varied_before_is_kept(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN_EXPERIMENT, encoding="utf-8")
        out, points = self.end(["experiment", str(own), "--vary", "--output", str(self.scratch)])
        self.assertRegex(out, rf"interrupted after {points} of \d+ simulated points")
        made = json.loads((self.scratch / "own-own-vary-interrupted.json").read_text(encoding="utf-8"))
        self.assertEqual((made["interrupted"], made["points"]), (True, points))
        self.assertLess(points, made["planned_points"])

    def test_a_calibration_shows_its_figures_and_writes_no_model(self):
        model = self.scratch / "here.toml"
        out, figures = self.end(["calibrate", "--output", str(model)])
        self.assertFalse(model.exists())
        self.assertTrue(all(line.startswith("#") for line in out.splitlines()), out)
        self.assertEqual(len(re.findall('"measured: ', out)), figures)
        self.assertRegex(out, r"\n# Not measured: .*prices\.fork_ns")
        shown = self.scratch / "shown.toml"
        shown.write_text(out, encoding="utf-8")
        self.refuses("sim", "fib", "--n", "5", "--machine", str(shown), message=["shown.toml"], allowed=False)


class Terminal(command.Case):
    def watch(self, arguments, interrupt, interrupt_at=b"%"):
        """Exit code, and what a terminal shows. If asked to, Ctrl-C comes when the bar says `interrupt_at`."""
        ours, theirs = command.new_terminal()
        process = command.start(*arguments, stderr=theirs, stdout=subprocess.DEVNULL, variables={"TERM": "xterm"})
        self.addCleanup(process.kill)
        os.close(theirs)
        shown = b""
        while True:
            ready, _, _ = select.select([ours], [], [], command.TIMEOUT_S)
            self.assertTrue(ready, "nothing was shown for a long time")
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed: the command ended
                piece = b""
            if not piece:
                break
            shown += piece
            if interrupt and b"[" in shown and interrupt_at in shown:
                process.send_signal(signal.SIGINT)
                interrupt = False
        os.close(ours)
        return process.wait(command.TIMEOUT_S), shown.decode()

    def test_the_progress_bar_is_wiped_at_the_end(self):
        code, shown = self.watch([*MANY_RUNS[:-1], "3000"], interrupt=False)  # longer than a bar stays the same
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"%.*  fib: (random|serial) with \d worker")
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-60:]))

    def test_the_bar_says_how_fast_it_is_and_how_long_it_will_take(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN_EXPERIMENT, encoding="utf-8")
        experiment = ["experiment", str(own), "--output", str(self.scratch)]
        for arguments, unit, what in ((MANY_RUNS, "run", "fib: "), (["sim", *SIMULATED], "run", "simulated: [\\w-]+ with "),
                                      (["profile", *SIMULATED], "run", "simulated: "), (RANKS, "iteration", "3000 simulated ranks"),
                                      (experiment, "point", "t: "), ([*experiment, "--vary"], "point", "t: "), (BALANCE, "application", "[a-z]+"),
                                      (["calibrate", "--output", str(self.scratch / "it")], "figure", "measuring ")):
            with self.subTest(command=arguments[0]):
                code, shown = self.watch(arguments, interrupt=True, interrupt_at=b" left")
                self.assertEqual(code, 130)
                self.assertRegex(shown, rf"%, \d+ (s|min|h) left, ([\d.]+ {unit}s/s|[\d.]+ s/{unit})  {what}")

    def test_the_bar_does_not_change_with_every_run(self):
        code, shown = self.watch(["sim", "fib", "--n", "5", "--task-ns", "9", "--workers", "2", "--seeds", "2000"], interrupt=False)
        self.assertEqual(code, 0)
        self.assertLess(shown.count("%"), 4000, "runs: 2000 with one worker and 2000 with two")

    def test_the_line_is_clean_after_ctrl_c(self):
        code, shown = self.watch(LONG_RUN, interrupt=True)
        self.assertEqual(code, 130)
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-60:]))

    def test_ctrl_c_is_answered_at_once(self):
        code, shown = self.watch(MANY_RUNS, interrupt=True, interrupt_at=b" left")
        self.assertEqual(code, 130)
        self.assertRegex(shown, r"\r\033\[Kstopping after this step; press Ctrl-C again to end at once\r\n")
        self.assertRegex(shown, r"\r\033\[Kskua: compare: interrupted after \d+ of \d+ rounds\r\n$")


if __name__ == "__main__":
    command.main()
