# SPDX-License-Identifier: MIT
"""What libgomp-skua says about places, the environment, allocators and errors is what GCC's libgomp says.

    same_answers_test.py REPORT SKUA_LIBRARY

REPORT (report.cpp) runs once with each library in each environment; the lines must be the same, in any order, and so must the exit status. Left out are
addresses, and what only one of the libraries has.
"""

import os
import re
import subprocess
import sys

OURS = ("OMP_", "GOMP_", "SKUA_")
DISPLAY = {"OMP_DISPLAY_ENV": "true"}
# GCC's library spells it so, and has another word for one variable.
SPELLING = (("enviroment", "environment"), ("Unknown value", "Invalid value"))
# We read no GOMP_SPINCOUNT, and give no reasons why a list of places is wrong.
# We say once that there is no device (said_once).
ONLY_HERE = re.compile(r"libgomp-skua: GOMP_target\w* at /\S*openmp_report\+0x[0-9a-f]+: there is no device, so target regions run on the host")
ONLY_THERE = re.compile(r"GOMP_SPINCOUNT|Trying to remove a non-existing place|All places have been removed")

PLACES = [
    {}, {"OMP_PLACES": "{0},{1},{0,1},{1},{0}"}, {"OMP_PLACES": "{0},{0:2},{1}", "OMP_PROC_BIND": "spread"}, {"OMP_PLACES": "threads"}, {"OMP_PLACES": "cores"},
    {"OMP_PLACES": "sockets"}, {"OMP_PLACES": "ll_caches"}, {"OMP_PLACES": "numa_domains"}, {"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "false", "OMP_PLACES": "{0}"},
    {"OMP_PROC_BIND": "primary"}, {"OMP_PROC_BIND": "close,spread", "OMP_PLACES": "{0},{1},{0}"}, {"GOMP_CPU_AFFINITY": "0 1"}, {"OMP_PROC_BIND": "close", "GOMP_CPU_AFFINITY": "0,1 0"},
    {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "nonsense"}, {"OMP_PLACES": "nonsense"},
]
VARIABLES = [
    ("OMP_PLACES", ["foo", "", "{9}", "cores(9)", "{0}:3", "{0,1,!0}", "{0},!{0}", "{0:2},!{5}", "{0,1},{1}", "{1}:2:-1", "threads(1)", " Cores ", "{0},{9}", "{0,9}"]),
    ("OMP_PROC_BIND", ["", "foo", "true,close", "close,spread", "primary", "MASTER", "spread,master,false", "false,close", " close , spread "]),
    ("GOMP_CPU_AFFINITY", ["0-1", "0 1", "0,1", "x", "0-", "1-0"]),
    ("OMP_SCHEDULE", ["static", "static,4", "dynamic,1", "dynamic,2", "nonmonotonic:static,3", "monotonic:dynamic", "guided,7", "auto", "monotonic:auto", "x", "nonmonotonic:guided,3"]),
    ("OMP_NUM_THREADS", ["3", "2,3,4", "0", "x"]), ("OMP_THREAD_LIMIT", ["5", "0"]), ("OMP_MAX_ACTIVE_LEVELS", ["0", "3", "500"]), ("OMP_NESTED", ["true", "x"]),
    ("OMP_WAIT_POLICY", ["active", "passive", "x"]), ("OMP_STACKSIZE", ["2M", "64k", "1g", "x"]), ("OMP_DYNAMIC", ["true", "x"]), ("OMP_CANCELLATION", ["true"]),
    ("OMP_DEFAULT_DEVICE", ["2"]), ("OMP_MAX_TASK_PRIORITY", ["4"]), ("OMP_NUM_TEAMS", ["4"]), ("OMP_TEAMS_THREAD_LIMIT", ["4"]),
    ("OMP_ALLOCATOR", ["omp_high_bw_mem_alloc", "omp_null_allocator", "foo", "2"]), ("OMP_AFFINITY_FORMAT", ["", "%n %A"]), ("OMP_DISPLAY_AFFINITY", ["true", "2"]),
    ("OMP_TARGET_OFFLOAD", ["mandatory", "disabled", "default", "x"]), ("OMP_DISPLAY_ENV", ["verbose", "foo"]),
]
FORMATS = ["%q", "%{foo}", "%{n", "%0n", "%.n", "%0.n", "%-5n"]


def run(report, subject, variables, library):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment |= variables
    if library:
        environment["LD_PRELOAD"] = library
    done = subprocess.run([report, subject], env=environment, capture_output=True, text=True, timeout=120, check=False)
    text = done.stdout + "\n" + done.stderr
    for words in SPELLING:
        text = text.replace(*words)
    lines = [re.sub(r"0x[0-9a-f]+", "ADDRESS", line) for line in text.splitlines() if line and not ONLY_THERE.search(line) and not ONLY_HERE.fullmatch(line)]
    # Several threads may reach the error that ends the process.
    return done.returncode, sorted(set(lines) if done.returncode != 0 else lines)


def said_once(report, library, offload):
    done = subprocess.run([report, "target"], env=os.environ | {"LD_PRELOAD": library, "OMP_TARGET_OFFLOAD": offload}, capture_output=True, text=True, timeout=120, check=False)
    return sum(ONLY_HERE.fullmatch(line) is not None for line in done.stderr.splitlines())


def cases():
    for variables in PLACES:
        yield "places", variables
        yield "nested_places", variables
        yield "regions", variables | {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "%L %n %N"}
    yield "regions", {"OMP_DISPLAY_AFFINITY": "true"}
    yield "formats", {}
    yield "formats", {"OMP_PLACES": "{0},{1}"}
    for text in FORMATS:
        yield "regions", {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": text}
    yield "environment", {}
    for name, values in VARIABLES:
        for value in values:
            yield "environment", DISPLAY | {name: value}
    for subject in ("traits", "pools", "defaults", "warning", "failure", "failure_without_text", "target"):
        yield subject, {}
    yield "defaults", {"OMP_ALLOCATOR": "omp_low_lat_mem_alloc"}
    yield "target", {"OMP_TARGET_OFFLOAD": "mandatory"}
    yield "target", {"OMP_TARGET_OFFLOAD": "disabled"}


def main(report, library):
    if len(os.sched_getaffinity(0) & {0, 1}) < 2:
        print("skipped: processors 0 and 1 are not both usable")
        return 0
    failed = count = 0
    for subject, variables in cases():
        count += 1
        theirs, ours = run(report, subject, variables, None), run(report, subject, variables, library)
        if theirs == ours:
            continue
        failed += 1
        print(f"{subject} with {variables}: status {theirs[0]} and {ours[0]}")
        print("\n".join(f"  libgomp: {line}" for line in [line for line in theirs[1] if line not in ours[1]][:12]))
        print("\n".join(f"  skua:    {line}" for line in [line for line in ours[1] if line not in theirs[1]][:12]))
    for offload, wanted in (("default", 1), ("disabled", 0)):
        if (got := said_once(report, library, offload)) != wanted:
            failed += 1
            print(f"with OMP_TARGET_OFFLOAD={offload} it is said {got} times that there is no device; wanted: {wanted}")
    print(f"{count} cases, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
