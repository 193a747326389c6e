// SPDX-License-Identifier: MIT
#include "cli/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/first_mask.hpp"
#include "cli/names.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

/// Above some thousands of threads libgomp crashes and oneTBB takes minutes to start them.
constexpr unsigned most_peer_workers = 1024;

constexpr std::array all_peers{
    peer{"serial", "the serial elision of the same source: no runtime at all",
         [](apps::app& a, unsigned) { a.run_serial(); }, false},
    peer{"openmp", "the same algorithm with OpenMP",
         [](apps::app& a, unsigned workers) {
           openmp_binding const as_the_user_wants;
           a.run_openmp(workers);
         },
         true},
    peer{"tbb", "the same algorithm with oneTBB", [](apps::app& a, unsigned workers) { a.run_tbb(workers); }, true},
};

}  // namespace

std::span<peer const> peers() noexcept { return all_peers; }

peer const& peer_of(std::string_view option, std::string_view name) {
  auto const found = std::ranges::find(all_peers, name, &peer::name);
  if (found != all_peers.end()) return *found;
  std::vector<std::string_view> known;
  for (peer const& p : all_peers) known.push_back(p.name);
  throw usage_error(fmt::format("{}: {}", option, unknown("peer", name, known)));
}

void refuse_too_many(peer const& which, unsigned workers) {
  if (!which.is_parallel || workers <= most_peer_workers) return;
  throw usage_error(
      fmt::format("{} workers: the peer {} takes at most {} here", workers, which.name, most_peer_workers));
}

runner runner_of(peer const& which, unsigned workers) {
  refuse_too_many(which, workers);
  return {.name = std::string(which.name),
          .workers = workers,
          .is_serial = !which.is_parallel,
          .is_peer = which.is_parallel,
          .run = [run = which.run, workers](apps::app& a) { run(a, workers); }};
}

runner runner_of(std::shared_ptr<pool> const& workers, std::string name, breaking_down how) {
  unsigned const count = workers->workers();
  runner it{.name = std::move(name),
            .workers = count,
            .is_serial = false,
            .is_peer = false,
            .run = [workers](apps::app& a) { a.run_skua(*workers); },
            .run_mapped = [workers](apps::mapped& a) { return a.run_mapped(*workers); }};
  if (how == breaking_down::on) it.counters = [workers](auto at) { return workers->counters(at); };
  return it;
}

}  // namespace skua::cli
