#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The folder of `make study`: programs, their libraries and a loader, which run on any Linux of this architecture with nothing installed.

    tools/study_folder.py BUILD FOLDER [--most-mib 48] [--archive]

BUILD is a build of the preset bench; benches that it lacks are left out. FOLDER must not exist, or be such a folder. The programs in bin/ get
lib/ld-linux-*.so as their loader and lib/ as the only place of libraries (patchelf), so the C library of the machine does not matter.
With --archive also FOLDER.tar.zst.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

BENCHES = ["regions", "herd", "near_far", "loops", "steal", "wake", "fork", "callers"]

README = """\
A study of this machine by Skua: what it could do (simulated, from a model that is measured first), and what it does.

    ./study --quick       about 90 seconds
    ./study               8 minutes; --minutes M for another budget, --help for more

Nothing is installed, no network is used, and nothing outside this folder is written. An interrupted study goes on with the same command.
The results: skua-study/study.html, a page for any browser, and skua-study/study.json. A folder that cannot be written: --output FOLDER.
"""


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"study_folder: {' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def libraries_of(program):
    """The files that the loader would load, and the loader itself."""
    found = {}
    for line in run("ldd", program).splitlines():
        if match := re.match(r"\s*(\S+) => (/\S+)", line):
            found[match[1]] = pathlib.Path(match[2]).resolve()
        elif match := re.match(r"\s*(/\S*ld-linux\S*)", line):
            found[pathlib.Path(match[1]).name] = pathlib.Path(match[1]).resolve()
        elif "not found" in line:
            sys.exit(f"study_folder: {program} needs {line.strip()}")
    return found


def build(build_folder, folder):
    if folder.exists():
        if not (folder / "README").is_file() or not (folder / "study").exists():
            sys.exit(f"study_folder: {folder} is there and is no study; allowed: a name that is free")
        shutil.rmtree(folder)
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    programs = [build_folder / "bin" / "skua"] + [build_folder / "bin" / f"{name}_bench" for name in BENCHES]
    missing = [p.name for p in programs if not p.exists()]
    if "skua" in missing:
        sys.exit(f"study_folder: {programs[0]} is not there; build it first")
    libraries = {}
    for program in programs:
        if program.name in missing:
            continue
        libraries |= libraries_of(program)
        run("strip", "-o", folder / "bin" / program.name, program)
    loader = next(name for name in libraries if name.startswith("ld-linux"))
    for name, path in libraries.items():
        shutil.copy(path, folder / "lib" / name)
    for program in sorted((folder / "bin").iterdir()):
        run("patchelf", "--set-interpreter", f"lib/{loader}", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", program)
    for name in libraries:
        if name != loader and not name.startswith(("libc.so", "libm.so")):
            run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", folder / "lib" / name)
    run("strip", "-o", folder / "study", build_folder / "bin" / "skua-study")
    (folder / "README").write_text(README)
    return missing


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("build", type=pathlib.Path)
    reader.add_argument("folder", type=pathlib.Path)
    reader.add_argument("--most-mib", type=float, default=48)
    reader.add_argument("--archive", action="store_true")
    args = reader.parse_args()
    missing = build(args.build, args.folder)
    size = sum(f.stat().st_size for f in args.folder.rglob("*") if f.is_file()) / 2**20
    print(f"{args.folder}: {size:.1f} MiB" + (f"; left out: {', '.join(missing)}" if missing else ""))
    if size > args.most_mib:
        sys.exit(f"study_folder: larger than {args.most_mib:g} MiB")
    if args.archive:
        archive = args.folder.with_name(args.folder.name + ".tar.zst")
        run("tar", "--zstd", "-C", args.folder.parent, "-cf", archive, args.folder.name)
        print(f"{archive}: {archive.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
