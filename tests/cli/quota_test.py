#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In a control group with a quota of one CPU there is one worker, and doctor says why. Needs the right to make a group."""

import contextlib
import os
import pathlib
import time
import unittest

import command


def controller():
    """(folder of our own cpu group, is it cgroup v2?), as far as the kernel shows them; or None."""
    groups = dict(line.split(":", 2)[1:] for line in pathlib.Path("/proc/self/cgroup").read_text().split("\n") if line)
    for line in pathlib.Path("/proc/self/mountinfo").read_text().split("\n"):
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup"):
            root, at = before.split(" ")[3:5]
            kind, _, options = after.split(" ")
            mine = groups.get("") if kind == "cgroup2" else groups.get("cpu", groups.get("cpu,cpuacct"))
            if root != "/" or mine is None:
                continue
            folder = pathlib.Path(at + mine)
            if kind == "cgroup" and "cpu" in options.split(",") and (folder / "cpu.shares").exists():
                return folder, False
            if kind == "cgroup2" and "cpu" in (folder / "cgroup.controllers").read_text().split():
                return folder, True
    return None


@contextlib.contextmanager
def group_with_quota(cpus):
    """A file to write a process into."""
    found = controller()
    if found is None:
        raise unittest.SkipTest("there is no cpu controller here")
    folder, is_v2 = found
    group = folder / f"skua_quota_test_{os.getpid()}"
    try:
        if is_v2:
            (folder / "cgroup.subtree_control").write_text("+cpu")
        group.mkdir()
    except OSError as fault:
        raise unittest.SkipTest(f"no control group can be made here: {fault}") from fault
    try:
        period = 100000
        if is_v2:
            (group / "cpu.max").write_text(f"{int(cpus * period)} {period}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(period))
            (group / "cpu.cfs_quota_us").write_text(str(int(cpus * period)))
        yield group / "cgroup.procs"
    finally:
        for _ in range(100):  # the kernel needs a moment to see that the group is empty
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.05)


class Quota(command.Case):
    def inside(self, procs):
        return {"preexec_fn": lambda: procs.write_text(str(os.getpid()))}

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one PU: a quota of one CPU limits nothing")
    def test_one_cpu_is_one_worker_and_doctor_says_why(self):
        for cpus in (1, 0.5):
            with self.subTest(cpus=cpus), group_with_quota(cpus) as procs:
                found = self.works_json("doctor", "--json", **self.inside(procs))
                self.assertEqual(found["workers"]["count"], 1)
                for part in ("quota", procs.parent.name):
                    self.assertIn(part, found["workers"]["why"])
                self.assertEqual(found["cpu_quota"]["limits"][0]["cpus"], cpus)
                self.assertIn(procs.parent.name, found["cpu_quota"]["limits"][0]["file"])
                text = self.works("doctor", **self.inside(procs))
                self.assertRegex(text, r"workers +1: CPU quota of")
                (row,) = self.works_json("run", "fib", "--n", "12", "--json", "-", **self.inside(procs))["rows"]
                self.assertEqual(row["workers"], 1)

    def test_the_user_may_ask_for_more(self):
        with group_with_quota(1) as procs:
            found = self.works_json("doctor", "--workers", "2", "--json", **self.inside(procs))
            self.assertEqual(found["workers"]["count"], 2)
            self.assertEqual(found["default_workers"]["count"], 1)


if __name__ == "__main__":
    command.main()
