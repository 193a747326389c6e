#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run random fork-join programs under every policy, disturbed in every way, in chunks; go on where the last run ended.

    tools/campaign.py PROGRAM [--programs N] [--chunk N] [--minutes M] [--journal FILE] [--jobs N]

PROGRAM is random_programs (tests/campaign). Each of the programs 1 .. N runs once under every policy; each chunk of
them under one disturbance, in turn: nothing, failing allocations, signals, no membarrier, fork, SIGSTOP, affinity that
flips. The journal has a line of JSON per chunk that has passed; chunks in it are not run again. Ctrl-C, or the end of
the minutes, ends the run after the current chunks. Then it prints how many programs have run so far under each policy
and disturbance.

The exit status is 1 if a program failed, or hung for ten minutes: its line names the command that repeats it.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

POLICIES = ("random", "hierarchical", "adws", "numa-ws", "replay")
INSIDE = ("nothing", "memory", "signals", "no-membarrier", "fork")
OUTSIDE = ("stop", "affinity")
INJECTIONS = INSIDE + OUTSIDE
LIMIT_S = 600  # of a chunk, which takes seconds


def chunks_of(programs, size):
    """Policy, disturbance and seeds of every chunk. Over five policies and seven disturbances every pair occurs."""
    for number, first in enumerate(range(1, programs + 1, size)):
        for place, policy in enumerate(POLICIES):
            yield {"policy": policy, "inject": INJECTIONS[(number + place) % len(INJECTIONS)], "first": first,
                   "count": min(size, programs + 1 - first)}


def key_of(chunk):
    return chunk["policy"], chunk["inject"], chunk["first"], chunk["count"]


def read_journal(path):
    """The chunks that have passed. A last line that was cut off does not count."""
    done = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                chunk = json.loads(line)
                done[key_of(chunk)] = chunk
            except (ValueError, KeyError, TypeError):
                continue
    return done


def threads_of(pid):
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def disturb(process, how, seed):
    """Until the process ends: stops and continues it, or moves its threads between processors."""
    rolled = random.Random(seed)
    usable = sorted(os.sched_getaffinity(0))
    while process.poll() is None:
        time.sleep(rolled.uniform(0.001, 0.02))
        try:
            if how == "stop":
                process.send_signal(signal.SIGSTOP)
                time.sleep(rolled.uniform(0.001, 0.02))
                process.send_signal(signal.SIGCONT)
            else:
                for thread in threads_of(process.pid):
                    os.sched_setaffinity(thread, rolled.sample(usable, rolled.randint(1, len(usable))))
        except OSError:  # it, or the thread, has ended
            continue


def run_chunk(program, chunk):
    """What is wrong, or None."""
    outside = chunk["inject"] if chunk["inject"] in OUTSIDE else None
    command = [str(program), "--policy", chunk["policy"], "--first", str(chunk["first"]), "--count", str(chunk["count"]),
               "--inject", "nothing" if outside else chunk["inject"]]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        if outside:
            threading.Thread(target=disturb, args=(process, outside, chunk["first"]), daemon=True).start()
        try:
            _, said = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"hung for {LIMIT_S} s: {' '.join(command)}"
    if process.returncode == 0:
        return None
    return f"{' '.join(command)} ({chunk['inject']}): status {process.returncode}: {said.strip()[-500:]}"


def summary(done):
    """Programs so far, by policy and disturbance, as text."""
    ran = collections.Counter()
    for policy, inject, _, count in done:
        ran[policy, inject] += count
    width = max(len(name) for name in POLICIES)
    lines = [" " * width + "".join(f"{name:>15}" for name in INJECTIONS) + f"{'all':>12}"]
    for policy in POLICIES:
        row = [ran[policy, inject] for inject in INJECTIONS]
        lines.append(f"{policy:{width}}" + "".join(f"{n:15}" for n in row) + f"{sum(row):12}")
    lines.append(f"{sum(ran.values())} programs have answered as their serial elision")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=1_000_000, help="under each policy")
    parser.add_argument("--chunk", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--journal", type=pathlib.Path, default=pathlib.Path("build/campaign.jsonl"))
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    if options.programs < 1 or options.chunk < 1 or options.jobs < 1:
        parser.error("--programs, --chunk and --jobs are at least 1")
    if not options.program.is_file():
        parser.error(f"there is no {options.program}; `make campaign` builds it")

    done = read_journal(options.journal)
    left = (c for c in chunks_of(options.programs, options.chunk) if key_of(c) not in done)
    end = time.monotonic() + 60 * options.minutes
    ending = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: ending.set())
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    lock = threading.Lock()
    faults = []

    def work(journal):
        while not ending.is_set() and time.monotonic() < end:
            with lock:
                chunk = next(left, None)
            if chunk is None:
                return
            began = time.monotonic()
            fault = run_chunk(options.program, chunk)
            with lock:
                if fault is not None:
                    faults.append(fault)
                    ending.set()
                    continue
                chunk["seconds"] = round(time.monotonic() - began, 2)
                done[key_of(chunk)] = chunk
                journal.write(json.dumps(chunk) + "\n")
                journal.flush()

    with options.journal.open("a", encoding="utf-8") as journal:
        if journal.tell() > 0:
            journal.write("\n")  # the last line may have been cut off
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for worker in [pool.submit(work, journal) for _ in range(options.jobs)]:
                worker.result()
    print(summary(done))
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
