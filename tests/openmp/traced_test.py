# SPDX-License-Identifier: MIT
"""A report of a program that was never built for Skua: regions, loops and tasks have their places in its source.

    traced_test.py PROGRAM SOURCE LIBRARY SKUA

PROGRAM is traced.cpp, built with debug information. The same without: its symbols and offsets.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def marks_of(source):
    """The name of each marked line, and of the next one: the function that a region is made into may begin with its first statement."""
    found = {}
    for number, line in enumerate(pathlib.Path(source).read_text().splitlines(), 1):
        if mark := re.search(r"// LINE (\w+)", line):
            found[f"(traced.cpp:{number})"] = mark[1]
            found.setdefault(f"(traced.cpp:{number + 1})", mark[1])
    return found


def traced(program, library, skua, folder):
    trace = os.path.join(folder, "t")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "SKUA_"))}
    subprocess.run([program], check=True, timeout=120, env=environment | {"LD_PRELOAD": library, "SKUA_TRACE": trace})
    done = subprocess.run([skua, "report", trace, "--json"], check=True, timeout=120, capture_output=True, text=True)
    return json.loads(done.stdout)["runs"][0]


def check(name, is_true, *seen):
    if not is_true:
        sys.exit(f"{name}: {' '.join(map(str, seen))}")


def check_with_lines(run, source):
    marks = marks_of(source)

    def by_mark(rows, name):
        return {marks.get(row[name].split()[-1], row[name]): row for row in rows}

    regions, loops, tasks = by_mark(run["openmp"]["regions"], "place"), by_mark(run["openmp"]["loops"], "place"), by_mark(run["tasks"], "name")
    for what, calls, members in (("region", 10, 2), ("combined", 10, 2), ("critical", 10, 2), ("outer", 1, 2), ("inner", 2, 3)):
        row = regions.get(what)
        check(what, row is not None, "is not among", list(regions))
        check(what, row["calls"] == calls and row["members"] == members, row)
        check(what, row["imbalance"] >= 1 and row["total_s"] > 0, row)
    check("region", regions["region"]["place"].startswith("deep::loops(int) "), regions["region"])
    check("inner", regions["inner"]["level"] == 2, regions["inner"])
    for what, iterations, chunks in (("loop", 1000, 250), ("combined", 640, 320)):
        row = loops.get(what)
        check(what, row is not None and (row["runs"], row["iterations"], row["chunks"]) == (10, iterations, chunks), loops)
    check("task", tasks.get("task", {}).get("count") == 160, tasks)
    check("serial", 0 < run["openmp"]["serial"] < 1, run["openmp"]["serial"])
    check("whole", run["whole"] and sum(run["times"].values()) > 0, run["times"])


def main(program, source, library, skua):
    with tempfile.TemporaryDirectory() as folder:
        check_with_lines(traced(program, library, skua, folder), source)
        for option, pattern in (("--strip-debug", r"main\._omp_fn\.\d+ in stripped"), ("--strip-all", r"stripped\+0x[0-9a-f]+")):
            stripped = os.path.join(folder, "stripped")
            subprocess.run(["strip", option, "-o", stripped, program], check=True, timeout=60)
            places = [row["place"] for row in traced(stripped, library, skua, folder)["openmp"]["regions"]]
            check(option, any(re.fullmatch(pattern, place) for place in places), places)
        # Another OpenMP than GCC's: a copy that asks for a library of that name. It is not there, so the copy does not run.
        other = os.path.join(folder, "other")
        pathlib.Path(other).write_bytes(pathlib.Path(program).read_bytes().replace(b"libgomp.so.1", b"libomp.so.99"))
        os.chmod(other, 0o755)
        done = subprocess.run([skua, "omp", "--", other], timeout=60, capture_output=True, text=True, check=False)
        check("another OpenMP", "uses libomp.so, which this library does not replace" in done.stderr, done.stderr)
        moved = pathlib.Path(folder, "a b")
        (moved / "bin").mkdir(parents=True)
        shutil.copy(skua, moved / "bin" / "skua")
        (moved / "lib").symlink_to(pathlib.Path(skua).parent.parent / "lib")
        done = subprocess.run([moved / "bin" / "skua", "omp", "--", program], timeout=60, capture_output=True, text=True, check=False)
        check("a folder with a blank", done.returncode != 0 and "divided at blanks and colons" in done.stderr, done.stderr)
        done = subprocess.run([skua, "omp", "--", program], timeout=60, capture_output=True, text=True, check=False)
        check("GCC's OpenMP", done.returncode == 0 and done.stderr == "", done.stderr)
        # Another file in its place: offsets of the one that ran, not lines of the other.
        trace = os.path.join(folder, "t")
        shutil.copy("/bin/true", stripped)
        done = subprocess.run([skua, "report", trace, "--json"], check=True, timeout=120, capture_output=True, text=True)
        places = [row["place"] for row in json.loads(done.stdout)["runs"][0]["openmp"]["regions"]]
        check("another file", all(place.startswith("stripped+0x") for place in places), places)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
