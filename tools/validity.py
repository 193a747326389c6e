#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near the simulator comes to this machine: simulated against measured time, for every app and policy.

    tools/validity.py [--skua PATH] [--machine MODEL|FILE] [--without TABLE] [--workers 1,2] [--repeat N] [--apps A,B]
                      [--output FILE.md]

Every app runs under `skua compare` (interleaved rounds, medians) and under `skua sim` on a model of the same machine. The
model is not fitted to the apps. Where it says so in the table, what a leaf takes by itself is measured in a serial run
(--measured-leaves); then only what parallel execution adds is predicted. Run it on a machine that does nothing else.

With --without the simulator runs a second time, on the model without one of its tables, against the same measured times: what
does that part of the model contribute?
"""

import argparse
import json
import pathlib
import statistics
import re
import subprocess
import sys
import tempfile

POLICIES = ["random", "hierarchical", "adws", "adws:no-steal", "numa-ws", "replay"]

# Sizes: 50 to 500 ms on one core, so that a round of all runners takes seconds. The last column: are leaves measured?
APPS = [
    ("heat", ["--n", "640", "--iterations", "1000"], False),
    ("heat", ["--n", "2048", "--iterations", "50"], False),
    ("matmul", ["--n", "1024"], True),
    ("matmul-z", ["--n", "1024"], True),
    ("cilksort", ["--n", "2000000"], True),
    ("cg", ["--class", "W"], True),
    ("hull", ["--n", "1000000"], True),
    ("sph", ["--steps", "20"], True),
    ("strassen", ["--n", "1024"], True),
    ("fib", ["--n", "27"], True),
    ("nqueens", ["--n", "10"], True),
    ("uts", ["--tree", "T3"], True),
]


def skua(args, *words):
    done = subprocess.run([args.skua, *words, "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"validity: skua {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(args, app, options):
    """By (policy, workers): median, fastest and slowest round."""
    found = skua(args, "compare", app, *options, "--policies", ",".join(POLICIES), "--peers", "none",
                 "--workers", args.workers, "--repeat", str(args.repeat))
    return {(r["runner"], r["workers"]): (r["median_s"], r["min_s"], r["max_s"]) for r in found["rows"]}


def noise_of(median, fastest, slowest):
    """A quarter of the way from the fastest to the slowest round, over the median."""
    return (slowest - fastest) / 4 / median


def simulated(args, machine, app, options, measures_leaves):
    """By (policy, workers): the time of the run that is the median round of `skua compare`, which warms up once. Policies learn from
    round to round, and caches are warm."""
    words = ["--measured-leaves"] if measures_leaves else []
    found = skua(args, "sim", app, *options, "--machine", machine, "--policies", ",".join(POLICIES),
                 "--workers", args.workers, "--seeds", "3", "--warm-up", str(1 + args.repeat // 2), *words)
    return {(r["runner"], r["workers"]): r["median_s"] for r in found["rows"]}


def told_wrongly(real, virtual, workers):
    """Of all pairs of policies that differ, as in `skua compare` (all rounds of one were faster than all of the other): those that
    the simulator orders wrongly, a line each, and how many pairs there are."""
    wrong, pairs = [], 0
    for i, a in enumerate(POLICIES):
        for b in POLICIES[i + 1:]:
            (_, fastest_a, slowest_a), (_, fastest_b, slowest_b) = real[a, workers], real[b, workers]
            if fastest_a <= slowest_b and fastest_b <= slowest_a:
                continue
            pairs += 1
            faster, slower = (a, b) if slowest_a < fastest_b else (b, a)
            if virtual[faster, workers] >= virtual[slower, workers]:
                measured_ratio = real[faster, workers][0] / real[slower, workers][0]
                wrong.append(f"{faster} faster than {slower}: measured {measured_ratio:.2f} of its time, "
                             f"simulated {virtual[faster, workers] / virtual[slower, workers]:.2f}")
    return wrong, pairs


def without_table(path, table):
    """The text of a model file without one of its tables."""
    text = pathlib.Path(path).read_text()
    start = re.search(rf"^\[{re.escape(table)}\]$", text, re.MULTILINE)
    if start is None:
        sys.exit(f"validity: {path} has no table [{table}]; allowed: a file (not the name of a shipped model) that has it")
    end = re.search(r"^\[", text[start.end():], re.MULTILINE)
    return text[:start.start()] + (text[start.end() + end.start():] if end else "")


class comparison:
    """Measured and simulated times, app by app."""

    def __init__(self):
        self.lines = ["| app | policy | workers | measured ms | simulated ms | error | noise |", "|---|---|---|---|---|---|---|"]
        self.errors, self.several = [], []
        self.wrong, self.pairs = [], 0

    def add(self, name, workers, real, virtual):
        for policy in POLICIES:
            time, fastest, slowest = real[policy, workers]
            guess = virtual[policy, workers]
            error = guess / time - 1
            self.errors.append(abs(error))
            if workers > 1:
                self.several.append(abs(error))
            self.lines.append(f"| {name} | {policy} | {workers} | {time * 1e3:.2f} | {guess * 1e3:.2f} | {error:+.0%} | "
                              f"{noise_of(time, fastest, slowest):.0%} |")
        if workers > 1:
            pairs_told_wrongly, of = told_wrongly(real, virtual, workers)
            self.wrong += [f"- {name}, {workers} workers: {pair}" for pair in pairs_told_wrongly]
            self.pairs += of

    def text(self):
        several = f"; with more than one worker: {statistics.median(self.several):.0%} over {len(self.several)}" if self.several else ""
        return "\n".join([f"Median of |error|: {statistics.median(self.errors):.0%} over {len(self.errors)} rows{several}.",
                          f"Pairs of policies on several workers of which one was faster in every round: {self.pairs}; told in the "
                          f"right order: {self.pairs - len(self.wrong)}. The others:", "", *self.wrong, "", *self.lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skua", default="build/release/bin/skua")
    parser.add_argument("--machine", default="measured-2core")
    parser.add_argument("--without", metavar="TABLE", help="also without this table of the model, as first_level_cache")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--apps", help="only these, as heat,cg")
    parser.add_argument("--output", type=pathlib.Path, help="also write the table here, in Markdown")
    args = parser.parse_args()
    counts = [int(w) for w in args.workers.split(",")]
    wanted = args.apps.split(",") if args.apps else sorted({a for a, _, _ in APPS})

    with tempfile.TemporaryDirectory() as folder:
        machines = {"": args.machine}
        if args.without:
            poorer = pathlib.Path(folder) / "without.toml"
            poorer.write_text(without_table(args.machine, args.without))
            machines[f"Without [{args.without}]:\n\n"] = str(poorer)
        found = {heading: comparison() for heading in machines}
        for app, options, measures_leaves in APPS:
            if app not in wanted:
                continue
            real = measured(args, app, options)
            name = " ".join([app, *options]) + (" (leaves measured)" if measures_leaves else "")
            for heading, machine in machines.items():
                virtual = simulated(args, machine, app, options, measures_leaves)
                for workers in counts:
                    found[heading].add(name, workers, real, virtual)
            print(name, "done", file=sys.stderr, flush=True)
    text = "\n".join(heading + each.text() for heading, each in found.items())
    print(text)
    if args.output:
        args.output.write_text(text)


if __name__ == "__main__":
    main()
