#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the programs of the case studies, turn by turn, and prints a table of medians (docs/case-studies.md).

    bench/case_studies/case_studies.py build/release/bin [--rounds 11] [--small]

Every run of a study must give the same answer: otherwise this ends with 1. --small: tiny inputs, one round, for the tests.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys

# A study: its rows are (label, program, arguments), of which the first is what the others are compared with.
def studies(small):
    n, steps = (200, 20) if small else (1200, 1000)
    nodes, products = (2000, 20) if small else (60_000, 100)
    numbers = 8 if small else 12
    yield "ocean", [
        ("OpenMP static", "ocean_openmp", [n, steps, 2, "static"]),
        ("OpenMP, 1 thread", "ocean_openmp", [n, steps, 1, "static"]),
        ("OpenMP dynamic", "ocean_openmp", [n, steps, 2, "dynamic"]),
        ("Skua adws", "ocean_skua", [n, steps, 2, "adws"]),
        ("Skua random", "ocean_skua", [n, steps, 2, "random"]),
        ("Skua adws, 1 worker", "ocean_skua", [n, steps, 1, "adws"]),
    ]
    yield "solver", [
        ("OpenMP static", "solver_openmp", [nodes, products, 2, "static"]),
        ("OpenMP, 1 thread", "solver_openmp", [nodes, products, 1, "static"]),
        ("OpenMP dynamic", "solver_openmp", [nodes, products, 2, "dynamic"]),
        ("Skua random", "solver_skua", [nodes, products, 2, "random"]),
        ("Skua adws", "solver_skua", [nodes, products, 2, "adws"]),
        ("Skua random, 1 worker", "solver_skua", [nodes, products, 1, "random"]),
    ]
    yield "langford", [
        ("oneTBB, cut-off 10", "langford_tbb", [numbers, 10, 2]),
        *[(f"oneTBB, cut-off {c}", "langford_tbb", [numbers, c, 2]) for c in (1, 4, 6, 8)],
        ("serial", "langford_tbb", [numbers, 13, 1]),
        *[(f"Skua, cut-off {c}", "langford_skua", [numbers, c, 2]) for c in (1, 4, 6, 8, 10)],
    ]


ENVIRONMENT = dict(os.environ)


def run(folder, program, arguments):
    """Seconds and answer of one run."""
    done = subprocess.run([f"{folder}/{program}", *map(str, arguments)], capture_output=True, text=True, check=True,
                          env=ENVIRONMENT)
    seconds, answer = done.stdout.split()
    return float(seconds), float(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where the programs are")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    rounds = 1 if given.small else given.rounds
    if given.small:
        ENVIRONMENT.setdefault("OMP_WAIT_POLICY", "passive")  # tests run beside others, where threads that spin wait long
    wrong = False
    for name, rows in studies(given.small):
        seen = [[] for _ in rows]
        answers = set()
        for turn in range(rounds):
            for i in range(len(rows)):
                k = (i + turn) % len(rows)
                seconds, answer = run(given.folder, *rows[k][1:])
                seen[k].append(seconds * 1e3)
                answers.add(answer)
        first = next(iter(answers))
        same = all(math.isclose(a, first, rel_tol=1e-6) for a in answers)
        wrong |= not same
        print(f"\n{name}: {'all answers agree' if same else f'WRONG: the answers differ: {sorted(answers)}'}")
        base = statistics.median(seen[0])
        for (label, _, _), times in zip(rows, seen):
            middle = statistics.median(times)
            print(f"  {label:24} {middle:8.1f} ms ({min(times):.1f} to {max(times):.1f})  {base / middle:5.2f} x")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
