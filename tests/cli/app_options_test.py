#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every option of an app's own has an effect, or is refused: each option of each app, as `skua run APP --help` lists them, in each mode in
which the app runs. options_test.py does the same for the options of the commands.

app_option_cases.py has a value for each. An option without a case fails the test, as does a case without an option. What repeats the
options does not count as an effect. The end of the output is a table: what each option did in each mode."""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import tempfile
import time

import app_option_cases as cases
import command
import option_listing as listing

MODES = {
    "threads": ["run", "--workers", "1", "--policy", "random", "--stats", "--count-forks", "on"],
    "--virtual": ["run", "--virtual", "--workers", "4", "--policy", "adws"],
    "serial": ["run", "--peer", "serial"],
    "openmp": ["run", "--peer", "openmp", "--workers", "2"],
    "tbb": ["run", "--peer", "tbb", "--workers", "2"],
    "--ranks": ["run", "--ranks"],
    "sim": ["sim", "--policies", "random,adws", "--workers", "4"],
    "sim --ranks": ["sim", "--ranks", "8", "--machine", "hopper"],
}
WHOLE = os.environ.get("TEST_EFFORT") == "full"
PEER_MODES = {"openmp", "tbb"}
# An app does not run in a mode.
NOT_THERE = r"which does not run on ranks|the peers that [\w-]+ has|runs on threads only|has no tasks for simulated ranks"
# Facts that differ from run to run, or with the schedule.
UNSETTLED = {"optimum_ns", "wait_us_50", "wait_us_99", "wait_us_99_9", "wait_us_most", "interaction_s", "partitions", "widths"}


def line_in(mode, lines):
    return lines if isinstance(lines, str) else lines.get(mode, lines[""])


class Tried:
    """One app, all its options, in all modes."""

    def __init__(self, app):
        self.app = app
        self.lines, self.cases = cases.APPS[app]
        self.options = [o for o in listing.options("run", app) if "--help" not in o.names]
        self.own = {name.strip("-").replace("-", "_") for o in self.options for name in o.names} | {"openmp_schedule", "tbb_partitioner"}
        self.before = {}
        self.table = {}  # {option: {mode: outcome}}
        self.wrong_values = 0
        self.faults = []
        self.fixed_times = None

    def run(self, mode, words):
        """(exit code, what can be seen, standard error)"""
        subcommand, *settings = MODES[mode]
        if mode == "sim" and self.needs_task_ns(words):
            settings = [*settings, "--task-ns", "50"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for given, content in cases.GIVEN_FILES.items():
                if given in words:
                    (folder / given).write_bytes(content)
            code, out, err = command.run(subcommand, self.app, *words, *settings, "--json", "-", cwd=folder)
            files = {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.name not in cases.GIVEN_FILES}
        return code, dict(self.flat("", self.view(mode, json.loads(out), files))) if code == 0 else None, err

    def needs_task_ns(self, words):
        """Times that the clock of this machine gives would differ from run to run. An app whose leaves all declare flops takes no such option."""
        if self.fixed_times is None:
            code, _, err = command.run("sim", self.app, *shlex.split(line_in("sim", self.lines)), "--policies", "random", "--workers", "1", "--task-ns", "50", "--json", "-")
            self.fixed_times = "all its leaves declare flops" not in err
        return self.fixed_times

    def facts(self, found):
        settled = {key: value for key, value in found.items() if key not in self.own | UNSETTLED}
        for part in settled.get("instances", ()):
            part.pop("optimum_ns", None)
        if "parts" in settled:
            settled["parts"] = [{k: v for k, v in part["facts"].items() if k != "n"} for part in settled["parts"]]
        return settled

    def view(self, mode, document, files):
        row = document["rows"][0]
        if mode == "threads":
            counted = {key: sum(worker[key] for worker in row["counters"]) for key in ("forks", "spawns")}
            return {"facts": self.facts(row["facts"]), "counted": counted, "files": files}
        if mode in ("serial", "openmp", "tbb"):
            return {"facts": self.facts(row["facts"]), "files": files}
        if mode == "--ranks":
            return {"facts": self.facts(row["facts"]), "iterations": [(r["tasks"], r["kept"]) for r in row["iterations"]], "files": files}
        if mode == "sim":
            return {"tree": {key: document[key] for key in ("tasks", "leaves", "leaves_without_flops", "serial_s")}, "rows": document["rows"], "files": files}
        return {"rows": document["rows"], "files": files}

    def flat(self, path, value):
        if isinstance(value, (dict, list, tuple)):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                yield from self.flat(f"{path}/{key}", inner)
        else:
            yield path, value

    def seen_before(self, mode, line):
        """(what two runs agree on, all paths of both); None if the app does not run in this mode."""
        key = mode, line
        if key not in self.before:
            runs = [self.run(mode, shlex.split(line)) for _ in range(2)]
            if runs[0][0] == 2 and re.search(NOT_THERE, runs[0][2]):
                self.before[key] = None
            elif runs[0][0] or runs[1][0]:
                raise RuntimeError(f"{mode}: {self.app} {line} -> {runs[0][0]}: {runs[0][2]}")
            else:
                one, other = (r[1] for r in runs)
                self.before[key] = {p: one[p] for p in one if p in other and one[p] == other[p]}, set(one) | set(other)
        return self.before[key]

    def difference(self, before, after):
        """The paths at which a run differs from what settled runs agree on."""
        settled, known = before
        return {p for p in settled if after.get(p, self) != settled[p]} | {p for p in after if p not in known}

    def is_changed(self, before, mode, words, after):
        paths = self.difference(before, after)
        if any(p.startswith(("/facts", "/counted", "/tree/tasks", "/tree/leaves", "/files", "/iterations")) for p in paths):
            return True
        # Of schedules and memory a run may differ by chance, where two did not: an effect repeats itself.
        again = self.run(mode, words)[1]
        return any(again.get(p, self) == after.get(p, self) for p in paths & self.difference(before, again))

    def changed(self, line, option, name, value):
        words = shlex.split(line)
        for known in option.names:
            if known in words:
                at = words.index(known)
                del words[at:at + 1 + bool(option.kind)]
        return [*words, name] if value is None else [*words, name, value]

    def outcome(self, option, name, case, mode, line):
        before = self.seen_before(mode, line)
        if before is None:
            return None
        words = self.changed(line, option, name, case.to)
        told = f"{mode}: {self.app} {' '.join(words)}"
        code, after, err = self.run(mode, words)
        if code == 2 and command.mode_refusal(option.names, MODES[mode][0], err):
            return "refused"
        if code != 0:
            raise RuntimeError(f"{told} -> {code}: {err}")
        if self.is_changed(before, mode, words, after):
            return "effect"
        if mode not in case.unseen:
            raise RuntimeError(f"{told}: {name} has no effect")
        return f"unseen ({case.unseen[mode]})"

    def line_for(self, mode, case):
        """The app's instead of the case's, if the mode refuses another option of that one: --form spawn on ranks."""
        if case.line is None or self.is_refused(mode, line_in(mode, case.line)):
            return line_in(mode, self.lines)
        return line_in(mode, case.line)

    def is_refused(self, mode, line):
        code, _, err = self.run(mode, shlex.split(line))
        return code == 2 and not re.search(NOT_THERE, err)

    def try_wrong_values(self, option, name, case):
        wrong = case.wrong if case.wrong is not None else cases.WRONG[option.kind]
        for mode in ("threads", "sim --ranks"):
            if self.seen_before(mode, line_in(mode, self.lines)) is None or self.table[name].get(mode) == "refused":
                continue
            for value in (*wrong, *case.also_wrong):
                words = self.changed(self.line_for(mode, case), option, name, value)
                code, _, err = self.run(mode, words)
                self.wrong_values += 1
                if code != 2 or not command.is_one_line(err):
                    self.faults.append(f"{mode}: {self.app} {shlex.join(words)} -> {code}: {err}")

    def try_all(self):
        began = time.monotonic()
        known = sorted(n for o in self.options for n in o.names)
        if known != sorted(self.cases):
            self.faults.append(f"--help has {known}, app_option_cases.py {sorted(self.cases)}")
            return self
        for option in self.options:
            for name in option.names:
                case = self.cases[name]
                self.table[name] = {}
                for mode in MODES:
                    if mode in PEER_MODES and not command.PEERS_RUN or case.only_in and mode not in case.only_in and not WHOLE:
                        continue
                    try:
                        found = self.outcome(option, name, case, mode, self.line_for(mode, case))
                        if found is not None:
                            self.table[name][mode] = found
                    except RuntimeError as fault:
                        self.faults.append(str(fault))
                if option.kind:
                    self.try_wrong_values(option, name, case)
                if set(self.table[name].values()) <= {"refused"}:
                    self.faults.append(f"{self.app} {name} is refused in every mode")
        self.seconds = time.monotonic() - began
        return self


class AppOptions(command.Case):
    running = None
    finished = {}

    @classmethod
    def setUpClass(cls):
        """Two commands at a time."""
        cls.pool = concurrent.futures.ThreadPoolExecutor(2)
        cls.running = {app: cls.pool.submit(lambda app=app: Tried(app).try_all()) for app in cases.APPS}

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown(cancel_futures=True)

    def check(self, app):
        tried = self.running[app].result()
        self.finished[app] = tried
        for fault in tried.faults:
            with self.subTest(app=app):
                self.fail(fault)

    def test_every_app_has_cases(self):
        self.assertEqual(sorted(listing.apps("run")), sorted(cases.APPS))


class Refusals(command.Case):
    """What the table above cannot show: comparisons, and options beside others."""

    def test_an_option_that_no_contender_reads_is_refused(self):
        heat = ["compare", "heat", "--n", "64", "--iterations", "2", "--repeat", "1", "--workers", "1", "--no-map-overlap"]
        styles = "--openmp is given without --peers openmp; allowed: only with --peers openmp, because it is the schedule of that twin"
        self.refuses(*heat, "--openmp", "dynamic", "--peers", "serial", message=[styles])
        self.refuses("compare", "fib", "--n", "5", "--hints", "work", "--policies", "none", "--peers", "serial", message=["--hints is given with --policies none"])
        self.works("compare", "fib", "--n", "5", "--hints", "work", "--policies", "random", "--peers", "serial", "--repeat", "1", "--workers", "1")
        if command.PEERS_RUN:
            self.works(*heat, "--openmp", "dynamic", "--peers", "openmp", "--policies", "random")
            self.works(*heat, "--openmp", "dynamic", "--peers", "openmp,openmp:tasks", "--policies", "random")
            self.refuses(*heat, "--openmp", "dynamic", "--peers", "openmp:tasks", message=["--openmp is given with --peers openmp:tasks", "both say how its loops are spread"])

    def test_a_schedule_decides_whether_leaves_count(self):
        heat = ["run", "heat", "--n", "64", "--iterations", "2", "--workers", "2"]
        self.refuses(*heat, "--peer", "openmp", "--leaf-rows", "8", message=["--leaf-rows is given with --peer openmp"])
        self.refuses(*heat, "--peer", "openmp:dynamic", "--leaf-columns", "32", message=["--leaf-columns is given with --peer openmp:dynamic"])
        if command.PEERS_RUN:
            self.works(*heat, "--peer", "openmp", "--openmp", "dynamic", "--leaf-rows", "8")
            self.works(*heat, "--peer", "openmp:tasks", "--leaf-rows", "8", "--leaf-columns", "32")

    def test_an_option_beside_one_that_replaces_it_is_refused(self):
        for app, option, other in (("sssp", ["--n", "3"], ["--graph", "g.gr"]), ("puzzle15", ["--moves", "3"], ["--instance", "korf:1"]),
                                   ("strips", ["--triangles", "9"], ["--mesh", "m.obj"]), ("cg", ["--class", "S"], ["--matrix", "a.mtx"]), ("hull", ["--n", "3"], ["--input", "p.txt"]), ("tce", ["--iterations", "2"], ["--count-only"]),
                                   ("hartree-fock", ["--tolerance", "0.1"], ["--count-only"]),
                                   ("hartree-fock", ["--atoms", "2"], ["--molecule", "water.xyz"])):
            for subcommand in ("run", "sim"):
                self.refuses(subcommand, app, *option, *other, message=[f"{option[0]} is given with {other[0]}; allowed: one of them, because "])

    def test_a_tree_refuses_what_its_kind_does_not_have(self):
        for options in (["--tree", "T3", "--depth", "5"], ["--tree", "T3", "--shape", "fixed"], ["--tree", "T1", "--children", "3"],
                        ["--tree", "T1", "--probability", "0.1"], ["--tree", "T1", "--shift", "0.1"], ["--depth", "3", "--strategy", "none"]):
            self.refuses("run", "uts", *options, message=[options[-2]])
        self.refuses("run", "heat", "--alpha-kind", "random", message=["--alpha-kind is random"])
        self.refuses("run", "synthetic-loads", "--floor", "0.5", message=["--floor is given"])


def tearDownModule():
    count = collections.Counter()
    for app, tried in AppOptions.finished.items():
        for name, found in tried.table.items():
            print(f"{app:16}{name:16}" + "; ".join(f"{mode}: {outcome}" for mode, outcome in found.items()))
            count.update(outcome.split()[0] for outcome in found.values())
    finished = AppOptions.finished.values()
    print(f"{sum(len(t.table) for t in finished)} names of options of {len(finished)} apps, {sum(count.values())} pairs with a mode: {dict(count)}; "
          f"{sum(t.wrong_values for t in finished)} wrong values", flush=True)


for of_app in cases.APPS:
    setattr(AppOptions, f"test_every_option_of_{of_app.replace('-', '_')}_has_an_effect_or_is_refused", lambda self, app=of_app: self.check(app))
if __name__ == "__main__":
    command.main()
