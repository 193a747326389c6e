// SPDX-License-Identifier: MIT
// What a collection reports of its last process(): sums over the ranks, and each rank by itself.
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "skua/machine/ranks/collection/collection_core.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr double ns = 1e-9;

}  // namespace

collection_report collection_core::report() {
  expect_at_rest("report");
  steal_counts const& steals = engine_.counts();
  std::array<std::uint64_t, 13> sums{workers_.counted().executed,
                                     kept_,
                                     steals.attempted,
                                     steals.successful,
                                     steals.tasks,
                                     workers_.busy_ns(),
                                     workers_.count(),
                                     run_again_,
                                     dropped_,
                                     last_.got + last_.put + last_.accumulated,
                                     last_.needed,
                                     last_.needed_remotely,
                                     1};
  std::array<std::uint64_t, 3> most{wall_ns_, workers_.busy_ns() / workers_.count(), times_heard_};
  sum_elements(core_.all(), call(operation::report), std::span(sums));
  max_elements(core_.all(), call(operation::report), std::span(most));
  return {.iteration = epoch_,
          .ranks = static_cast<std::uint32_t>(sums[12]),
          .workers = static_cast<std::uint32_t>(sums[6]),
          .tasks = sums[0],
          .kept = sums[1],
          .attempted = sums[2],
          .successful = sums[3],
          .moved = sums[4],
          .run_again = sums[7],
          .dropped = sums[8],
          .times_heard = most[2],
          .remote_bytes = sums[9],
          .needed = sums[10],
          .needed_remotely = sums[11],
          .seconds = static_cast<double>(most[0]) * ns,
          .mean_busy = static_cast<double>(sums[5]) / static_cast<double>(sums[6]) * ns,
          .most_busy = static_cast<double>(most[1]) * ns,
          .start = start_};
}

/// After the last task of a process(): the figures of this rank, and of the balancing before it.
void collection_core::note_own_figures(matrix_traffic const& moved_before) noexcept {
  matrix_traffic const moved = core_.transfers_of_rank()->counted().value();
  steal_counts const& steals = engine_.counts();
  balancing_cost const before = std::exchange(balancing_cost_, {});
  last_ = {.rank = rank(),
           .workers = workers_.count(),
           .tasks = workers_.counted().executed,
           .kept = record_.size(),
           .attempted = steals.attempted,
           .successful = steals.successful,
           .stolen = steals.tasks,
           .given = steals.given,
           .seconds = static_cast<double>(wall_ns_) * ns,
           .busy = static_cast<double>(workers_.busy_ns()) / workers_.count() * ns,
           .balancing = static_cast<double>(before.ns) * ns,
           .received = before.received + steals.bytes_taken,
           .sent = before.sent + steals.bytes_given,
           .got = moved.remote_get.bytes - moved_before.remote_get.bytes,
           .put = moved.remote_put.bytes - moved_before.remote_put.bytes,
           .accumulated = moved.remote_accumulated.bytes - moved_before.remote_accumulated.bytes,
           .needed = meter_ == nullptr ? 0 : meter_->needed(),
           .needed_remotely = meter_ == nullptr ? 0 : meter_->needed_remotely()};
}

ranks_report collection_core::report_by_rank() {
  expect_at_rest("report_by_rank");
  core_.all().meet(call(operation::report, "by rank"));
  ranks_report all{.iteration = epoch_, .ranks = {}};
  for (bytes const& of_rank : core_.all().gather(bytes_of(std::as_bytes(std::span(&last_, 1))))) {
    if (of_rank.empty()) continue;  // it died
    std::memcpy(&all.ranks.emplace_back(), of_rank.data(), sizeof(rank_report));
  }
  return all;
}

}}}  // namespace skua::v0::ranks
