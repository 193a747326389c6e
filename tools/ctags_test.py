#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Universal Ctags, and with it many editors, finds the library's definitions. It reads `namespace skua { inline namespace v0 {`, and of
`namespace skua::inline v0` nothing."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WANTED = {  # file: (name, what it belongs to)
    "skua/machine/threads/face/pool.hpp": [("run", "skua::v0::pool")],
    "skua/machine/threads/fork/join/here.hpp": [("join", "skua::v0::runtime::here")],
    "skua/policy/adws/adws.cpp": [("place", "skua::v0::policies::adws::worker_state")],
}


def main():
    if shutil.which("ctags") is None:
        print("skipped: there is no ctags here")
        return 0
    missing = []
    for path, names in WANTED.items():
        command = ["ctags", "-f", "-", "--language-force=C++", "--kinds-C++=+p", "--fields=+Z", str(ROOT / path)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"ctags_test.py: {' '.join(command)}: {ended.stderr}")
        found = set()
        for line in ended.stdout.splitlines():
            fields = line.split("\t")
            scope = next((f.split(":", 2)[2] for f in fields[3:] if f.startswith("scope:")), "")
            found.add((fields[0], scope))
        missing += [f"{path}: {scope}::{name}" for name, scope in names if (name, scope) not in found]
    for name in missing:
        print(f"ctags does not find {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
