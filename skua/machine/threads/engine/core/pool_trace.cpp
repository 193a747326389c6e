// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/pool_trace.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "skua/parts/trace/this_process.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

nlohmann::json known_number(std::uint32_t n) { return n == no_index ? nlohmann::json(-1) : nlohmann::json(n); }

nlohmann::json describe(settings const& chosen, layout const& map) {
  nlohmann::json all{
      {"program", trace::program_name()},
      {"command", trace::command_line()},
      {"arguments", trace::arguments()},
      {"variables", trace::variables()},
      {"chosen_by",
       {{"policy", chosen.policy.source}, {"workers", chosen.workers.source}, {"trace", chosen.trace.source}}},
      {"host", trace::host_name()},
      {"process", ::getpid()},
      {"policy", chosen.policy.value}};
  for (std::uint32_t w = 0; w < map.workers(); ++w) {
    worker_id const id{w};
    all["workers"].push_back({{"processor", known_number(map.pu_of(id))},
                              {"place", index(map.place_of(id))},
                              {"node", known_number(map.numa_of(id))},
                              {"package", known_number(map.package_of(id))}});
    if (map.speed_of(id) != 1) all["workers"].back()["speed"] = map.speed_of(id);
  }
  for (std::uint32_t d = 0; d < map.distance_classes(); ++d) all["distances"].push_back(map.distance_name(d));
  return all;
}

}  // namespace

std::unique_ptr<trace::trace_file> open_trace(settings const& chosen, layout const& map) {
  auto const rank = trace::find_rank();
  return trace::trace_file::make(
      {.path = trace::file_of_rank(chosen.trace.value, rank),
       .chosen_by = chosen.trace.source == "code" ? "pool option trace" : chosen.trace.source,
       .tracks = map.workers() + 1,
       .bytes = chosen.trace_bytes.value,
       .description = describe(chosen, map).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
       .rank = rank ? rank->rank : 0,
       .ranks = rank ? rank->ranks : 1});
}

}}}  // namespace skua::v0::runtime
