#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipes of packaging/ agree with the project: its version, what it needs, and what it installs.

    SKUA_BUILD=build/dev packaging/packaging_test.py

This builds no package: `make deb` and `make conan` do.
"""

import ast
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import case_report  # noqa: E402  (they stand there)
import exports  # noqa: E402

DEBIAN = ROOT / "packaging/debian"
VERSION, ABI, _ = exports.facts(ROOT)
# The build uses their commands; every Debian package is built with g++, make and dpkg-dev at hand, and OpenBLAS is loaded when an app wants it.
NOT_IN_CONTROL = {"g++", "make", "git", "libopenblas-dev"}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def patterns(name):
    lines = (DEBIAN / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def covers(pattern, name):
    """Whether a pattern of dh_install takes the file: by its name, or by a folder that it lies in."""
    return fnmatch.fnmatchcase(name, pattern) or name.startswith(pattern.replace("*", "any") + "/")


def needed_to_build(group):
    return {line.split()[0] for line in text_of("tools/packages.txt").splitlines() if line.split()[1:] == [group]}


def assigned(tree, name):
    """The value of a class's attribute, of the recipes that are classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return ast.literal_eval(node.value)
    raise AssertionError(f"no attribute {name}")


class a_recipe(unittest.TestCase):
    def test_has_the_version_of_the_project(self):
        first = text_of("packaging/debian/changelog").splitlines()[0]
        self.assertRegex(first, rf"^skua \({re.escape(VERSION)}-\d+\) ")
        self.assertEqual(json.loads(text_of("packaging/vcpkg/skua/vcpkg.json"))["version-semver"], VERSION)
        self.assertIn(f'version("{VERSION}"', text_of("packaging/spack/spack_repo/skua/packages/skua/package.py"))
        self.assertIn(f'version = "{VERSION}"', text_of("tools/python/pyproject.toml"))

    def test_builds_with_options_that_exist(self):
        known = set(re.findall(r"^\s*(?:option|set)\((SKUA_\w+)", text_of("cmake/options.cmake") + text_of("cmake/mpi.cmake"), re.MULTILINE))
        for name in ("debian/rules", "vcpkg/skua/portfile.cmake", "spack/spack_repo/skua/packages/skua/package.py"):
            used = set(re.findall(r"(?:(?<=-D)|\b)SKUA_\w+", text_of(f"packaging/{name}")))
            self.assertTrue(used and used <= known, f"{name}: {used - known}")

    def test_in_python_is_python(self):
        for name in ("conan/conanfile.py", "conan/test_package/conanfile.py", "spack/spack_repo/skua/packages/skua/package.py"):
            tree = ast.parse(text_of(f"packaging/{name}"))
            self.assertEqual(sum(isinstance(node, ast.ClassDef) for node in tree.body), 1, name)

    def test_for_conan_exports_folders_that_exist(self):
        for pattern in assigned(ast.parse(text_of("packaging/conan/conanfile.py")), "SOURCES"):
            self.assertTrue((ROOT / pattern.removesuffix("/*")).exists(), pattern)


class debians_recipe(unittest.TestCase):
    def test_names_the_library_by_its_abi(self):
        self.assertIn(f"Package: libskua{ABI}\n", text_of("packaging/debian/control"))
        self.assertTrue((DEBIAN / f"libskua{ABI}.install").is_file())
        self.assertIn(f"debian/libskua{ABI}.symbols\n", text_of("packaging/debian/rules"))

    def test_lists_a_symbol_with_the_first_version_that_had_it(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for file, text in (("CMakeLists.txt", "project(skua VERSION 1.2.0 "), ("cmake/exports.cmake", "set(SKUA_ABI 7)  # since 1.1.0\n"),
                               ("skua/skua.symbols", "# head\nskua::a(int [2])\nskua::b() @1.2.0\n"), ("skua/templates.symbols", "skua::t<*>\n")):
                (root / file).parent.mkdir(exist_ok=True)
                (root / file).write_text(text, encoding="utf-8")
            self.assertEqual(exports.debian(root / "skua/skua.symbols").splitlines(), [
                "libskua.so.7 libskua7 #MINVER#", "* Build-Depends-Package: libskua-dev", " SKUA_7@SKUA_7 1.1.0", ' (regex)"^skua_.*@SKUA_7$" 1.1.0',
                ' (c++)"skua::a(int [2])@SKUA_7" 1.1.0', ' (c++)"skua::b()@SKUA_7" 1.2.0', ' (c++|regex|optional)"^skua::t<.*>@SKUA_7$" 1.1.0'])
            exports.update(root / "skua/skua.symbols", [("T", "skua::b()"), ("T", "skua::c()")], {"skua::c()"})
            self.assertEqual((root / "skua/skua.symbols").read_text().splitlines()[1:], ["skua::b() @1.2.0", "skua::c() @1.2.0"])

    def test_needs_what_the_project_needs(self):
        field = re.search(r"^Build-Depends:((?:\n .*)+)", text_of("packaging/debian/control"), re.MULTILINE)[1]
        depends = set(re.findall(r"^ ([a-z0-9+.-]+)", field, re.MULTILINE))
        self.assertEqual(needed_to_build("build") - NOT_IN_CONTROL - depends, set())
        installed = needed_to_build("build") | needed_to_build("deb") | {"debhelper-compat"}
        self.assertEqual(depends - installed, set(), "make deb would not install these")

    def test_puts_every_installed_file_into_one_package(self):
        build = os.environ.get("SKUA_BUILD")
        if not build:
            self.skipTest("SKUA_BUILD names no build to install")
        lists = {path.name: patterns(path.name) for path in DEBIAN.glob("*.install")} | {"not-installed": patterns("not-installed")}
        # The package is built with a shared object, tests' builds with an archive: its files stand for it.
        built = {pattern: False for found in lists.values() for pattern in found}
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
            # Of an MPI that this machine does not have the build has nothing.
            for mpi in ("openmpi", "mpich"):
                if not list(pathlib.Path(prefix).rglob(f"libskua_mpi_{mpi}.a")):
                    built = {p: used for p, used in built.items() if p not in lists[f"skua-{mpi}.install"]}
            files = [str(path.relative_to(prefix)) for path in pathlib.Path(prefix).rglob("*") if path.is_file()]
        names = []
        for file in files:
            name = re.sub(r"^usr/lib/(?:[^/]+-linux-gnu[^/]*/)?", "usr/lib/any/", f"usr/{file}")
            names += [name.replace("libskua.a", end) for end in ("libskua.so", f"libskua.so.{ABI}")] if name.endswith("libskua.a") else [name]
        for name in names:
            owners = [owner for owner, found in lists.items() for p in found if covers(p, name)]
            self.assertEqual(len(owners), 1, f"{name}: {owners}")
            for pattern in built:
                built[pattern] |= covers(pattern, name)
        self.assertEqual([pattern for pattern, used in built.items() if not used], [], "nothing is installed there")


if __name__ == "__main__":
    case_report.main()
