// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/distribute.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/bind.hpp"
#include "skua/parts/memory/touch.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// The errors of one place.
struct touching {
  std::error_code pinning = {};
  std::error_code paging = {};
};

touching touch_from(place_id place, page_block const& block, std::span<page_run const> runs, layout const& map,
                    page_kernel const& kernel) {
  cpu_mask where;
  for (worker_id const w : map.workers_of(place)) where.insert(map.pu_of(w));
  if (std::error_code const fault = bind_this_thread(where)) return {.pinning = fault};
  for (page_run const& run : runs) {
    if (run.place != place) continue;
    if (std::error_code const fault = touch_pages(block.bytes().subspan(run.first, run.bytes), kernel))
      return {.paging = fault};
  }
  return {};
}

/// Starts one thread per place, all at once, so that the kernel clears pages on every node in parallel.
std::vector<touching> touch_from_all(page_block const& block, std::span<page_run const> runs, layout const& map,
                                     page_kernel const& kernel) {
  std::vector<touching> results(map.places());
  std::vector<std::jthread> threads;
  threads.reserve(results.size());
  for (std::uint32_t p = 0; p < results.size(); ++p) {
    auto const one_place = [&, p] { results[p] = touch_from(place_id{p}, block, runs, map, kernel); };
    try {
      threads.emplace_back(one_place);
    } catch (std::system_error const& fault) {
      results[p].pinning = fault.code();  // no thread, so none is pinned
    }
  }
  threads.clear();  // joins
  return results;
}

distribution distribute_by_touch(page_block const& block, std::span<page_run const> runs, layout const& map,
                                 page_kernel const& kernel, std::error_code unbound) {
  std::string const first = "the kernel refused mbind(2) (" + unbound.message() + ")";
  if (!map.can_bind()) return {distribution_method::refused, first + ", and this system cannot pin threads"};
  for (touching const& result : touch_from_all(block, runs, map, kernel)) {
    if (result.paging) throw resource_error("cannot bring in the pages of an array: " + result.paging.message());
    if (result.pinning) {
      return {distribution_method::refused,
              first + ", and a thread could not be pinned to its place: " + result.pinning.message()};
    }
  }
  return {distribution_method::first_touch, first + ", so pages were touched first by threads pinned to their places"};
}

}  // namespace

std::vector<numa_id> homes_of(layout const& map) {
  std::vector<numa_id> homes(map.places(), no_numa_node);
  if (!map.is_this_system()) return homes;
  for (std::uint32_t p = 0; p < map.places(); ++p) {
    std::uint32_t const node = map.numa_of(place_id{p});
    if (node != no_index) homes[p] = numa_id{node};
  }
  return homes;
}

std::vector<std::uint32_t> weights_of(layout const& map) {
  std::vector<std::uint32_t> weights(map.places());
  for (std::uint32_t p = 0; p < map.places(); ++p) {
    weights[p] = static_cast<std::uint32_t>(map.workers_of(place_id{p}).size());
  }
  return weights;
}

std::string why_distribution_is_pointless(layout const& map) {
  if (!map.is_this_system()) return "the topology is not that of this machine, so there is no node to put pages on";
  std::vector<numa_id> homes = homes_of(map);
  std::erase(homes, no_numa_node);
  std::ranges::sort(homes);
  auto const repeated = std::ranges::unique(homes);
  homes.erase(repeated.begin(), repeated.end());
  if (homes.empty()) return "the system shows no NUMA nodes";
  if (homes.size() == 1) return "all workers are on one NUMA node";
  return {};
}

distribution distribute(page_block const& block, std::span<page_run const> runs, layout const& map,
                        page_kernel const& kernel) {
  if (std::string why = why_distribution_is_pointless(map); !why.empty())
    return {distribution_method::pointless, std::move(why)};
  std::vector<numa_id> const homes = homes_of(map);
  std::error_code const fault = bind_pages(block.bytes(), runs, homes, kernel);
  if (!fault) return {distribution_method::bound, "bound to the NUMA nodes of their places"};
  return distribute_by_touch(block, runs, map, kernel, fault);
}

distribution distribute_interleaved(page_block const& block, layout const& map, page_kernel const& kernel) {
  if (std::string why = why_distribution_is_pointless(map); !why.empty())
    return {distribution_method::pointless, std::move(why)};
  std::vector<numa_id> homes = homes_of(map);
  std::erase(homes, no_numa_node);
  std::error_code const fault = interleave_pages(block.bytes(), homes, kernel);
  if (!fault) return {distribution_method::bound, "interleaved over the NUMA nodes of the workers"};
  std::vector<page_run> const pages =
      cyclic_blocks(block.bytes().size(), block.page_bytes(), block.page_bytes(), map.places());
  return distribute_by_touch(block, pages, map, kernel, fault);
}

}}}  // namespace skua::v0::runtime
