#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kill a rank of a job at a random moment, many times, and look at what the others make of it.

    tools/kill_bed.py SKUA [--times N] [--ranks N] [--seed N] [--timeout SECONDS]

SKUA is a command beside the module for Open MPI. In turn it runs hartree-fock, uts and synthetic-loads with --recover under
`mpirun --enable-recovery`, and one rank, drawn anew each time, gets SIGKILL: after a while, or every other time when an iteration has just ended. Allowed are: the right
answer; and, where the rank died where nothing can be recovered (docs/ranks.md), one line on every rank that lives, which names the rank, or says that MPI did
not start or end. A wrong answer, a hang, a crash of another rank
or a process that is left behind is a failure. The exit status of mpirun says nothing: with --enable-recovery Open MPI's is always 0.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

PROGRAMS = [
    ["run", "hartree-fock", "--atoms", "8", "--tile", "10", "--iterations", "10", "--no-verify"],
    ["run", "uts", "--tree", "T1L"],
    ["run", "synthetic-loads", "--tasks", "400", "--mean-us", "1000", "--sleep", "--iterations", "20", "--variation", "0.5"],
]
ENDED = re.compile(r"rank (\d+) died[:,] ")
NEVER_BEGAN = re.compile(r"skua: MPI has not (started|ended) after")


def found_in(out):
    """What the program found: the energy to 1e-8, or the nodes of the tree; nothing if it did not end."""
    found = re.search(r"(?:energy_hartree|nodes|sum_s)\s+(-?[\d.]+)", out)
    return found and round(float(found[1]), 8)


def parent_of(process):
    """The process that started it; nothing if it has ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    state, parent = text[text.rindex(")") + 2:].split()[:2]
    return None if state in "ZX" else int(parent)


def ranks_of(launcher):
    """Process numbers of the ranks, in the order in which they were started."""
    processes = sorted(int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*"))
    return [p for p in processes if parent_of(p) == launcher]


def print_stacks(processes):
    """Where they are, if gdb is here."""
    if shutil.which("gdb"):
        for p in processes:
            subprocess.run(["gdb", "-p", str(p), "-batch", "-ex", "bt 12"], stderr=subprocess.DEVNULL, check=False)


class Bed:
    def __init__(self, skua, ranks, timeout):
        self.skua, self.ranks, self.timeout = skua, ranks, timeout
        self.environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                         "RES_OPTIONS": "attempts:0"}  # asks no name server who this host is

    def start(self, program):
        command = ["mpirun.openmpi", "--oversubscribe", "--enable-recovery", "-n", str(self.ranks), self.skua,
                   *program, "--recover", "--deadline", "3"]
        return subprocess.Popen(command, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def undisturbed(self, program):
        """(what it finds, how many seconds it takes)"""
        began = time.monotonic()
        out, err = self.start(program).communicate(timeout=self.timeout)
        found = found_in(out)
        if found is None:
            raise SystemExit(f"kill_bed: it does not run undisturbed: {out[-500:]}{err[-500:]}")
        return found, time.monotonic() - began

    def killed(self, program, expected, rank, delay_s, iteration):
        """("right" | "error (...)" | a failure in words, whether a rank was killed); iteration: the one after whose line the delay begins, or 0"""
        job = self.start(program)
        said = ""
        while iteration and f"iteration {iteration}:" not in said:
            line = job.stdout.readline()
            said += line
            if not line:
                break
        time.sleep(delay_s)
        ranks = ranks_of(job.pid)
        hit = len(ranks) == self.ranks
        if hit:
            os.kill(ranks[rank], signal.SIGKILL)
        try:
            out, err = job.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            left = ranks_of(job.pid)
            print_stacks(left)
            for process in (*left, job.pid):
                os.kill(process, signal.SIGKILL)
            out, err = job.communicate()
            if left:
                return f"hangs: {len(left)} ranks are left", hit
            print("  mpirun did not end after its last rank")  # what the ranks said counts
        time.sleep(0.1)
        if any(parent_of(r) is not None for r in ranks):
            return "left a process behind", hit
        found = found_in(said + out)
        if found == expected:
            return "right", hit
        if found is not None:
            return f"WRONG: {found} instead of {expected}", hit
        named = ENDED.search(err)
        if hit and (named and int(named[1]) == rank or NEVER_BEGAN.search(err)):
            said = next(line for line in err.splitlines() if ENDED.search(line) or NEVER_BEGAN.search(line))
            return f"error ({said})", hit
        return f"ended without a word on rank {rank}: {err[-400:]}", hit


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("skua")
    words.add_argument("--times", type=int, default=20)
    words.add_argument("--ranks", type=int, default=4)
    words.add_argument("--seed", type=int, default=int(time.time()))
    words.add_argument("--timeout", type=float, default=60)
    given = words.parse_args()
    bed = Bed(given.skua, given.ranks, given.timeout)
    dice = random.Random(given.seed)
    print(f"kill_bed: seed {given.seed}")
    known = [bed.undisturbed(p) for p in PROGRAMS]
    counts, failures = {"right": 0, "error": 0, "too late": 0}, 0
    for turn in range(given.times):
        which = turn % len(PROGRAMS)
        iteration = dice.randrange(1, 8) if turn // len(PROGRAMS) % 2 and PROGRAMS[which][1] != "uts" else 0
        rank, delay_s = dice.randrange(given.ranks), dice.uniform(0, 0.02) if iteration else dice.uniform(0.1, known[which][1])
        what, hit = bed.killed(PROGRAMS[which], known[which][0], rank, delay_s, iteration)
        verdict = "too late" if what == "right" and not hit else what.split(" (")[0]
        if verdict in counts:
            counts[verdict] += 1
        else:
            failures += 1
        print(f"  {turn + 1}: {PROGRAMS[which][1]}, rank {rank} {delay_s:.3f} s after {f'iteration {iteration}' if iteration else 'the start'}: {what if hit else verdict}", flush=True)
    print(f"kill_bed: {counts['right']} right, {counts['error']} clear errors, {counts['too late']} had ended before, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
