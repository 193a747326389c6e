# SPDX-License-Identifier: MIT
"""Conan's recipe for the library: `conan create packaging/conan`. It packages the checkout that it stands in.

hwloc and Boost.Context come from Conan, or, with -o "skua/*:system_libs=True", from the system. packaging/README.md says more.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.system.package_manager import Apt, Dnf, PacMan

# What the library is built from; the command, the apps and the tests are not part of this package.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "docs/*", "examples/*", "machines/*", "skua/*")


class skua(ConanFile):
    name = "skua"
    license = "MIT"
    description = "A task-parallel runtime in which locality is a hint"
    topics = ("parallel", "tasks", "fork-join", "work-stealing", "numa")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "system_libs": [True, False]}
    default_options = {"shared": False, "fPIC": True, "system_libs": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "../../CMakeLists.txt"))
        self.version = re.search(r"project\(skua VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, "../.."), self.export_sources_folder)

    def requirements(self):
        if not self.options.system_libs:
            self.requires("hwloc/[>=2.5 <3]")
            self.requires("boost/[>=1.74 <2]")
            self.requires("tomlplusplus/[>=3 <4]", visible=False)

    def system_requirements(self):
        if self.options.system_libs:
            Apt(self).install(["libhwloc-dev", "libboost-context-dev", "libtomlplusplus-dev", "pkg-config"], check=True)
            Dnf(self).install(["hwloc-devel", "boost-devel", "tomlplusplus-devel", "pkgconf-pkg-config"], check=True)
            PacMan(self).install(["hwloc", "boost", "tomlplusplus", "pkgconf"], check=True)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("skua runs on Linux only")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("APPS", "BENCH", "TESTS"):
            toolchain.cache_variables[f"SKUA_{part}"] = False
        toolchain.cache_variables["SKUA_MPI"] = ""
        toolchain.user_presets_path = False
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan describes the package to CMake and pkg-config itself, with the dependencies that it chose.
        for folder in ("lib/cmake", "lib/pkgconfig", "share"):
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.libs = ["skua"]
        self.cpp_info.set_property("cmake_file_name", "skua")
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
        self.cpp_info.set_property("cmake_target_name", "skua::skua")
        self.cpp_info.set_property("pkg_config_name", "skua")
        self.cpp_info.system_libs = ["pthread"]
        if self.options.system_libs:
            if not self.options.shared:
                self.cpp_info.system_libs += ["hwloc", "boost_context"]
        else:
            self.cpp_info.requires = ["hwloc::hwloc", "boost::context"]
