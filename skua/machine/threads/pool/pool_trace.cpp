// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool/pool_trace.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace skua::inline v0::runtime {
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

struct place_in_job {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
};

/// Set by the launchers of Open MPI, and of MPICH and those that derive from it.
std::optional<place_in_job> find_rank() {
  using pair = std::pair<char const*, char const*>;
  for (auto const& [rank, ranks] :
       {pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, pair{"PMI_RANK", "PMI_SIZE"}}) {
    auto const r = number_in(rank);
    auto const n = number_in(ranks);
    if (r && n && *r < *n) return place_in_job{*r, *n};
  }
  return {};
}

std::string program_name() {
  std::ifstream in("/proc/self/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string all;
  for (std::string word; std::getline(in, word, '\0');) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

nlohmann::json known_number(std::uint32_t n) { return n == no_index ? nlohmann::json(-1) : nlohmann::json(n); }

nlohmann::json describe(settings const& chosen, layout const& map) {
  nlohmann::json all{{"program", program_name()},
                     {"command", command_line()},
                     {"host", host_name()},
                     {"process", ::getpid()},
                     {"policy", chosen.policy.value}};
  for (std::uint32_t w = 0; w < map.workers(); ++w) {
    worker_id const id{w};
    all["workers"].push_back({{"processor", known_number(map.pu_of(id))},
                              {"place", index(map.place_of(id))},
                              {"node", known_number(map.numa_of(id))},
                              {"package", known_number(map.package_of(id))}});
  }
  for (std::uint32_t d = 0; d < map.distance_classes(); ++d) all["distances"].push_back(map.distance_name(d));
  return all;
}

}  // namespace

std::unique_ptr<trace::trace_file> open_trace(settings const& chosen, layout const& map) {
  auto const rank = find_rank();
  return trace::trace_file::make(
      {.path = chosen.trace.value + (rank ? "." + std::to_string(rank->rank) : ""),
       .chosen_by = chosen.trace.from == "code" ? "pool option trace" : chosen.trace.from,
       .tracks = map.workers() + 1,
       .bytes = chosen.trace_bytes.value,
       .description = describe(chosen, map).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
       .rank = rank ? rank->rank : 0,
       .ranks = rank ? rank->ranks : 1});
}

}  // namespace skua::inline v0::runtime
