// SPDX-License-Identifier: MIT
#include "skua/parts/trace/this_process.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

namespace skua { inline namespace v0 { namespace trace {
namespace {

std::optional<std::uint32_t> number_in(char const* variable) {
  char const* const text = std::getenv(variable);
  if (text == nullptr) return {};
  std::string_view const all = text;
  std::uint32_t n = 0;
  auto const [end, wrong] = std::from_chars(all.data(), all.data() + all.size(), n);
  if (wrong != std::errc{} || end != all.data() + all.size()) return {};
  return n;
}

}  // namespace

std::optional<rank_of_job> find_rank() {
  using pair = std::pair<char const*, char const*>;
  for (auto const& [rank, ranks] :
       {pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, pair{"PMI_RANK", "PMI_SIZE"}}) {
    auto const r = number_in(rank);
    auto const n = number_in(ranks);
    if (r && n && *r < *n) return rank_of_job{*r, *n};
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

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

}}}  // namespace skua::v0::trace
