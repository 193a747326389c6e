#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ctrl-C ends run and compare promptly and cleanly: exit code 130, no partial JSON, a clean last line on a terminal."""

import json
import os
import pathlib
import pty
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
workers = [64]
app = "heat"
options = "--n 1024 --iterations 30 --leaf-rows 64 --leaf-columns 64"
quantity = "time"
seeds = 100
[[series]]
name = "random"
policy = "random"
[[expect]]
says = "it ends"
of = "random@64"
at_least = 0
"""
MANY_RUNS = ["compare", "fib", "--n", "12", "--policies", "random", "--peers", "serial", "--repeat", "1000000"]


def heeds_sigint(process):
    """Has the process installed a handler of SIGINT?"""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    caught = int(re.search(r"^SigCgt:\s*(\w+)$", status, re.M)[1], 16)
    return bool(caught & 1 << (signal.SIGINT - 1))


def wait_until(what, condition):
    for _ in range(100 * command.TIMEOUT_S):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError(f"in {command.TIMEOUT_S} s it did not happen that {what}")


class CtrlC(command.Case):
    def end(self, arguments, signals=1, **settings):
        """(exit code, output, errors) of a command that is interrupted while it works."""
        process = command.start(*arguments, **settings)
        self.addCleanup(process.kill)
        wait_until("the command handles SIGINT", lambda: heeds_sigint(process))
        time.sleep(0.3)
        self.assertIsNone(process.poll(), "it ended before it was interrupted")
        process.send_signal(signal.SIGINT)
        if signals == 2:
            wait_until("the command leaves a second SIGINT to the system", lambda: not heeds_sigint(process))
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=command.TIMEOUT_S)
        return process.returncode, out, err

    def test_a_long_run_ends(self):
        self.assertEqual(self.end([*LONG_RUN, "--json", "-"]), (130, "", ""))

    # ThreadSanitizer keeps a signal back until the thread makes a system call, which this one never does.
    @unittest.skipIf(os.environ.get("SANITIZER") == "thread", "signals come late under ThreadSanitizer")
    def test_a_serial_run_ends(self):
        self.assertEqual(self.end([*LONG_RUN, "--peer", "serial"]), (130, "", ""))

    def test_a_comparison_ends_between_two_runs(self):
        self.assertEqual(self.end([*MANY_RUNS, "--json", "-"]), (130, "", ""))

    def test_a_simulation_ends_between_two_runs(self):
        for subcommand in ("sim", "profile"):
            self.assertEqual(self.end([subcommand, "fib", "--n", "25", "--task-ns", "9", "--seeds", "10000", "--json", "-"]), (130, "", ""))

    def test_what_was_varied_before_is_kept(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN_EXPERIMENT, encoding="utf-8")
        code, out, err = self.end(["experiment", str(own), "--vary", "--output", str(self.scratch)])
        self.assertEqual((code, err), (130, ""))
        self.assertRegex(out, r"interrupted after \d+ of \d+ simulated points")
        document = json.loads((self.scratch / "own-own-vary.json").read_text(encoding="utf-8"))
        self.assertLess(document["points"], document["planned_points"])

    def test_no_file_is_left_behind_or_touched(self):
        new, old = self.scratch / "new.json", self.scratch / "old.json"
        old.write_text("[]", encoding="utf-8")
        for path in (new, old):
            self.assertEqual(self.end([*MANY_RUNS, "--json", str(path)])[0], 130)
        self.assertEqual((sorted(os.listdir(self.scratch)), old.read_text(encoding="utf-8")), (["old.json"], "[]"))

    def test_a_second_ctrl_c_kills(self):
        self.assertEqual(self.end(LONG_RUN, signals=2)[0], -signal.SIGINT)


class Terminal(command.Case):
    def watch(self, arguments, interrupt, interrupt_at=b"%"):
        """Exit code, and what a terminal shows. If asked to, Ctrl-C comes when the bar says `interrupt_at`."""
        ours, theirs = pty.openpty()
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
        self.assertRegex(shown, r"%.*  fib: random with 1 worker")
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-60:]))

    def test_the_bar_says_how_fast_it_is_and_how_long_it_will_take(self):
        code, shown = self.watch(["sim", "fib", "--n", "16", "--task-ns", "9", "--workers", "4", "--seeds", "10000"], interrupt=True, interrupt_at=b" left")
        self.assertEqual(code, 130)
        self.assertRegex(shown, r"%, \d+ (s|min|h) left, [\d.]+ (runs/s|s/run)  simulated: [\w-]+ with ")
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-60:]))

    def test_the_bar_does_not_change_with_every_run(self):
        code, shown = self.watch(["sim", "fib", "--n", "5", "--task-ns", "9", "--workers", "2", "--seeds", "2000"], interrupt=False)
        self.assertEqual(code, 0)
        self.assertLess(shown.count("%"), 4000, "runs: 2000 with one worker and 2000 with two")

    def test_a_calibration_says_what_it_measures_and_leaves_no_half_model(self):
        model = self.scratch / "here.toml"
        code, shown = self.watch(["calibrate", "--output", str(model)], interrupt=True)
        self.assertEqual(code, 130)
        self.assertRegex(shown, r"%.*  measuring clock_ghz")
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-60:]))
        self.assertFalse(model.exists())

    def test_the_line_is_clean_after_ctrl_c(self):
        for arguments in (MANY_RUNS, LONG_RUN):
            with self.subTest(subcommand=arguments[0]):
                code, shown = self.watch(arguments, interrupt=True)
                self.assertEqual(code, 130)
                self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-60:]))


if __name__ == "__main__":
    command.main()
