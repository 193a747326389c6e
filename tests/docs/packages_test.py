#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What README.md and docs/ say about using an installed Skua works: the blocks of CMake configure, one of each page with a program of
its own builds, and the shell blocks marked `run installed` run.

    tests/docs/packages_test.py ROOT BUILD COMPILER

Installs the build into a scratch folder. A program whose first line is `// NAME.cpp` is there as NAME.cpp.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import commands_test
import pages


def checked(*command, where=None, environment=None):
    """What is wrong if the command fails; nothing if it succeeds."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=where, env=environment, check=False)
    return [] if done.returncode == 0 else [f"{' '.join(command[:4])}: {(done.stderr or done.stdout).strip()[-2000:]}"]


def write_files(folder, named):
    folder.mkdir(parents=True)
    for name, text in named.items():
        (folder / name).write_text(text, encoding="utf-8")


def project_of(block, named):
    """A CMakeLists.txt around the block: the programs that it links without making them are there."""
    made = set(re.findall(r"add_executable\((\w+)", block.text))
    linked = dict.fromkeys(re.findall(r"target_link_libraries\((\w+)", block.text))
    source = next(iter(named), "main.cpp")
    missing = "\n".join(f"add_executable({name} {source})" for name in linked if name not in made)
    before = block.comments.get("before", (0, ""))[1]
    return f"cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES CXX)\n{before}\n{missing}\n{block.text}"


def try_cmake(block, named, folder, options):
    named = named or {"main.cpp": "#include <skua/skua.hpp>\nint main() { skua::pool pool; }\n"}
    write_files(folder, named)
    (folder / "CMakeLists.txt").write_text(project_of(block, named), encoding="utf-8")
    wrong = checked("cmake", "-S", str(folder), "-B", str(folder / "build"), "-G", "Ninja", *options)
    if not wrong and "add_executable" in block.text:
        wrong = checked("cmake", "--build", str(folder / "build"))
    return [f"{block.where}: {sentence}" for sentence in wrong]


def main(root, build, compiler):
    root = root.resolve()
    done = {"cmake": 0, "shell": 0}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        prefix = scratch / "prefix"
        wrong = checked("cmake", "--install", str(build), "--prefix", str(prefix))
        packages = ":".join(map(str, prefix.glob("lib*/**/pkgconfig")))
        environment = commands_test.clean_environment() | {"PKG_CONFIG_PATH": packages, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
        options = [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSKUA_SOURCE={root}"]
        for number, name in enumerate(pages.documentation(root) if not wrong else []):
            blocks = pages.blocks(root, name)
            named = {file: text for file, text in pages.named_files(blocks).items() if file.endswith(".cpp")}
            for block in (b for b in blocks if b.language == "cmake" and "not compiled" not in b.comments):
                wrong += try_cmake(block, named, scratch / f"{number}-{block.line}", options)
                done["cmake"] += 1
            folder = scratch / str(number)
            write_files(folder, named)
            for block in filter(pages.needs_installation, blocks):
                wrong += commands_test.run(block, folder, environment)
                done["shell"] += 1
    assert all(done.values()) or wrong, "no page shows how to use an installed Skua"
    print("\n".join(wrong) or f"{done['cmake']} blocks of CMake configure, {done['shell']} shell blocks run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]))
