#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One installation serves no MPI, one, or several: the build installed, with the files of no MPI, of each, and of both, as Debian's packages
(packaging/debian/skua-*.install) would bring them. In each, the command runs under each launcher or says what is missing, and a project with
find_package(skua COMPONENTS mpi) gets the library of the MPI that it has found or is told why not.

    SKUA_BUILD=build/dev COMPILER=c++ MPIS="openmpi mpich" tests/install/mpi_test.py
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import case_report  # noqa: E402  (it stands there)

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
# tests/cli/ranks_test.py says why.
ON_THIS_HOST = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "RES_OPTIONS": "attempts:0"}
MPIS = os.environ.get("MPIS", "").split()  # that were built, and can be launched


def run(*command):
    """(exit code, standard output, standard error)"""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, env=kept | ON_THIS_HOST, check=False)
    return done.returncode, done.stdout, done.stderr


def launch(mpi, ranks, *command):
    return run(*LAUNCHERS[mpi], "-n", ranks, *command)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.whole = cls.scratch / "whole"
        code, out, err = run("cmake", "--install", os.environ["SKUA_BUILD"], "--prefix", cls.whole)
        assert code == 0, out + err

    def prefix_with(self, *mpis):
        """An installation with the files of these MPIs only."""
        prefix = self.scratch / "-".join(("with", *mpis))
        if not prefix.exists():
            shutil.copytree(self.whole, prefix, symlinks=True, copy_function=os.link)
            for mpi in NAMES:
                for line in (ROOT / f"packaging/debian/skua-{mpi}.install").read_text(encoding="utf-8").split():
                    files = [f for top in ("lib", "lib64", "lib/*-linux-gnu*") for f in prefix.glob(line.replace("usr/lib/*", top))]
                    self.assertTrue(files or mpi not in MPIS, line)
                    for file in files if mpi not in mpis else ():
                        file.unlink()
        return prefix

    def each(self):
        """(the MPIs of an installation, its prefix): with none, with each, with all."""
        if not MPIS:
            self.skipTest("there is no MPI on this machine, or no mpirun")
        for mpis in sorted({(), *((mpi,) for mpi in MPIS), tuple(MPIS)}):
            yield mpis, self.prefix_with(*mpis)

    def configured(self, prefix, mpi, *options, how="REQUIRED"):
        """(exit code, what CMake says, the folder) of a project that finds this MPI."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        code, out, err = run("cmake", "-S", HERE / "consumer_mpi", "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DHOW={how}",
                             f"-DCMAKE_CXX_COMPILER={os.environ.get('COMPILER', 'c++')}", f"-DMPI_CXX_COMPILER=mpicxx.{mpi}", *options)
        return code, " ".join((out + err).split()), folder

    def test_the_command_runs_on_ranks_of_the_mpis_that_are_installed_and_names_what_is_missing(self):
        for mpis, prefix in self.each():
            skua = prefix / "bin/skua"
            code, out, err = run(skua, "run", "uts", "--depth", "5", "--ranks")
            self.assertEqual((code, out.split(",")[0]), (0, "uts on 1 rank"), err)
            said = json.loads(run(skua, "doctor", "--json")[1])["ranks"]["mpi"]
            for mpi, name in NAMES.items():
                self.assertEqual(said[mpi]["version"] is not None, mpi in mpis, said)
            for mpi in MPIS:
                code, out, err = launch(mpi, 4, skua, "run", "uts", "--depth", "5", "--ranks")
                if mpi in mpis:
                    self.assertEqual((code, out.count("answer  right")), (0, 1), err)
                    self.assertIn(f"uts on 4 ranks of {NAMES[mpi]} ", out)
                else:
                    self.assertNotEqual(code, 0)
                    self.assertNotIn("answer", out)
                    self.assertIn(f"mpirun of {NAMES[mpi]} started 4 processes (", err)
                    self.assertIn(f"libskua_mpi_{mpi}.so is missing; install the package skua-{mpi}", err)

    def test_a_project_gets_the_library_of_the_mpi_that_it_has_found_or_is_told_why_not(self):
        for mpis, prefix in self.each():
            for mpi in MPIS:
                if mpi in mpis:
                    continue
                code, said, _ = self.configured(prefix, mpi)
                self.assertNotEqual(code, 0)
                self.assertIn("install Debian's package skua-openmpi or skua-mpich", said)
                if mpis:
                    self.assertIn(f"FindMPI has found {mpi} (", said)
                    self.assertIn(f"has a library only for {' and '.join(mpis)};", said)
                else:
                    self.assertIn("this installation of Skua has no library for an MPI", said)

    def test_a_project_may_do_without(self):
        list(self.each())
        code, said, _ = self.configured(self.prefix_with(), MPIS[0], how="")
        self.assertEqual(code, 0, said)
        self.assertIn("-- skua::mpi: this installation of Skua has no library for an MPI", said)

    def test_a_project_builds_and_runs_with_each_mpi_and_refuses_the_launcher_of_another(self):
        list(self.each())  # or skipped
        prefix = self.prefix_with(*MPIS)
        for mpi in MPIS:
            code, said, folder = self.configured(prefix, mpi, f"-DFIND_MPI_BEFORE={'ON' if mpi == 'mpich' else 'OFF'}")
            self.assertEqual(code, 0, said)
            code, out, err = run("cmake", "--build", folder)
            self.assertEqual(code, 0, out + err)
            code, out, err = launch(mpi, 3, folder / "ranks")
            self.assertEqual((code, out.startswith(f"sum 5050 on 3 ranks of {NAMES[mpi]}")), (0, True), out + err)
            languages = ["c", "fortran"] if (folder / "ranks_fortran").exists() else ["c"]
            for language in languages:
                code, out, err = launch(mpi, 3, folder / f"ranks_{language}")
                self.assertEqual((code, out.count("trace 96.0, 144 tasks") or out.count("trace   96.0, 144 tasks")), (0, 4), out + err)
            for other in set(MPIS) - {mpi}:
                code, out, err = launch(other, 3, folder / "ranks")
                self.assertNotEqual(code, 0)
                self.assertNotIn("sum", out)
                self.assertIn("refused: MPI says 1 rank, but ", err)
                self.assertIn(f"linked with {NAMES[mpi]}; start it with mpirun of {NAMES[mpi]}", err)

    def test_pkg_config_names_the_library_of_each_mpi(self):
        list(self.each())
        prefix = self.prefix_with(*MPIS)
        folders = ":".join(str(path.parent) for path in prefix.rglob("skua.pc"))
        for mpi in MPIS:
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", f"skua-{mpi}"], capture_output=True, text=True, check=True,
                                   env=os.environ | {"PKG_CONFIG_PATH": folders}).stdout.split()
            libraries = [flag for flag in flags if flag.startswith("-lskua")]
            self.assertEqual(libraries, [f"-lskua_mpi_{mpi}", "-lskua"], "in the order in which an archive needs them")


if __name__ == "__main__":
    case_report.main()
