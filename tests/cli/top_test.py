#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua top attaches to a running program, shows what its workers do, and leaves the terminal as it was."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import command

# Many short runs, so that the workers work from the first moment on: heat first computes its answer serially.
HEAT = ["run", "heat", "--n", "256", "--iterations", "50", "--repeat", "1000000", "--no-verify", "--workers", "2"]
FIB = ["run", "fib", "--n", "60", "--workers", "2"]
OPEN, CLOSE = b"\033[?1049h", b"\033[?1049l"


class Top(command.Case):
    def program(self, arguments):
        """A program that has a pool by now and runs until the test ends."""
        process = command.start(*arguments, stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait, command.TIMEOUT_S)
        self.addCleanup(process.kill)
        for _ in range(100 * command.TIMEOUT_S):
            if command.has_pool(process.pid):
                return process
            self.assertIsNone(process.poll(), "the program ended early")
            time.sleep(0.01)
        raise TimeoutError("the program made no pool")

    def sample_that(self, process, is_wanted, *more):
        """The first sample of the process for which that holds."""
        for _ in range(100):
            sample = self.works_json("top", str(process.pid), "--once", "--json", "--interval", "200", *more)
            if is_wanted(sample):
                return sample
        raise TimeoutError(f"no sample was as expected; the last one: {sample}")


class Once(Top):
    def test_a_sample_of_heat_says_what_each_worker_does(self):
        heat = self.program([*HEAT, "--policy", "adws"])
        sample = self.sample_that(heat, lambda s: s["pools"] and s["pools"][0]["steals_per_s"] > 0)
        self.assertEqual(sample["process"], heat.pid)
        self.assertIn("run heat --n 256", sample["command"])
        (pool,) = sample["pools"]
        self.assertGreater(pool["working_share"], 0)
        self.assertGreater(pool["tasks_per_s"], 0)
        self.assertEqual([w["worker"] for w in pool["workers"]], [0, 1])
        for worker in pool["workers"]:
            self.assertIn(worker["state"], ("working", "searching", "asleep"))
            self.assertAlmostEqual(worker["working_share"] + worker["scheduling_share"] + worker["idle_share"], 1)
        if os.environ.get("SANITIZER") != "address":  # it wants the lanes on the heap
            self.assertEqual([r["policy"] for r in pool["regions"]], ["adws"])
            self.assertEqual(list(pool["workers"][0]["queued"]), ["spawned", "inbox", "placed"])

    def test_one_long_call_that_began_before_counts_as_work(self):
        sample = self.sample_that(self.program(FIB), lambda s: s["pools"] and s["pools"][0]["working_share"] > 0.9)
        self.assertIsNone(sample["pools"][0]["forks_per_s"], "nobody counts them")

    def test_forks_are_seen_before_any_task_has_ended(self):
        sample = self.sample_that(self.program([*FIB, "--count-forks", "on"]), lambda s: s["pools"] and s["pools"][0]["working_share"] > 0.9)
        self.assertGreater(sample["pools"][0]["forks_per_s"], 0)

    def test_text_has_a_line_per_worker_and_no_escape_codes(self):
        process = self.program(FIB)
        text = self.works("top", str(process.pid), "--once", "--interval", "50")
        self.assertRegex(text, rf"^process {process.pid}: .*run fib --n 60 --workers 2\npool 1: .*2 workers, open for ")
        self.assertRegex(text, r"\d+% working, \d+% scheduling, \d+% idle; per second .* tasks, forks not counted, .* steals, .* failed\n")
        self.assertEqual(len(re.findall(r"^ +[01] .*(?:working|searching|asleep) .*%", text, re.M)), 2)
        self.assertNotIn("\033", text)

    def test_json_goes_to_a_file_beside_the_text(self):
        process = self.program(FIB)
        path = self.scratch / "sample.json"
        self.assertIn("pool 1", self.works("top", str(process.pid), "--interval", "50", "--json", str(path)))
        self.assertIn('"pools"', path.read_text(encoding="utf-8"))

    def test_without_a_terminal_samples_follow_each_other_until_the_program_ends(self):
        process = self.program(FIB)
        with command.start("top", str(process.pid), "--interval", "50") as top:
            self.addCleanup(top.kill)
            for _ in range(3):
                while not (line := top.stdout.readline()).startswith("process "):
                    self.assertNotEqual(line, "", "the command ended")
            process.kill()
            process.wait()
            out, err = top.communicate(timeout=command.TIMEOUT_S)
        self.assertEqual((top.returncode, err), (0, ""))
        self.assertNotIn("\033", out)


class Refusals(Top):
    def refused(self, *arguments, message):
        self.refuses("top", *arguments, code=1, message=message)

    def test_a_process_that_is_not_there(self):
        self.refused("4194303", message=["there is no process 4194303"])

    def test_a_process_without_a_pool(self):
        other = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.refused(str(other.pid), message=[f"process {other.pid} (sleep 1000) has no pool of Skua"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a process of another user")
    def test_a_process_of_another_user(self):
        other = subprocess.Popen(["sleep", "1000"], user=65534)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.refused(str(other.pid), message=[f"process {other.pid} belongs to user 65534", "you are user 0"])

    def test_several_programs_have_to_be_told_apart(self):
        first, second = self.program(FIB), self.program(FIB)
        self.refused(message=["name one of: ", f"{first.pid} (", f"{second.pid} ("])

    def test_numbers_that_make_no_sense(self):
        self.refuses("top", "heat", message=["PID is 'heat'"])
        self.refuses("top", "1", "--interval", "0", message=["--interval is '0'"])


class Screen(Top):
    def setUp(self):
        super().setUp()
        self.ours, theirs = command.new_terminal()
        self.addCleanup(os.close, self.ours)
        self.process = self.program(FIB)
        self.resize(40, 120, theirs)
        self.before = termios.tcgetattr(theirs)
        self.top = command.start("top", str(self.process.pid), "--interval", "50", stdin=theirs, stdout=theirs, stderr=theirs,
                                 variables={"TERM": "xterm"}, start_new_session=True)
        self.addCleanup(self.top.wait, command.TIMEOUT_S)
        self.addCleanup(self.top.kill)
        self.theirs = theirs  # stays open, so that its settings can be read at the end
        self.addCleanup(os.close, theirs)
        self.shown = b""

    def resize(self, rows, columns, terminal):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, is_there):
        """Reads what the command draws until that holds of it."""
        while not is_there(self.shown):
            ready, _, _ = select.select([self.ours], [], [], command.TIMEOUT_S)
            self.assertTrue(ready, f"nothing more was drawn: {self.shown[-400:]}")
            self.shown += os.read(self.ours, 65536)

    def frames(self, n):
        self.shown = b""
        self.read_until(lambda shown: shown.count(b"q quits") >= n)
        return self.shown

    def ends(self, code):
        while self.top.poll() is None:
            if select.select([self.ours], [], [], 0.05)[0]:
                self.shown += os.read(self.ours, 65536)
        while select.select([self.ours], [], [], 0)[0]:
            self.shown += os.read(self.ours, 65536)
        self.assertEqual(self.top.returncode, code, self.shown[-400:])
        self.assertIn(b"\033[?25h" + CLOSE, self.shown, "the cursor is back, and the other screen is gone")
        self.assertEqual(termios.tcgetattr(self.theirs), self.before)

    def test_it_draws_again_and_again_until_q(self):
        drawn = self.frames(3)
        self.assertIn(f"process {self.process.pid}: ".encode(), drawn)
        self.assertRegex(drawn, rb"\n +1 +\d+ +\S+ +(working|searching|asleep)")
        self.assertEqual(termios.tcgetattr(self.theirs)[3] & (termios.ICANON | termios.ECHO), 0, "keys come without Enter")
        os.write(self.ours, b"q")
        self.ends(0)
        self.assertIsNone(self.process.poll(), "the program goes on")

    def test_ctrl_c_and_other_signals_restore_the_terminal(self):
        self.frames(1)
        self.top.send_signal(signal.SIGINT)
        self.ends(130)

    def test_a_request_to_end_restores_the_terminal(self):
        self.frames(1)
        self.top.send_signal(signal.SIGTERM)
        self.ends(-signal.SIGTERM)

    def test_it_ends_with_the_program(self):
        self.frames(1)
        self.process.kill()
        self.process.wait()
        self.ends(0)
        self.assertIn(f"process {self.process.pid} has ended".encode(), self.shown.split(CLOSE)[-1])

    def test_it_follows_the_size_of_the_terminal(self):
        self.frames(1)
        self.resize(5, 30, self.theirs)
        self.top.send_signal(signal.SIGWINCH)
        self.frames(3)  # the first one may have been under way
        last = self.shown.split(b"\033[H")[-2].replace(b"\033[J", b"")
        lines = [line.replace(b"\033[K", b"").strip(b"\r") for line in last.split(b"\n")]
        self.assertEqual(len(lines), 5)
        self.assertLessEqual(max(map(len, lines)), 30)
        os.write(self.ours, b"q")
        self.ends(0)

    def test_a_stopped_command_gives_the_terminal_back_and_goes_on(self):
        self.frames(1)
        self.top.send_signal(signal.SIGTSTP)
        self.read_until(lambda shown: CLOSE in shown)
        os.waitid(os.P_PID, self.top.pid, os.WSTOPPED | os.WNOWAIT)
        self.assertEqual(termios.tcgetattr(self.theirs), self.before)
        self.top.send_signal(signal.SIGCONT)
        self.assertIn(OPEN, self.frames(2))
        os.write(self.ours, b"q")
        self.ends(0)


if __name__ == "__main__":
    command.main()
