#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The folder of `make study`: programs, their libraries and a loader, which run on any Linux of their architecture with nothing installed.

    tools/study_folder.py BUILD FOLDER [--libraries FOLDER ...] [--most-mib 48] [--archive]

BUILD is a build of the preset bench or study-aarch64; benches that it lacks are left out. FOLDER must not exist, or be such a folder. The
programs in bin/ get lib/ld-linux-*.so as their loader and lib/ as the only place of libraries (patchelf), so the C library of the machine does
not matter. Nothing of BUILD is run: libraries are found as the loader would find them, by the names in the programs (readelf), in the
programs' own run paths, then in each --libraries, then where this system keeps those of that architecture. With --archive also FOLDER.tar.zst.
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
from typing import NamedTuple

BENCHES = ["regions", "herd", "near_far", "loops", "steal", "wake", "fork", "callers"]
ARCHITECTURES = {62: "x86_64", 183: "aarch64"}  # by e_machine of an ELF header; the names are those of `uname -m`

README = """\
A study of this machine by Skua: what it could do (simulated, from a model that is measured first), and what it does.

    ./study --quick       about 90 seconds
    ./study               8 minutes; --minutes M for another budget, --help for more

Nothing is installed, no network is used, and nothing outside this folder is written. An interrupted study goes on with the same command.
The results: skua-study/study.html, a page for any browser, and skua-study/study.json. A folder that cannot be written: --output FOLDER.
"""


class Needs(NamedTuple):
    interpreter: str | None  # the path of its loader
    libraries: list[str]
    run_paths: list[str]  # as they are written; $ORIGIN is the file's own folder


def run(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
    except FileNotFoundError:
        sys.exit(f"study_folder: there is no {words[0]} on this machine")
    if done.returncode != 0:
        sys.exit(f"study_folder: {' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def architecture_of(path):
    """Of a 64-bit little-endian ELF file; None of any other file, and of other machines."""
    with open(path, "rb") as file:
        head = file.read(20)
    if len(head) < 20 or head[:6] != b"\x7fELF\x02\x01":
        return None
    return ARCHITECTURES.get(struct.unpack_from("<H", head, 18)[0])


def needs_in(text):
    """What `readelf --program-headers --dynamic` says of a file."""
    interpreter = re.search(r"\[Requesting program interpreter: (.+)\]", text)
    paths = re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library r(?:un)?path: \[(.*)\]", text)
    return Needs(interpreter[1] if interpreter else None, re.findall(r"\(NEEDED\)\s+Shared library: \[(.+)\]", text),
                 [folder for path in paths for folder in path.split(":") if folder])


def needs_of(path):
    return needs_in(run("readelf", "--wide", "--program-headers", "--dynamic", path))


def system_folders(architecture):
    """Where Debian, its cross compilers and others keep the libraries of an architecture; files of another one there are passed over."""
    triplet = f"{architecture}-linux-gnu"
    return [pathlib.Path(f) for f in (f"/usr/local/lib/{triplet}", "/usr/local/lib", f"/lib/{triplet}", f"/usr/lib/{triplet}", f"/usr/{triplet}/lib",
                                      "/lib64", "/usr/lib64", "/lib", "/usr/lib")]


def libraries_of(program, folders):
    """The files that the loader would load, and the loader itself, by the names that they are asked for."""
    architecture = architecture_of(program)
    if architecture is None:
        sys.exit(f"study_folder: {program} is no 64-bit program of {' or '.join(ARCHITECTURES.values())}")
    needs = needs_of(program)
    if needs.interpreter is None:
        sys.exit(f"study_folder: {program} names no loader; it must be linked dynamically")
    found = {}
    waiting = [(name, program, needs.run_paths) for name in [pathlib.Path(needs.interpreter).name, *needs.libraries]]
    while waiting:
        name, user, run_paths = waiting.pop(0)
        if name in found:
            continue
        own = [pathlib.Path(re.sub(r"\$ORIGIN|\$\{ORIGIN\}", str(user.parent), path)) for path in run_paths]
        places = [*own, *folders, *system_folders(architecture)]
        path = next((p / name for p in places if (p / name).is_file() and architecture_of(p / name) == architecture), None)
        if path is None:
            sys.exit(f"study_folder: {user} needs {name}, and none of {', '.join(map(str, places))} has one for {architecture}; --libraries names more folders")
        found[name] = path.resolve()
        needs = needs_of(path)
        waiting += [(library, path, needs.run_paths) for library in needs.libraries]
    return found


def strip_of(architecture):
    """A strip that understands the architecture: GNU's understand only one."""
    names = [f"{architecture}-linux-gnu-strip", *(["strip"] if platform.machine() == architecture else []), "llvm-strip"]
    for name in names:
        if shutil.which(name):
            return name
    sys.exit(f"study_folder: there is no strip for {architecture} on this machine: {', '.join(names)}")


def build(build_folder, folder, library_folders):
    if folder.exists():
        if not (folder / "README").is_file() or not (folder / "study").exists():
            sys.exit(f"study_folder: {folder} is there and is no study; allowed: a name that is free")
        shutil.rmtree(folder)
    programs = [build_folder / "bin" / "skua"] + [build_folder / "bin" / f"{name}_bench" for name in BENCHES]
    missing = [p.name for p in programs if not p.exists()]
    if "skua" in missing:
        sys.exit(f"study_folder: {programs[0]} is not there; build it first")
    programs = [p for p in programs if p.name not in missing]
    libraries = {}
    for program in programs:
        if architecture_of(program) != architecture_of(programs[0]):
            sys.exit(f"study_folder: {program} and {programs[0]} are of different architectures; build both anew")
        libraries |= libraries_of(program, library_folders)
    strip = strip_of(architecture_of(programs[0]))
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    for program in programs:
        run(strip, "-o", folder / "bin" / program.name, program)
    loader = next(name for name in libraries if name.startswith("ld-linux"))
    for name, path in libraries.items():
        shutil.copy(path, folder / "lib" / name)
    for program in sorted((folder / "bin").iterdir()):
        run("patchelf", "--set-interpreter", f"lib/{loader}", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", program)
    for name in libraries:
        if name != loader and not name.startswith(("libc.so", "libm.so")):
            run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", folder / "lib" / name)
    run(strip, "-o", folder / "study", build_folder / "bin" / "skua-study")
    (folder / "README").write_text(README)
    return missing


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("build", type=pathlib.Path)
    reader.add_argument("folder", type=pathlib.Path)
    reader.add_argument("--libraries", type=pathlib.Path, action="append", default=[], metavar="FOLDER")
    reader.add_argument("--most-mib", type=float, default=48)
    reader.add_argument("--archive", action="store_true")
    args = reader.parse_args()
    missing = build(args.build, args.folder, args.libraries)
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
