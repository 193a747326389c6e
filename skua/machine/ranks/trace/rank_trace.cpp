// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/trace/rank_trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "skua/parts/base/options.hpp"
#include "skua/parts/base/settings.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/trace/this_process.hpp"

namespace skua { inline namespace v0 { namespace ranks {
namespace {

/// Ranks with more workers than processors are common on small machines.
constexpr std::uint32_t least_tracks = 8;

std::string describe(rank_number rank, std::uint32_t tracks) {
  nlohmann::json all{{"program", trace::program_name()},
                     {"command", trace::command_line()},
                     {"arguments", trace::arguments()},
                     {"variables", trace::variables()},
                     {"host", trace::host_name()},
                     {"process", ::getpid()},
                     {"policy", "ranks"},
                     {"rank", rank}};
  for (std::uint32_t n = 0; n < tracks; ++n)
    all["workers"].push_back({{"processor", -1}, {"place", rank}, {"node", -1}, {"package", -1}});
  all["distances"] = {"the same rank", "another rank"};
  all["distance_of_ranks"] = stolen_from_rank;
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

rank_trace::rank_trace(trace::trace_options const& with) : file_(trace::trace_file::make(with)) {
  for (std::uint32_t n = 0; n < with.tracks; ++n) tracks_.push_back(file_->track_of(n));
}

std::unique_ptr<rank_trace> rank_trace::wanted(rank_number rank, rank_number ranks) {
  if (std::getenv("SKUA_TRACE") == nullptr) return nullptr;  // a rank reads no other variable
  runtime::settings const chosen = runtime::settings_from_environment(runtime::process_environment());
  if (chosen.trace.value.empty()) return nullptr;
  std::optional<trace::rank_of_job> who = trace::find_rank();
  if (!who && ranks > 1) who = trace::rank_of_job{rank, ranks};
  std::uint32_t const tracks = 1 + std::max(least_tracks - 1, runtime::affinity_of_this_thread().size());
  return std::make_unique<rank_trace>(trace::trace_options{.path = trace::file_of_rank(chosen.trace.value, who),
                                                           .chosen_by = chosen.trace.source,
                                                           .tracks = tracks,
                                                           .bytes = chosen.trace_bytes.value,
                                                           .description = describe(who ? who->rank : 0, tracks),
                                                           .rank = who ? who->rank : 0,
                                                           .ranks = who ? who->ranks : 1});
}

}}}  // namespace skua::v0::ranks
