// SPDX-License-Identifier: MIT
#include "cli/mpi/modules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

std::string with_number(runtime::launcher const& by) {
  return by.processes ? fmt::format("{} ({} is {})", by.name, by.sign, *by.processes)
                      : fmt::format("{} ({} is set)", by.name, by.sign);
}

std::string how_to_get(mpi_library which) {
  return fmt::format("install the package skua-{0}, or build Skua where lib{0}-dev is installed", word_of(which));
}

std::string why_missing(runtime::launcher const& by, std::string const& folder) {
  mpi_library const wanted = by.serves.front();
  std::string const started =
      by.processes ? fmt::format("started {} processes", *by.processes) : "started this process";
  return fmt::format("{} {} ({}), but this skua has no module for {}: {} is missing; {}", by.name, started, by.sign,
                     name_of(wanted), module_path(folder, wanted), how_to_get(wanted));
}

std::string why_unclear(runtime::launcher const& one, runtime::launcher const& other) {
  return fmt::format(
      "{} and {} both started this process, one within the other's job; start the inner one without the variable of "
      "the outer one: env -u {} or env -u {}",
      with_number(one), with_number(other), one.sign, other.sign);
}

}  // namespace

std::string folder_of_modules() {
  std::error_code failed;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  return (self.parent_path() / SKUA_MODULES_FROM_COMMAND).lexically_normal().string();
}

std::string module_path(std::string const& folder, mpi_library which) {
  return fmt::format("{}/libskua_mpi_{}.so", folder, word_of(which));
}

std::vector<mpi_library> modules_in(std::string const& folder) {
  std::vector<mpi_library> there;
  for (mpi_library const which : all_mpis) {
    std::error_code failed;
    if (std::filesystem::exists(module_path(folder, which), failed)) there.push_back(which);
  }
  return there;
}

mpi_choice choose_mpi(std::vector<runtime::launcher> const& launchers, std::vector<mpi_library> const& modules,
                      std::string const& folder) {
  if (launchers.empty()) return {};
  runtime::launcher const& by = launchers.front();
  bool const all_of_one = std::ranges::all_of(launchers, [](auto const& each) { return each.processes == 1U; });
  if (launchers.size() > 1 && !all_of_one) return {{}, why_unclear(by, launchers.back())};
  for (runtime::launcher const& each : launchers) {
    for (mpi_library const which : each.serves) {
      if (std::ranges::find(modules, which) != modules.end()) return {which, {}};
    }
  }
  if (all_of_one) return {};
  return {{}, why_missing(by, folder)};
}

loaded_module::loaded_module(std::string const& path, use what_for) {
  // Components of an MPI may expect its functions among the process's (RTLD_GLOBAL); those of two MPIs have the same names.
  int const scope = what_for == use::for_job ? RTLD_GLOBAL : RTLD_LOCAL;
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | scope);
  if (handle == nullptr) {
    char const* const why = ::dlerror();
    throw resource_error(fmt::format("the module for MPI cannot be loaded: {}", why == nullptr ? path.c_str() : why));
  }
  using entry_function = mpi::module_entry const* (*)();
  auto const find = reinterpret_cast<entry_function>(::dlsym(handle, mpi::name_of_entry));
  entry_ = find == nullptr ? nullptr : find();
  if (entry_ == nullptr || std::string_view(entry_->build) != SKUA_MODULE_BUILD) {
    throw resource_error(fmt::format("{} is the module of another build of Skua ({} instead of {}); install both anew",
                                     path, entry_ == nullptr ? "unknown" : entry_->build, SKUA_MODULE_BUILD));
  }
}

std::string loaded_module::library_version() const {
  std::string said = entry_->library_version();
  // MPICH: "MPICH Version:\t4.0.2"
  if (auto const at = said.find(" Version:\t"); at != std::string::npos) said.replace(at, 10, " ");
  return said;
}

std::vector<module_look> look_at_modules(std::string const& folder) {
  std::vector<mpi_library> const there = modules_in(folder);
  std::vector<module_look> all;
  for (mpi_library const which : all_mpis) {
    module_look& one = all.emplace_back(module_look{which, module_path(folder, which), {}, {}});
    if (std::ranges::find(there, which) == there.end()) {
      one.why_not = "no module; " + how_to_get(which);
      continue;
    }
    try {
      one.version = loaded_module(one.path, loaded_module::use::for_a_look).library_version();
    } catch (resource_error const& fault) {
      one.why_not = fault.what();
    }
  }
  return all;
}

}  // namespace skua::cli
