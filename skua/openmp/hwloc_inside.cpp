// SPDX-License-Identifier: MIT
// What hwloc's archive asks of others, if libgomp-skua contains it (hwloc_inside.cmake): the archive is compiled for programs, whose code reaches data of the C
// library directly. Its names of these are ours, and it loads no plug-in and asks no daemon for devices.
#include <cerrno>
#include <cstdio>

extern "C" {

char* skua_hwloc_program = nullptr;
std::FILE* skua_hwloc_stderr = nullptr;
std::FILE* skua_hwloc_stdout = nullptr;

void* skua_hwloc_dlopen(char const*, int) { return nullptr; }

// Without a context hwloc calls nothing else of libudev.
void* skua_hwloc_udev_new() { return nullptr; }
void* skua_hwloc_udev_unref(void*) { return nullptr; }
void* skua_hwloc_udev_device_new_from_subsystem_sysname(void*, char const*, char const*) { return nullptr; }
void* skua_hwloc_udev_device_unref(void*) { return nullptr; }
char const* skua_hwloc_udev_device_get_property_value(void*, char const*) { return nullptr; }
}

namespace {

[[gnu::constructor]] void set_data_of_hwloc() {
  skua_hwloc_program = program_invocation_name;
  skua_hwloc_stderr = stderr;
  skua_hwloc_stdout = stdout;
}

}  // namespace
