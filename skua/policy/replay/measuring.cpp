// SPDX-License-Identifier: MIT
#include "skua/policy/replay/measuring.hpp"

#include <algorithm>
#include <cstddef>

namespace skua { inline namespace v0 { namespace policies { namespace replay {
namespace {

/// Twice the branches whose steals are recorded, in each measured iteration; at most some megabytes.
std::size_t measured_entries(replay_options const& chosen, std::uint32_t workers) noexcept {
  if (!chosen.refines || workers == 1) return 0;
  return std::size_t{refinement::iterations} << std::min<std::uint32_t>(14, chosen.detail + 1);
}

}  // namespace

measuring::measuring(std::uint32_t workers, replay_options const& chosen, following const& division)
    : detail_(chosen.detail), division_(division), noted_(workers, measured_entries(chosen, workers)) {}

/// A root never ends, so the children that it calls itself would not be measured: it sends all of them. Not if no other
/// worker has a child of the group: there is nothing to divide, and the root's worker would run them in another order.
void measuring::has_met(tag_fields const& task, tag_fields& group, std::uint64_t n, std::uint32_t met_by) noexcept {
  if (!group.is_tracked()) return;
  noted_.groups.note({.path = group.path,
                      .task = task.path,
                      .outer_path = task.enclosing,
                      .task_index = task.index,
                      .last = group.last,
                      .met_by = met_by});
  if (!task.is_root) return;
  auto const of = division_.children_of(group, n, met_by);
  if (!of.keeps) return;
  if (!of.divides || n > std::uint64_t{1} << detail_) {
    cannot_measure_.set(true);
    return;
  }
  group.last = static_cast<std::uint32_t>(n + 1);
  group.mine_again = 0;
}

void measuring::has_ended(tag_fields const& task, std::uint64_t ns) noexcept {
  if (task.kind != kind::task || !task.is_tracked() || task.is_root) return;
  noted_.children.note({.path = task.path, .group_path = task.enclosing, .index = task.index, .ns = ns});
}

bool measuring::rewrite(recording& records) noexcept {
  if (cannot_measure_.replace(false)) {
    noted_.forget();
    return false;
  }
  records.rewrite([this](record& known, std::uint64_t pieces) { return noted_.refine(known, pieces); });
  return true;
}

void measuring::forget() noexcept {
  noted_.forget();
  cannot_measure_.set(false);
}

}}}}  // namespace skua::v0::policies::replay
