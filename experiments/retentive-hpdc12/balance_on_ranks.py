#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time of a real run under --balance auto and under each fixed choice, by the pattern of the tasks' times.

    experiments/retentive-hpdc12/balance_on_ranks.py SKUA [--ranks 2,4] [--rounds N] [--patterns WORDS] [--seed N] [--prefix "chrt -f 6"]

SKUA is a command beside the module for Open MPI. Tasks sleep, so that more ranks than processors mean something. In each round every choice runs once, in
an order drawn anew; a line per number of ranks and pattern has the median of each choice over the least median of a fixed one."""

import argparse
import json
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

CHOICES = ["auto", "none", "steal", "retentive", "centralised", "hierarchical", "tempered"]
PATTERNS = {
    "steady": [],
    "each": ["--variation", "0.3"],
    "drift": ["--variation", "0.5", "--pattern", "drift"],
    "jump": ["--variation", "0.8", "--pattern", "jump"],
    "oscillate": ["--variation", "0.8", "--pattern", "oscillate"],
}


def run(given, ranks, pattern, choice, round_number):
    """Seconds of all iterations with what lies between them, and the largest time in tasks over the ideal one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.json"
        command = [*shlex.split(given.prefix), "mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), given.skua, "run", "synthetic-loads", "--ranks",
                   "--workers", "1", "--sleep", "--tasks", str(given.tasks * ranks), "--mean-us", str(given.mean_us), "--iterations", str(given.iterations),
                   "--seed", str(given.seed + round_number), *PATTERNS[pattern], "--balance", choice, "--json", str(path)]
        environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment, timeout=120)
        return json.loads(path.read_text(encoding="utf-8"))["rows"][0]["times_s"][0]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("skua")
    words.add_argument("--ranks", default="2,4")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--patterns", default=",".join(PATTERNS))
    words.add_argument("--choices", default=",".join(CHOICES))
    words.add_argument("--tasks", type=int, default=50, help="per rank")
    words.add_argument("--mean-us", type=int, default=1000)
    words.add_argument("--iterations", type=int, default=24)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--prefix", default="")
    given = words.parse_args()
    choices = given.choices.split(",")
    dice = random.Random(given.seed)
    times = {}
    for round_number in range(given.rounds):
        for ranks in map(int, given.ranks.split(",")):
            for pattern in given.patterns.split(","):
                for choice in dice.sample(choices, len(choices)):
                    times.setdefault((ranks, pattern, choice), []).append(run(given, ranks, pattern, choice, round_number))
    print("| ranks | pattern | best fixed, s | " + " | ".join(choices) + " |")
    print("|---" * (len(choices) + 3) + "|")
    for ranks in map(int, given.ranks.split(",")):
        for pattern in given.patterns.split(","):
            median = {c: statistics.median(times[ranks, pattern, c]) for c in choices}
            best = min(m for c, m in median.items() if c != "auto")
            print(f"| {ranks} | {pattern} | {best:.3f} | " + " | ".join(f"{median[c] / best:.3f}" for c in choices) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
