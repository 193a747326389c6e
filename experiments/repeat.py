#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs all experiments of a paper, one after the other, and prints a table of their statements: what the paper says, the bound that was
written before the run, the value, the values at both ends of the assumed figures, and the verdict. A second folder of results, of
another commit say, gives a column "before". Nothing here is measured: every figure is simulated.

    experiments/repeat.py arms-2021                                  # build/release/bin/skua
    experiments/repeat.py strategies-2013 --only fig2b,fig3
    experiments/repeat.py arms-2021 --before old-results             # beside the values of old-results/arms-2021/
    experiments/repeat.py arms-2021 --keep                           # repeat only what the output folder lacks
    experiments/repeat.py targets --machines epyc-7763,graviton3     # on these machine models, a column for each
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    papers = sorted({path.parent.name for path in ROOT.glob("experiments/*/*.toml")})
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("paper", choices=papers)
    given.add_argument("--only", help="names of experiments, separated by commas: fig9,table6")
    given.add_argument("--skua", default=str(ROOT / "build/release/bin/skua"))
    given.add_argument("--output", default="experiments-results", help="results go to OUTPUT/PAPER")
    given.add_argument("--before", help="another such folder, whose values the table also has")
    given.add_argument("--keep", action="store_true", help="use the results that are there, run the others")
    given.add_argument("--machines", help="machine models in place of the experiments' own, separated by commas")
    given.add_argument("--nice", type=int, default=10, help="niceness of the runs")
    given.add_argument("--quick", action="store_true", help="small inputs: do they run? There are no verdicts then")
    return given.parse_args()


def names_of(given):
    names = sorted(path.stem for path in (ROOT / "experiments" / given.paper).glob("*.toml"))
    if not given.only:
        return names
    asked = given.only.split(",")
    unknown = sorted(set(asked) - set(names))
    if unknown:
        sys.exit(f"--only is '{unknown[0]}'; allowed: {', '.join(names)}")
    return asked


def document_of(folder, given, name, machine=None):
    """What skua experiment wrote; None: nothing."""
    ending = (f"-on-{pathlib.Path(machine).stem}" if machine else "") + ("-quick" if given.quick else "")
    path = pathlib.Path(folder) / f"{given.paper}-{name}{ending}.json"
    return json.loads(path.read_text()) if path.exists() else None


def run(given, folder, name, machine=None):
    command = [given.skua, "experiment", f"{given.paper}/{name}", "--output", str(folder)] + ["--quick"] * given.quick
    command += ["--machine", machine] if machine else []
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    print(f"{name}{f' on {machine}' if machine else ''}: {'done' if done.returncode == 0 else 'FAILED'} in {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return done.returncode == 0


def in_digits(value):
    return "-" if value is None else f"{value:.3g}"


def bound_of(verdict):
    low, high = verdict["at_least"], verdict["at_most"]
    if low is not None and high is not None:
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return f">= {low:g}" if low is not None else f"<= {high:g}"


def rows_of(name, document, before):
    old = {(v["says"], v["panel"]): v for v in (before or {}).get("verdicts", [])}
    for verdict in document["verdicts"]:
        was = old.get((verdict["says"], verdict["panel"]))
        yield [name, verdict["says"], verdict["panel"] if verdict["panel"] != document["title"] else "", verdict["stated"], bound_of(verdict),
               *([in_digits(was["value"]) if was else ""] if before is not None else []), in_digits(verdict["value"]),
               f"{in_digits(verdict['value_low_ends'])} .. {in_digits(verdict['value_high_ends'])}", verdict["standing"]]


MARK = {"holds": "{}", "does not hold": "**{}**", "at the stated values only": "{} (stated)"}


def compared(given, folder, machines):
    """A row per statement, a column per machine: bold fails; (stated) holds, but not at both ends of the assumed figures."""
    rows, failed = {}, []
    for name in names_of(given):
        for machine in machines:
            if not (given.keep and document_of(folder, given, name, machine)) and not run(given, folder, name, machine):
                failed.append(f"{name} on {machine}")
                continue
            for verdict in document_of(folder, given, name, machine)["verdicts"]:
                key = (name, verdict["says"], verdict["panel"], bound_of(verdict))
                rows.setdefault(key, {})[machine] = MARK.get(verdict["standing"], "{} (?)").format(in_digits(verdict["value"]))
    head = ["experiment", "statement", "panel", "bound", *machines]
    print("| " + " | ".join(head) + " |\n" + "|" + "---|" * len(head))
    for key, found in rows.items():
        print("| " + " | ".join([*key, *(found.get(machine, "-") for machine in machines)]) + " |")
    cells = [cell for found in rows.values() for cell in found.values()]
    missed = sum(cell.startswith("**") for cell in cells)
    print(f"\n{len(cells)} statements, simulated: {missed} fail" + (f"; failed to run: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


def main():
    given = arguments()
    os.nice(given.nice)
    folder = pathlib.Path(given.output) / given.paper
    folder.mkdir(parents=True, exist_ok=True)
    if given.machines:
        return compared(given, folder, given.machines.split(","))
    failed, standings, rows = [], [], []
    for name in names_of(given):
        if not (given.keep and document_of(folder, given, name)) and not run(given, folder, name):
            failed.append(name)
            continue
        before = document_of(pathlib.Path(given.before) / given.paper, given, name) or {} if given.before else None
        rows += rows_of(name, document_of(folder, given, name), before)
    head = ["figure", "statement", "panel", "paper", "bound", *(["before"] if given.before else []), "here", "low ends .. high ends", "verdict"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
        standings.append(row[-1])
    counts = ", ".join(f"{standings.count(s)} {s}" for s in sorted(set(standings)))
    print(f"\n{len(rows)} statements, simulated: {counts or 'none'}" + (f"; failed to run: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
