# SPDX-License-Identifier: MIT
"""A copy of the tree with all faults in it, and its build. Faults that do not compile are dropped and counted."""

import hashlib
import json
import os
import pathlib
import re
import subprocess

from faults import rewrite
from sources import tracked

ROUNDS = 15
OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DSKUA_CHECKED=ON", "-DSKUA_WERROR=OFF", "-DSKUA_BENCH=OFF"]


class BuildError(Exception):
    """The copy does not compile, and no fault of ours is why."""


def put(path, content):
    """Writes only what changed, so that little is compiled anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def copy_tree(root, into, changed=lambda name, content: content):
    """Tracked and new files of `root`, with changed(name, content) in them; what is there and no longer in `root` goes, but for `into`/build."""
    wanted = tracked(root)
    for name in wanted:
        put(into / name, changed(name, (root / name).read_bytes()))
        (into / name).chmod((root / name).stat().st_mode)
    for old in list(into.rglob("*")):
        inside = old.relative_to(into)
        if inside.parts[0] != "build" and old.is_file() and str(inside) not in wanted:
            old.unlink()


def copy_with_faults(root, into, sites):
    by_file = {}
    for site in sites:
        by_file.setdefault(site.file, []).append(site)
    copy_tree(root, into, lambda name, content: rewrite.rewritten(content, by_file[name]) if name in by_file else content)


def lines_in_errors(text, tree, build):
    """For each error: where it is, then the places that it refers to. The compiler runs in `build`."""
    place = re.compile(r"^(/?[^\s:]+):(\d+):(?:\d+:)?(.*)")
    errors = []
    before = []
    for line in text.splitlines():
        found = place.match(line)
        if not found:
            continue
        path = pathlib.Path(os.path.normpath(build / found.group(1)))
        where = (str(path.relative_to(tree)), int(found.group(2))) if path.is_relative_to(tree) else None
        if re.match(r"\s*(fatal )?error:", found.group(3)):
            errors.append([where, *before])
            before = []
        elif "required" in found.group(3):
            before.append(where)
        elif errors:
            errors[-1].append(where)
    return [[w for w in e if w] for e in errors]


def to_blame(text, tree, build, sites):
    """The sites that stand where the compiler found errors."""
    by_line = {}
    for s in sites:
        for line in s.lines:
            by_line.setdefault((s.file, line), set()).add(s.number)
    blamed = set()
    for places in lines_in_errors(text, tree, build):
        for where in places:
            if where in by_line:
                blamed |= by_line[where]
                break
    return blamed


class Bench:
    def __init__(self, root, work, sites, say):
        self.root, self.tree, self.build = root, work / "tree", work / "build"
        self.sites, self.dropped, self.say = list(sites), [], say
        # What did not compile last time is not tried again while the sites are the same.
        self.kept = work / "dropped.json"
        self.mark = hashlib.sha256("\n".join(map(str, sites)).encode()).hexdigest()
        if self.kept.is_file():
            known = json.loads(self.kept.read_text())
            if known["mark"] == self.mark:
                self.drop(set(known["numbers"]))

    def drop(self, numbers):
        self.dropped += [s for s in self.sites if s.number in numbers]
        self.sites = [s for s in self.sites if s.number not in numbers]

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, errors="replace")

    def make(self, targets, jobs, launcher=""):
        header = self.root / "tools" / "faults" / "runtime.hpp"
        for round_ in range(ROUNDS):
            copy_with_faults(self.root, self.tree, self.sites)
            if round_ == 0:
                self.configure(header, launcher)
            ended = self.run(["cmake", "--build", str(self.build), "-j", str(jobs), "--target", *targets, "--", "-k", "0"])
            if ended.returncode == 0:
                return
            blamed = to_blame(ended.stdout + ended.stderr, self.tree, self.build, self.sites)
            if not blamed:
                raise BuildError(f"the copy in {self.tree} does not compile:\n{(ended.stdout + ended.stderr)[-3000:]}")
            self.drop(blamed)
            self.kept.write_text(json.dumps({"mark": self.mark, "numbers": [s.number for s in self.dropped]}))
            self.say(f"{len(blamed)} faults do not compile and are left out")
        raise BuildError(f"after {ROUNDS} rounds there are still faults that do not compile")

    def configure(self, header, launcher):
        # Its own copy, beside the tree, because the compiler's command names it.
        put(self.tree.parent / "runtime.hpp", header.read_bytes())
        flags = f"-w -include {self.tree.parent / 'runtime.hpp'}"
        command = ["cmake", "-S", str(self.tree), "-B", str(self.build), *OPTIONS, f"-DCMAKE_CXX_FLAGS={flags}",
                   "-DCMAKE_CXX_FLAGS_DEBUG=-O1"]
        if launcher:
            command.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
        ended = self.run(command)
        if ended.returncode != 0:
            raise BuildError(f"cmake failed:\n{(ended.stdout + ended.stderr)[-3000:]}")
