// SPDX-License-Identifier: MIT
#include "skua/parts/trace/this_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "skua/parts/base/launcher.hpp"

namespace skua { inline namespace v0 { namespace trace {

std::optional<rank_of_job> find_rank() {
  for (runtime::launcher const& by : runtime::find_launchers(runtime::process_environment())) {
    if (by.processes && by.rank) return rank_of_job{*by.rank, *by.processes};
  }
  return {};
}

std::string file_of_rank(std::string const& base, std::optional<rank_of_job> const& rank) {
  return rank ? base + "." + std::to_string(rank->rank) : base;
}

std::string program_name() {
  std::ifstream in("/proc/self/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

std::vector<std::string> arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> all;
  for (std::string word; std::getline(in, word, '\0');) all.push_back(word);
  return all;
}

std::string command_line() {
  std::string all;
  for (std::string const& word : arguments()) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::vector<std::string> variables() {
  std::vector<std::string> all;
  for (char const* const* v = ::environ; v != nullptr && *v != nullptr; ++v) {
    std::string_view const one = *v;
    if (one.starts_with("SKUA_") || one.starts_with("OMP_")) all.emplace_back(one);
  }
  std::ranges::sort(all);
  return all;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

}}}  // namespace skua::v0::trace
