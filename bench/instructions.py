#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the instructions of a fork-join: fib without cut-off on one worker, under valgrind's callgrind.

    bench/instructions.py PROGRAM [--small N] [--large N] [--form none|work|place|plain|ambient] [--at-most BOUND] [--json FILE|-]

PROGRAM is fib_alone (bench/fib_alone.cpp), called as `PROGRAM N 1 [FORM]`, under the policy that SKUA_POLICY names; FORM is
the form of fib that fib_alone knows by that word. It runs for two numbers; what starting and
stopping costs is in both, so the difference of the totals divided by the difference of the forks (F(n+1) - 1 each) is
what one fork-join executes, the serial work of fib included. Unlike time, this number does not depend on what else the
machine does. Exit code 1 if it is above BOUND or a run fails, 2 for wrong input; without valgrind it says so and ends.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile


def forks(n):
    """Forks of fib(n): one per call with n >= 2, F(n + 1) - 1."""
    a, b = 0, 1
    for _ in range(n + 1):
        a, b = b, a + b
    return a - 1


def fib(n):
    return forks(n - 1) + 1


def instructions(program, n, form):
    """All instructions that PROGRAM executes for fib(n), whose value is checked."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "callgrind.out"
        # An idle worker that searches executes instructions that no fork asked for.
        environment = {**os.environ, "SKUA_SPIN": "0", "SKUA_PIN": "off"}
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", program, str(n), "1", form],
            env=environment, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{program} {n} 1 under callgrind failed:\n{run.stderr}{run.stdout}")
        value = json.loads(run.stdout)["value"]
        if value != fib(n):
            raise RuntimeError(f"wrong answer: fib({n}) is {fib(n)}, not {value}")
        counted = re.search(r"^(?:summary|totals): (\d+)", profile.read_text(encoding="utf-8"), re.MULTILINE)
        if counted is None:
            raise RuntimeError("callgrind left no total")
        return int(counted[1])


def parse(arguments):
    parser = argparse.ArgumentParser(description="instructions per fork-join of fib on one worker")
    parser.add_argument("program", help="fib_alone")
    parser.add_argument("--small", type=int, default=20, help="the smaller number (default 20)")
    parser.add_argument("--large", type=int, default=29, help="the larger number (default 29)")
    parser.add_argument("--form", choices=["none", "work", "place", "plain", "ambient"], default="none",
                        help="the app's function without hints (none), with hints for every child, the one README shows (plain), or that without here (ambient)")
    parser.add_argument("--at-most", type=float, help="fail above this bound")
    parser.add_argument("--json", help="also write the figures as JSON: a file, or - for stdout")
    chosen = parser.parse_args(arguments)
    if not 2 <= chosen.small < chosen.large <= 40:
        parser.error("--small and --large must be 2 <= small < large <= 40")
    if not os.access(chosen.program, os.X_OK):
        parser.error(f"there is no program {chosen.program}")
    return chosen


def main(arguments):
    chosen = parse(arguments)
    if shutil.which("valgrind") is None:
        print("skipped: there is no valgrind on this machine")
        return 0
    totals = {n: instructions(chosen.program, n, chosen.form) for n in (chosen.small, chosen.large)}
    each = (totals[chosen.large] - totals[chosen.small]) / (forks(chosen.large) - forks(chosen.small))
    row = {"what": "instructions per fork-join", "unit": "instructions", "median": round(each, 3), "samples": 1}
    words = f"instructions: {each:.2f} per fork-join, from fib({chosen.small}) and fib({chosen.large}) on 1 worker"
    missed = chosen.at_most is not None and each > chosen.at_most
    if chosen.at_most is not None:
        row["target"] = {"side": "<=", "bound": chosen.at_most, "met": not missed}
        words += f"; at most {chosen.at_most:g}: {'missed' if missed else 'met'}"
    print(words, file=sys.stderr if chosen.json == "-" else sys.stdout)
    said = json.dumps({"bench": "instructions", "machine": {"processor": platform.machine()},
                       "totals": totals, "rows": [row]}, indent=2) + "\n"
    if chosen.json == "-":
        sys.stdout.write(said)
    elif chosen.json:
        pathlib.Path(chosen.json).write_text(said, encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RuntimeError, OSError, ValueError, KeyError, TypeError) as e:
        print(f"instructions.py: {e}", file=sys.stderr)
        sys.exit(1)
