#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Break one thing at a time and demand that a test notices.

    tools/mutants.py [--table FILE] [--work DIRECTORY] [--jobs N] [--only TEXT] [--trust] [--list]

A mutant is one exact text in one file, and what replaces it (tools/mutants.toml). Each is made in a copy of the tree;
only the test programs that cover it are built and run, without the cases that break a façade themselves (*_mutant.*).
A mutant is killed if such a program fails, and it survives if all of them pass. One that does not compile, or whose
text does not stand in its file exactly once, is an error in the table: nothing was tested.

A mutant with `argued` is not run: no test can tell it apart, and the text says why it is wrong all the same.

The last line is `N killed, M survived`; the exit status is 0 only if none survived and the table has no error.
"""

import argparse
import concurrent.futures
import os
import pathlib
import queue
import subprocess
import sys
import time
import tomllib

sys.dont_write_bytecode = True
from faults.build import copy_tree  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S = 1200  # of one test program
# Everything that a test can do; TEST_EFFORT=part shows what `make test` alone would notice (tests/programs/effort.hpp).
ENVIRONMENT = {"TEST_EFFORT": "full"} | os.environ


class TableError(Exception):
    """A mutant that cannot be made."""


def read_table(path):
    mutants, names = [], set()
    for file, named in tomllib.loads(path.read_text()).items():
        for name, m in named.items():
            wanted = {"text", "becomes", "tests"} - m.keys()
            if wanted:
                raise TableError(f"{name}: lacks {', '.join(sorted(wanted))}")
            if name in names:
                raise TableError(f"{name}: stands twice")
            names.add(name)
            mutants.append({"file": file, "name": name} | m)
    return mutants


def broken(source, mutant):
    """The source with the mutant's text replaced."""
    found = source.count(mutant["text"])
    if found != 1:
        raise TableError(f"{mutant['name']}: its text stands {found} times in {mutant['file']}")
    if mutant["text"] == mutant["becomes"]:
        raise TableError(f"{mutant['name']}: changes nothing")
    return source.replace(mutant["text"], mutant["becomes"])


class Bench:
    """A copy of the tree, and its build."""

    def __init__(self, where):
        self.tree = where
        self.build = where / "build"
        copy_tree(ROOT, where)
        self._run(["cmake", "-S", str(where), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                   "-DSKUA_CHECKED=ON", "-DSKUA_WERROR=OFF", "-DSKUA_BENCH=OFF"])

    def _run(self, command):
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            raise TableError(f"{' '.join(command)} failed:\n{(ended.stdout + ended.stderr)[-3000:]}")

    def try_mutant(self, mutant):
        """The test that noticed, or None."""
        path = self.tree / mutant["file"]
        source = path.read_text()
        path.write_text(broken(source, mutant))
        try:
            return next((test for test in mutant["tests"] if not self.passes(test)), None)
        finally:
            path.write_text(source)

    def passes(self, test):
        """Builds and runs a test program. Whoever hangs has noticed, too: the unbroken program ends long before."""
        self._run(["cmake", "--build", str(self.build), "-j1", "--target", test])
        command = [str(self.build / "tests" / test), "--gtest_filter=-*_mutant.*", "--gtest_fail_fast"]
        try:
            ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT_S,
                                   cwd=self.build, env=ENVIRONMENT)
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=pathlib.Path, default=ROOT / "tools" / "mutants.toml")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time, each in a copy of the tree")
    parser.add_argument("--only", default="", help="only mutants whose name contains this")
    parser.add_argument("--trust", action="store_true", help="do not run the tests on unbroken code first")
    parser.add_argument("--list", action="store_true", help="check the table and print it")
    options = parser.parse_args()

    try:
        every = [m for m in read_table(options.table) if options.only in m["name"]]
        for m in every:
            broken((ROOT / m["file"]).read_text(), m)
    except (TableError, OSError, KeyError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"{options.table}: {error}")
    argued = [m for m in every if "argued" in m]
    if options.list:
        for m in every:
            print(f"{m['name']}: {'argued' if 'argued' in m else ', '.join(m['tests'])}")
        return
    if not every:
        sys.exit(f"no mutant is called *{options.only}*")

    benches = queue.SimpleQueue()
    for number in range(max(1, options.jobs)):
        benches.put(options.work / str(number))
    ready = {}

    def on_a_bench(name, work):
        where = benches.get()
        began = time.monotonic()
        try:
            if where not in ready:
                ready[where] = Bench(where)
            how = work(ready[where])
        except TableError as error:
            how = f"ERROR {error}"
        finally:
            benches.put(where)
        print(f"{name}: {how} ({time.monotonic() - began:.0f} s)", flush=True)
        return how.split()[0]

    def try_unbroken(test):
        return on_a_bench(f"unbroken {test}", lambda bench: "passes" if bench.passes(test) else "FAILS")

    def try_one(mutant):
        def work(bench):
            noticed = bench.try_mutant(mutant)
            return "SURVIVED" if noticed is None else f"killed by {noticed}"
        return on_a_bench(mutant["name"], work)

    tried = [m for m in every if "argued" not in m]
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        if not options.trust:
            tests = sorted({test for m in tried for test in m["tests"]})
            if any(how != "passes" for how in pool.map(try_unbroken, tests)):
                sys.exit("a test fails on unbroken code, so it would kill every mutant")
        results = list(pool.map(try_one, tried))
    killed, survived, errors = (results.count(r) for r in ("killed", "SURVIVED", "ERROR"))
    for m in argued:
        print(f"{m['name']}: argued: {m['argued'].strip()}")
    if argued:
        print(f"{len(argued)} argued")
    if errors:
        print(f"{errors} could not be tried")
    print(f"{killed} killed, {survived} survived")
    sys.exit(0 if survived == 0 and errors == 0 else 1)


if __name__ == "__main__":
    main()
