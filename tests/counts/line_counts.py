#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs line_counts for pools of several sizes, prints what each operation costs as a table, and with --check fails if a cost grows.

    tests/counts/line_counts.py build/counts/tests/line_counts [--workers 2,8,16,64] [--json FILE] [--check]

A cell is three means per call: lines that other threads use, read-modify-writes of such lines, and system calls.
"""

import argparse
import json
import subprocess
import sys

# The operation, the scenario that makes it run, its name in the output, and the bounds that --check holds at every size: lines and
# read-modify-writes, means per call. None: it grows with the number of workers; docs/scaling-costs.md says why.
ROWS = [
    ("fork", "forks", "fork", (4, 0.5)),
    ("join, not stolen", "forks", "join, not stolen", (4, 0.5)),
    ("join, not stolen, of a deque without bias", "forks", "join, guarded", (5, 2)),
    ("steal", "forks", "steal", (10, 3)),
    ("failed steal", "forks", "failed steal", (6, 0.5)),
    ("end of a stolen task", "forks", "end of a stolen task", (4, 2)),
    ("begin of a search", "forks", "begin of a search", (2, 1)),
    ("end of a search", "forks", "end of a search", (2, 1)),
    ("end of a search, wakes another", "herd", "end of a search, wakes another", (8, 8)),
    ("look at the sleepers", "enqueue", "look at the sleepers", (2, 0.5)),
    ("wake", "one wakes", "wake", (8, 6)),
    ("sleep, of one worker", "one wakes", "sleep", (16, 18)),
    ("sleep, of all", "herd", "sleep", (28, 24)),
    ("sleep, of all, under adws", "herd by adws", "sleep", (28, 24)),
    ("send", "sends", "send", (10, 8)),
    ("enqueue", "enqueue", "enqueue", (12, 10)),
    ("task from outside, taken", "enqueue", "task from outside", (6, 6)),
    ("begin of a call", "calls", "begin of a call", (1, 1)),
    ("end of a call", "calls", "end of a call", (1, 1)),
    ("begin of a call beside busy workers", "calls beside busy workers", "begin of a call", (8, 6)),
    ("end of a call beside busy workers", "calls beside busy workers", "end of a call", None),
    ("begin of a guest's call", "calls of guests", "begin of a call", (4, 2)),
    ("end of a node of a flow", "nodes", "end of a node", (4, 2)),
    ("begin of a team", "teams", "begin of a team", None),
    ("barrier of a team", "teams", "barrier of a team", (2, 1)),
    ("end of a team's member", "teams", "end of a member", (6, 3)),
]


def run(program, scenario, workers):
    done = subprocess.run([program, scenario, str(workers)], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        sys.exit(f"line_counts: {scenario} with {workers} workers: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def counted(results, scenario, workers, operation):
    """The counts of an operation; None if it did not occur."""
    for one in results:
        if one["scenario"] == scenario and one["workers"] == workers:
            for found in one["counts"]["operations"]:
                if found["name"] == operation:
                    return found
    return None


def means(found):
    return found["lines"]["mean"], found["exchanges"]["mean"], sum(found["system_calls"].values())


def number(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def table(results, sizes):
    lines = ["| operation | " + " | ".join(f"W = {w}" for w in sizes) + " |", "|---|" + "---|" * len(sizes)]
    for label, scenario, operation, _ in ROWS:
        found = [counted(results, scenario, w, operation) for w in sizes]
        if any(found):
            cells = ["-" if f is None else " · ".join(number(m) for m in means(f)) for f in found]
            lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def totals(results, sizes):
    lines = ["| scenario, per | " + " | ".join(f"W = {w}" for w in sizes) + " |", "|---|" + "---|" * len(sizes)]
    for name in dict.fromkeys(one["scenario"] for one in results):
        cells = []
        for w in sizes:
            one = next(r for r in results if r["scenario"] == name and r["workers"] == w)
            counts = one["counts"]
            cells.append(
                " · ".join(number(n) for n in (counts["misses"], counts["exchanges"], sum(counts["system_calls"].values())))
            )
        lines.append(f"| {name}, {one['unit']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def faults(results, sizes):
    """What exceeds its bound, as sentences."""
    said = []
    for label, scenario, operation, bounds in ROWS:
        for w in sizes:
            found = counted(results, scenario, w, operation)
            if found is None or bounds is None:
                continue
            for what, seen, most in zip(("lines", "read-modify-writes"), means(found), bounds):
                if seen > most:
                    said.append(f"{label}, {w} workers: {seen:.1f} {what}; allowed: {most}")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--workers", default="2,8,16,64")
    parser.add_argument("--scenarios", help="with commas; default: all")
    parser.add_argument("--json", help="the counts, as they were")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    sizes = [int(w) for w in asked.workers.split(",")]
    names = subprocess.run([asked.program], capture_output=True, text=True, check=True).stdout.splitlines()
    if asked.scenarios:
        names = asked.scenarios.split(",")
    results = [run(asked.program, name, w) for name in names for w in sizes]
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as to:
            json.dump(results, to, indent=1)
    print(table(results, sizes), totals(results, sizes), sep="\n\n")
    said = faults(results, sizes) if asked.check else []
    for fault in said:
        print(f"line_counts: {fault}", file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
