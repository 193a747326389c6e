# SPDX-License-Identifier: MIT
"""Every function of GCC's libgomp is in libgomp-skua with its version, or refused here with a reason.

    entry_points_test.py LIBGOMP SKUA_LIBRARY
"""

import re
import subprocess
import sys

REFUSED = [
    (r"GOACC_|acc_|GOMP_PLUGIN_|OACC_|ACC_", "OpenACC, and plugins for devices"),
    (r"GOMP_offload_(un)?register", "code for devices, which there are none of"),
    (r"ompd_|OMPD_", "an interface for debuggers"),
]
# Found only by those who ask for the version (omp_routines.cpp).
NOT_BY_DEFAULT = {"omp_in_parallel@OMP_1.0": "omp_in_parallel@@OMP_1.0"}


def exports(library):
    text = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


def is_refused(name):
    return any(re.match(pattern, name) for pattern, _ in REFUSED)


def main(theirs, ours):
    known, made = exports(theirs), {NOT_BY_DEFAULT.get(name, name) for name in exports(ours)}
    missing = sorted(name for name in known - made if not is_refused(name))
    strange = sorted(name for name in made - known if not name.startswith(("sched_yield@GLIBC_", "GLIBC_")))  # yield.cpp
    for name in missing:
        print(f"{name}: in {theirs}, not in {ours}, and nothing says why")
    for name in strange:
        print(f"{name}: not in {theirs}")
    for pattern, reason in REFUSED:
        print(f"refused: {sum(bool(re.match(pattern, name)) for name in known)} names of {pattern}: {reason}")
        if any(re.match(pattern, name) for name in made):
            print("  but some of them are there")
            return 1
    print(f"{len(known & made)} entry points are there")
    return bool(missing or strange)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
