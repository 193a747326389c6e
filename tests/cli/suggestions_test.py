#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua report: every command that a finding suggests runs, changes what it says, and leaves the trace alone that it is about."""

import json
import os
import pathlib
import subprocess
import unittest

import command
from export_test import event, trace_file

WORKING, SCHEDULING, IDLING, SLEEPING, LEAF, STOLEN, MARK = 1, 2, 3, 4, 7, 8, 21
WORKERS, END = 8, 100_000

# What `skua run` and a program of the user's are started with, and where their settings come from.
RUN = ["skua", "run", "heat", "--n", "64", "--iterations", "2", "--policy", "random", "--workers", "2", "--trace", "t"]
STARTS = {
    "an option of skua run": {"arguments": RUN, "chosen_by": {"policy": "code", "workers": "code", "trace": "code"}},
    "an option with an equals sign": {"arguments": [*RUN[:7], "--policy=random", "--workers=2", "--trace=t"]},
    "a variable": {"arguments": [command.EXAMPLE], "variables": ["SKUA_POLICY=random", "SKUA_WORKERS=2", "SKUA_TRACE=t"],
                   "chosen_by": {"policy": "SKUA_POLICY", "workers": "SKUA_WORKERS", "trace": "SKUA_TRACE"}},
    "a variable that the shell would read": {"arguments": [command.EXAMPLE], "variables": ["SKUA_PLACES={0}", "SKUA_WORKERS=2"]},
    "an option of skua sim": {"arguments": ["skua", "sim", *RUN[2:7], "--policies", "random", "--workers", "2", "--trace", "t"]},
}


def states(*changes):
    return [event(at, what) for at, what in changes]


def busy():
    return states((0, WORKING), (END, SCHEDULING))


def tracks_of():
    """For each finding, what eight workers did; and what one did alone, if it needs that."""
    def far(w):
        return [event(0, WORKING), *(event(i, STOLEN, count=1, other=(w + 4) % WORKERS) for i in range(10)), event(END, SCHEDULING)]

    def moving(w):
        marks = [event(i * 1000, MARK, other=1, value=i) for i in range(20)] if w == 0 else []
        leaves = [event(i * 1000 + 1, LEAF, ident=4096 * ((w + i) % WORKERS), value=4096) for i in range(20)]
        return [event(0, WORKING), *sorted(marks + leaves), event(END, SCHEDULING)]

    alone = [states((0, WORKING), (END, SCHEDULING))]
    return {
        "tasks_too_short": [states((0, SCHEDULING), (END // 3, WORKING), (END, SCHEDULING))] * WORKERS,
        "too_few_tasks": [busy()] * 3 + [[event(0, WORKING), event(END // 100, IDLING, value=50), event(END, SCHEDULING)]] * 5,
        "too_many_workers": [busy()] * WORKERS,
        "steals_from_far": ([far(w) for w in range(WORKERS)], alone),
        "work_inflates": ([busy()] * WORKERS, alone),
        "data_moves": [moving(w) for w in range(WORKERS)],
        "long_last_task": [busy()] + [states((0, WORKING), (END // 2, SLEEPING))] * 7,
        "serial_part": [busy()] + [states((0, SLEEPING), (END // 2, WORKING), (END, SCHEDULING))] * 7,
        "outside_the_pool": [states((0, SLEEPING), (1, WORKING), (2, SLEEPING), (END // 2, WORKING), (END, SCHEDULING))] * WORKERS,
    }


# What the new run has, beside another trace.
CHANGES = {
    "too_few_tasks": ("workers", 4),
    "too_many_workers": ("workers", 2),
    "steals_from_far": ("policy", "numa-ws"),
    "work_inflates": ("policy", "adws"),
    "data_moves": ("policy", "adws"),
}


class Suggestions(command.Case):
    def write(self, name, tracks, start, processors=WORKERS):
        about = {"program": "p", "policy": "random", "distances": ["near", "far"], **start,
                 "workers": [{"node": w * 2 // WORKERS, "place": w * 2 // WORKERS, "processor": w % processors} for w in range(len(tracks))]}
        path = self.scratch / name
        path.write_bytes(trace_file(tracks, names=b"\0iteration\0", about=about))
        return path

    def in_shell(self, line):
        """As a user types it, where the command is on the path."""
        tools = self.scratch / "bin"
        tools.mkdir(exist_ok=True)
        if not (tools / "skua").exists():
            (tools / "skua").symlink_to(pathlib.Path(command.SKUA).resolve())
        return subprocess.run(["bash", "-c", line], cwd=self.scratch, timeout=command.TIMEOUT_S, capture_output=True, text=True,
                              env=command.clean_environment(PATH=f"{tools}:{os.environ['PATH']}"))

    def finding(self, key, tracks, start):
        several, alone = tracks if isinstance(tracks, tuple) else (tracks, None)
        path = self.write("t", several, start, 2 if key == "too_many_workers" else WORKERS)
        names = [path]
        if alone:
            names.append(self.write("alone", alone, start))
        report = self.works_json("report", *map(str, names), "--json", cwd=self.scratch)
        found = [f for f in report["runs"][0]["findings"] if f["key"] == key]
        self.assertTrue(found, f"{key} is not among {report['runs'][0]['findings']}")
        return path, found[0]["command"].replace(str(path), "t")

    def test_every_suggestion_does_what_it_says(self):
        for key, tracks in tracks_of().items():
            for how, start in STARTS.items():
                with self.subTest(finding=key, chosen_by=how):
                    self.try_out(key, *self.finding(key, tracks, start))

    def try_out(self, key, path, line):
        before = path.read_bytes()
        there = set(os.listdir(self.scratch)) - {"bin"}
        done = self.in_shell(line)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        self.assertEqual(path.read_bytes(), before, line)
        new = [name for name in set(os.listdir(self.scratch)) - there if name.endswith(".trace")]
        self.assertEqual(len(new), 1, line)
        run = self.works_json("report", str(self.scratch / new[0]), "--json")["runs"][0]
        what, value = CHANGES.get(key, ("workers", 2))
        if what == "policy":
            self.assertIn(run["policy"].removeprefix("only:"), (value, f"forks={value}"), line)
        else:
            self.assertEqual(run[what], value, line)
        for name in set(os.listdir(self.scratch)) - there - {"bin"}:
            (self.scratch / name).unlink()

    def test_a_trace_that_a_suggestion_made_is_not_overwritten_by_the_next_one(self):
        tracks = tracks_of()["serial_part"]
        self.write("forked.trace", tracks, STARTS["a variable"])
        report = self.works_json("report", "forked.trace", "--json", cwd=self.scratch)
        self.assertIn("SKUA_TRACE=forked2.trace ", report["runs"][0]["findings"][0]["command"])

    def test_real_runs_record_how_they_were_started(self):
        self.in_shell("SKUA_POLICY=adws skua run heat --n 64 --iterations 2 --workers 2 --trace t")
        data = (self.scratch / "t").read_bytes()[4096:]
        about, _ = json.JSONDecoder().raw_decode(data[:8192].split(b"\0")[0].decode())
        self.assertEqual(about["arguments"][1:], ["run", "heat", "--n", "64", "--iterations", "2", "--workers", "2", "--trace", "t"])
        self.assertIn("SKUA_POLICY=adws", about["variables"])
        self.assertEqual(about["chosen_by"]["policy"], "SKUA_POLICY")
        self.assertEqual(about["chosen_by"]["workers"], "code")

    def test_the_report_of_a_real_run_leaves_out_what_is_around_it(self):
        self.in_shell("skua run heat --n 512 --iterations 2 --repeat 2 --policy adws --workers 2 --trace t")
        run = self.works_json("report", "t", "--json", cwd=self.scratch)["runs"][0]
        self.assertEqual(run["title"], "heat, adws, 2 workers")
        self.assertGreater(run["uncounted_s"], 0)
        self.assertRegex(run["uncounted"], r"^Setting up and checking, [0-9.]+ [mun]?s, are not counted\.$")
        whole = self.works_json("report", "t", "--from", "0", "--json", cwd=self.scratch)["runs"][0]
        self.assertIsNone(whole["uncounted"])
        self.assertAlmostEqual(whole["length_s"], run["length_s"] + run["uncounted_s"], delta=1e-6 + 1e-3 * whole["length_s"])


if __name__ == "__main__":
    command.main()
