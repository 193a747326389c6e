#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same collection under SimGrid's SMPI and on our simulated ranks: do they steal alike?

    tools/smpi_bed.py FOLDER [--ranks 64,256,1024] [--seeds N] [--iterations N] [--cpu-limit SECONDS]

FOLDER has smpi_loads.so and simulated_loads (build/smpi/tests). Under SMPI everything is what an MPI job runs: transport, collections, protocol;
only MPI and the time are SimGrid's. Our simulated ranks share the protocol with it, and neither transport, nor polling, nor network. Both
run a flat network of 10 us and 1 byte per ns.

Fails if a task did not run exactly once, or if the means over the seeds differ by more than chance and the allowances below explain.
"""

import argparse
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

LATENCY_US, BYTES_PER_NS = 10, 1
# An MPI_Test that finds nothing takes this long under SMPI. Ours has no polls: a message costs the receiver one and a half.
TEST_S, HANDLER_NS = 1e-6, 1500

# Means over n seeds differ by chance: by this many standard errors once in 370 comparisons. Seeds are fixed, so what passes stays so.
ERRORS = 3
# What the models may differ in besides, as a share. Steals are decided by the loads; attempts in the drought by how soon a rank sees a message.
ALLOWED = {"successful": 0.05, "attempted": 0.20}

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="flat" prefix="rank" suffix="" radical="0-{last}" speed="1Gf" bw="{mbytes}MBps" lat="{half_us}us"/>
</platform>
"""
LINK = f"latency_ns = {LATENCY_US * 1000}\nbytes_per_ns = {BYTES_PER_NS}\n"
CLUSTER = f"""name = "flat"
about = "one rank per node, all equally far"
[layout]
ranks_per_node = 1
nodes_per_switch = 1
[node]
{LINK}[switch]
{LINK}[system]
{LINK}[runtime]
server_thread = false
handler_ns = {HANDLER_NS}
task_overhead_ns = 0
balance_step_ns = 0
"""
# Growing injected times: the counter is shared by all ranks. Privatisation: a mapping per rank, and we have no mutable globals.
# Factors of 1: the latency and bandwidth of the platform, as in the cluster. Detached sends sit in one list that is searched.
OPTIONS = ["-no-privatize", "--log=root.thresh:warning", "--cfg=smpi/host-speed:1Gf", "--cfg=smpi/simulate-computation:no",
           "--cfg=smpi/grow-injected-times:no", f"--cfg=smpi/test:{TEST_S}", "--cfg=smpi/wtime:0", "--cfg=smpi/coll-selector:ompi",
           "--cfg=smpi/send-is-detached-thresh:0", "--cfg=smpi/lat-factor:0:1", "--cfg=smpi/bw-factor:0:1"]
ROW = re.compile(r"iteration (\d+) attempted (\d+) successful (\d+) moved (\d+) not_once (\d+) seconds ([\d.]+)")


def rows_of(command, iterations, cpu_limit):
    """The rows that a program prints, one an iteration. The limit is of processor time: a hang polls, and the machine may be busy."""
    limited = ["bash", "-c", f'ulimit -t {cpu_limit}; exec "$@"', "bash", *map(str, command)]
    ran = subprocess.run(limited, text=True, capture_output=True)
    rows = [{"attempted": int(m[2]), "successful": int(m[3]), "moved": int(m[4]), "not_once": int(m[5]), "seconds": float(m[6])}
            for m in ROW.finditer(ran.stdout)]
    if ran.returncode != 0 or len(rows) != iterations:
        raise SystemExit(f"smpi_bed: {' '.join(limited[5:])}: status {ran.returncode}, {len(rows)} iterations\n{ran.stderr[-1500:]}")
    return rows


def allowed_difference(a, b, key):
    """Between the means of two samples. A count varies at least as a Poisson one does where a handful of seeds happen to agree."""
    mean = statistics.mean(a + b)
    variance = max(mean, statistics.mean([statistics.variance(s) if len(s) > 1 else 0 for s in (a, b)]))
    return ERRORS * math.sqrt(variance * (1 / len(a) + 1 / len(b))) + ALLOWED[key] * mean


def compare(ranks, smpi, ours):
    """Prints a line per iteration; returns the failures in words."""
    failures = []
    for i in range(len(smpi[0])):
        said = f"  {ranks:5} ranks, iteration {i + 1}:"
        for key in ("successful", "attempted"):
            a, b = [run[i][key] for run in smpi], [run[i][key] for run in ours]
            difference, allowed = abs(statistics.mean(a) - statistics.mean(b)), allowed_difference(a, b, key)
            said += f" {key} {statistics.mean(a):.1f} ({min(a)}-{max(a)}) and {statistics.mean(b):.1f} ({min(b)}-{max(b)}), allowed {allowed:.1f};"
            if difference > allowed:
                failures.append(f"{ranks} ranks, iteration {i + 1}: {key} differ by {difference:.1f}, allowed {allowed:.1f}")
        for name, runs in (("SMPI", smpi), ("ours", ours)):
            if wrong := sum(run[i]["not_once"] for run in runs):
                failures.append(f"{ranks} ranks, iteration {i + 1}, {name}: {wrong} tasks did not run once")
        print(f"{said} {statistics.mean(r[i]['seconds'] for r in smpi) * 1e3:.2f} and {statistics.mean(r[i]['seconds'] for r in ours) * 1e3:.2f} ms",
              flush=True)
    if sum(row["successful"] for run in smpi for row in run) == 0:
        failures.append(f"{ranks} ranks: nothing was stolen, so nothing was compared")
    return failures


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("folder", type=pathlib.Path)
    words.add_argument("--ranks", default="64,256,1024")
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--iterations", type=int, default=4)
    words.add_argument("--cpu-limit", type=int, default=1200)
    given = words.parse_args()
    if not shutil.which("smpirun"):
        print("smpi_bed: skipped: there is no SimGrid (libsimgrid-dev) on this machine")
        return 0
    failures = []
    print("smpi_bed: SMPI and our simulated ranks (all figures simulated): means, and least to most over the seeds")
    with tempfile.TemporaryDirectory() as folder:
        there = pathlib.Path(folder)
        (there / "flat.toml").write_text(CLUSTER)
        for ranks in map(int, given.ranks.split(",")):
            (there / "platform.xml").write_text(PLATFORM.format(last=ranks - 1, mbytes=1000 * BYTES_PER_NS, half_us=LATENCY_US / 2))
            (there / "hosts").write_text("".join(f"rank{r}\n" for r in range(ranks)))
            smpi, ours = [], []
            for seed in range(1, given.seeds + 1):
                load = ["16", "500", given.iterations, seed]
                smpi.append(rows_of(["smpirun", "-np", ranks, "-platform", there / "platform.xml", "-hostfile", there / "hosts", *OPTIONS,
                                     (given.folder / "smpi_loads.so").resolve(), *load], given.iterations, given.cpu_limit))
                ours.append(rows_of([given.folder / "simulated_loads", there / "flat.toml", ranks, *load], given.iterations, given.cpu_limit))
            failures += compare(ranks, smpi, ours)
    for failure in failures:
        print(f"smpi_bed: {failure}")
    print(f"smpi_bed: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
