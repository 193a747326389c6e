# SPDX-License-Identifier: MIT
"""Spack's recipe for the library: `spack repo add packaging/spack/spack_repo/skua`, `spack install skua`. It clones the checkout that it stands in.

The command is not a part: it needs protozero, which Spack does not have.
"""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Skua(CMakePackage):
    """A task-parallel runtime in which locality is a hint."""

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("MIT")

    version("0.1.0", branch="main")

    variant("shared", default=True, description="A shared object instead of an archive")
    variant("mpi", default="none", values=("none", "openmpi", "mpich"), multi=False, description="Task collections on ranks, over this MPI")

    generator("ninja")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type=("build", "link"))
    depends_on("tomlplusplus@3:", type="build")
    depends_on("boost@1.74: +context")
    depends_on("hwloc@2.5:")
    depends_on("openmpi", when="mpi=openmpi")
    depends_on("mpich", when="mpi=mpich")

    conflicts("%gcc@:11", msg="Skua needs GCC 12 or newer")
    conflicts("%clang@:15", msg="Skua needs Clang 16 or newer")
    requires("platform=linux", msg="Skua runs on Linux only")

    def cmake_args(self):
        mpi = self.spec.variants["mpi"].value
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("SKUA_APPS", False),
            self.define("SKUA_BENCH", False),
            self.define("SKUA_TESTS", False),
            self.define("SKUA_MPI", "" if mpi == "none" else mpi),
        ]
