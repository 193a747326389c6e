#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the policy auto with the best fixed policy, for every app, on simulated machines or on real workers, and writes the tables of
README.md. Each case is one command, whose result is kept: what was interrupted goes on where it ended.

    experiments/auto/repeat.py                                        # build/release/bin/skua; all tables into README.md
    experiments/auto/repeat.py --quick --print                        # small inputs, to standard output
    experiments/auto/repeat.py --machine chiplet-2x96 --workers 96 --apps heat,sparselu --seeds 5 --print
    experiments/auto/repeat.py --real                                 # two workers of this machine as well
    experiments/auto/repeat.py --no-run                               # tables of what is there
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import cases
import ratios
import tables

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INTERRUPTED = "interrupted; what is complete is kept"
REAL = tables.REAL


def arguments(words):
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--skua", default=str(ROOT / "build/release/bin/skua"))
    given.add_argument("--output", default="experiments-results/auto", help="the folder of the results, one file per case")
    given.add_argument("--machine", help="only this machine model")
    given.add_argument("--workers", type=int, help="only with --machine: so many workers (default: as in the tables)")
    given.add_argument("--apps", help="only these, separated by commas")
    given.add_argument("--seeds", type=int, help="of the schedule; three times as many where chance decides (default: 3, with --quick 1)")
    given.add_argument("--warm-up", type=int, default=0, help="runs before the one that counts, in the same simulated pool (default: 0, a cold start)")
    given.add_argument("--quick", action="store_const", dest="effort", const="quick", default="normal", help="the smallest inputs, one seed: minutes")
    given.add_argument("--full", action="store_const", dest="effort", const="full", help="long inputs as well")
    given.add_argument("--real", action="store_true", help="also measure with two workers of this machine, interleaved and verified")
    given.add_argument("--only-real", action="store_true", help="measure, and simulate nothing")
    given.add_argument("--rounds", type=int, default=9, help="of each measurement (default: 9)")
    given.add_argument("--again", action="store_true", help="run also what another commit has run")
    given.add_argument("--no-run", action="store_true", help="run nothing: only what is there")
    given.add_argument("--limit", type=int, default=1800, help="seconds of one command, at most (default: 1800)")
    given.add_argument("--page", default=str(HERE / "README.md"), help="the page whose tables are replaced")
    given.add_argument("--print", action="store_true", help="print the tables and leave the page alone")
    given.add_argument("--nice", type=int, default=10, help="niceness of the runs")
    chosen = given.parse_args(words)
    if chosen.workers and not chosen.machine:
        given.error("--workers is given without --machine; allowed: only with --machine")
    return chosen


def machines_of(given):
    """(machine, workers) of each table."""
    simulated = list(cases.MACHINES)
    if given.machine:
        simulated = [(given.machine, given.workers)] if given.workers else [m for m in simulated if m[0] == given.machine]
        if not simulated:
            sys.exit(f"--machine is '{given.machine}', without --workers; allowed: {', '.join(sorted({m for m, _ in cases.MACHINES}))}")
    return simulated * (not given.only_real) + [(REAL, 2)] * (given.real or given.only_real)


def cases_of(given):
    try:
        return cases.chosen(given.apps.split(",") if given.apps else None, given.effort)
    except KeyError as unknown:
        sys.exit(f"--apps names '{unknown.args[0]}'; allowed: {', '.join(dict.fromkeys(c.app for c in cases.CASES))}")


def commit():
    """The state of the code, as git names it."""
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


class Runner:
    def __init__(self, given):
        self.given, self.folder, self.commit = given, pathlib.Path(given.output), commit()

    def seeds_of(self, case):
        return (self.given.seeds or (1 if self.given.effort == "quick" else 3)) * (3 if case.by_chance else 1)

    def path_of(self, case, machine, workers):
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in case.name).replace("--", "-")
        how = f"{self.given.rounds}-rounds" if machine == REAL else f"{self.seeds_of(case)}-seeds" + f"-{self.given.warm_up}-warm" * (self.given.warm_up > 0)
        return self.folder / f"{machine}-{workers}" / f"{name}.{how}.json"

    def command_of(self, case, machine, workers, policies):
        common = [case.app, *shlex.split(case.options), "--policies", ",".join(policies), "--workers", str(workers), "--json", "-"]
        if machine == REAL:
            return [self.given.skua, "compare", *common, "--peers", "none", "--repeat", str(self.given.rounds)]
        return [self.given.skua, "sim", *common, *shlex.split(case.simulated), "--machine", machine, "--no-verify", "--no-alone", "--seeds",
                str(self.seeds_of(case)), "--warm-up", str(self.given.warm_up)]

    def run(self, case, machine, workers, policies):
        """The document of the command, or why there is none."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SKUA_", "OMP_"))}
        try:
            done = subprocess.run(self.command_of(case, machine, workers, policies), capture_output=True, text=True, env=environment,
                                  stdin=subprocess.DEVNULL, timeout=self.given.limit)
        except subprocess.TimeoutExpired:
            return None, f"took more than {self.given.limit} s"
        if done.returncode in (130, 143):
            sys.exit(INTERRUPTED)
        if done.returncode != 0:
            return None, (done.stderr.strip().splitlines() or ["no message"])[-1].strip()
        document = json.loads(done.stdout)
        if machine == REAL and document["rows"]:
            document["rows"][-1].setdefault("policy_report", done.stderr)
        return document, ""

    def make(self, case, machine, workers):
        """Runs a case under all its policies: together, so that all have the same measured leaves; one by one if that fails."""
        policies = cases.policies_for(case)
        document, why = self.run(case, machine, workers, policies)
        failed = {}
        if document is None:
            rows = []
            for policy in policies:
                one, why = self.run(case, machine, workers, [policy])
                if one is None:
                    failed[policy] = why
                else:
                    document, rows = one, rows + one["rows"]
            document = dict(document or {}, rows=rows)
        document.update(commit=self.commit, failed=failed, seeds=self.seeds_of(case))
        return document

    def document_of(self, case, machine, workers):
        """What was kept, or else what the command says now; None with --no-run and nothing kept."""
        path = self.path_of(case, machine, workers)
        policies = set(cases.policies_for(case))
        kept = json.loads(path.read_text()) if path.exists() else None
        if kept and {*(r["runner"] for r in kept["rows"]), *kept["failed"]} != policies:
            kept = None
        if self.given.no_run or (kept and not (self.given.again and kept["commit"] != self.commit)):
            return kept
        begin = time.monotonic()
        made = self.make(case, machine, workers)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(made))
        partial.rename(path)
        failed = "".join(f"; {policy} FAILED: {why}" for policy, why in made["failed"].items())
        print(f"{machine} {workers}: {case.name}: {time.monotonic() - begin:.0f} s{failed}", file=sys.stderr, flush=True)
        return made


def result_of(case, document):
    of = {row["runner"]: ratios.Times(row["median_s"], row["min_s"], row["max_s"], row["runs"]) for row in document["rows"]}
    report = next((row.get("policy_report", "") for row in document["rows"] if row["runner"] == cases.AUTO), "")
    return ratios.Result(case, {name: t for name, t in of.items() if name != cases.AUTO}, of.get(cases.AUTO), report, document["failed"],
                         document)


def main(words=None):
    given = arguments(words)
    os.nice(given.nice)
    runner = Runner(given)
    found = {}
    for machine, workers in machines_of(given):
        all_cases = [(case, runner.document_of(case, machine, workers)) for case in cases_of(given)]
        results = [result_of(case, document) for case, document in all_cases if document is not None]
        if results:
            found[machine, workers] = results
    if given.print:
        print(tables.page_of(found, tables.SKELETON), end="")
    else:
        page = pathlib.Path(given.page)
        page.write_text(tables.page_of(found, page.read_text() if page.exists() else tables.SKELETON))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
