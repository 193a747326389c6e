#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that is compiled with another flag than the library, where that changes the layout of types that both use, is not
linked; and the linker names the flag.

    flags_test.py ROOT COMPILER LIBRARY DEFINITION..

The program includes ROOT/skua/skua.hpp, or another public header; LIBRARY is an archive or a shared object; each DEFINITION is one
that the library has, as -DSKUA_CHECKED=1.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)

ROOT, COMPILER, LIBRARY, *DEFINITIONS = sys.argv[1:]
del sys.argv[1:]

DEBUG = "skua::v0::runtime::library_built_with_D_GLIBCXX_DEBUG<true>::is_needed"
OLD_STRINGS = "skua::v0::runtime::library_built_with_D_GLIBCXX_USE_CXX11_ABI<0>::is_needed"


class a_program(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def linking(self, *flags, header="skua/skua.hpp", links=()):
        """What the linker says."""
        folder = pathlib.Path(self.scratch.name)
        source = folder / "program.cpp"
        source.write_text(f"#include <{header}>\nint main() {{}}\n", encoding="utf-8")
        made = subprocess.run([COMPILER, "-std=c++20", "-O1", "-ffunction-sections", "-fdata-sections", "-I", ROOT, *DEFINITIONS, *flags, "-c", str(source), "-o", str(folder / "program.o")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return subprocess.run([COMPILER, str(folder / "program.o"), LIBRARY, *links, "-lhwloc", "-lboost_context", "-pthread", "-o", str(folder / "program")],
                              capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})

    def assert_refused(self, run, symbol):
        self.assertNotEqual(run.returncode, 0, "it links")
        self.assertIn(symbol, run.stderr)

    def test_with_debugged_containers_is_refused(self):
        self.assert_refused(self.linking("-D_GLIBCXX_DEBUG"), DEBUG)

    def test_with_the_old_strings_is_refused(self):
        self.assert_refused(self.linking("-D_GLIBCXX_USE_CXX11_ABI=0"), OLD_STRINGS)

    def test_with_both_hears_of_both(self):
        run = self.linking("-D_GLIBCXX_DEBUG", "-D_GLIBCXX_USE_CXX11_ABI=0")
        self.assert_refused(run, DEBUG)
        self.assert_refused(run, OLD_STRINGS)

    def test_is_refused_although_the_linker_drops_what_is_not_used(self):
        self.assert_refused(self.linking("-D_GLIBCXX_DEBUG", links=["-Wl,--gc-sections"]), DEBUG)

    def test_of_each_public_header_is_refused(self):
        for header in ("skua/conventional.hpp", "skua/as_tbb.hpp", "skua/ranks.hpp", "skua/rank_pool.hpp", "skua/distributed_matrix.hpp"):
            with self.subTest(header):
                self.assert_refused(self.linking("-D_GLIBCXX_DEBUG", header=header), DEBUG)

    def test_with_flags_that_change_no_layout_is_linked(self):
        for flag in ("-D_GLIBCXX_ASSERTIONS", "-fno-strict-aliasing", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong"):
            with self.subTest(flag):
                run = self.linking(flag)
                self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    case_report.main(verbosity=2)
