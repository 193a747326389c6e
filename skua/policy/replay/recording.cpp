// SPDX-License-Identifier: MIT
#include "skua/policy/replay/recording.hpp"

#include <algorithm>
#include <bit>

namespace skua { inline namespace v0 { namespace policies { namespace replay {
namespace {

/// Below the detail, where something was stolen, forks are exposed for up to 2^deeper_bits times as many branches.
constexpr std::uint32_t deeper_bits = 3;

/// 64 entries per branch, because trees are not regular, and at most what a record can hold.
std::uint32_t bits_of(replay_options const& chosen) noexcept { return std::min<std::uint32_t>(24, chosen.detail + 6); }

}  // namespace

recording::recording(replay_options const& chosen) : detail_(chosen.detail), known_(bits_of(chosen)) {}

void recording::has_met(tag_fields const& task, tag_fields const& group) noexcept {
  known_.note(key(fact::met, group.path), 1);
  if (group.ordinal > 0 && !task.is_root) known_.note(key(fact::groups, task.path), group.ordinal + 1U, true);
}

void recording::was_stolen(tag_fields const& piece, std::uint32_t thief) noexcept {
  if (!piece.is_tracked() || piece.is_root) return;
  bool const is_rest = piece.kind == kind::group;
  std::uint64_t const path = is_rest ? mixed(piece.path, piece.index) : piece.path;
  auto const how = known_.note(key(is_rest ? fact::rest : fact::child, path), thief);
  if (how == record::noted::not_at_all) return;
  if (how == record::noted::anew) pieces_.add(1);
  known_.note(key(fact::last, is_rest ? piece.path : piece.enclosing), piece.index + 1, true);
}

void recording::was_stolen_unseen(tag_fields const& around) noexcept {
  if (around.is_open) return;
  known_.note(key(fact::deep, around.enclosing), 1);
}

void recording::has_left(tag_fields const& task, tag_fields const& group, bool is_pruning) noexcept {
  if (!group.is_tracked()) return;
  if (has_pieces(group)) {
    known_.note(key(fact::exposed, task.path), stolen_below);
  } else if (is_pruning && group.ordinal == 0 && known_.find(key(fact::exposed, task.path))) {
    known_.note(key(fact::exposed, task.path), stolen_before_pruning);
  }
}

/// True if the group, or one of its children, has a piece in the record.
bool recording::has_pieces(tag_fields const& group) const noexcept {
  if (known_.find(key(fact::last, group.path)).value_or(0) > 0) return true;
  if (group.breadth > detail_) return false;  // its children's forks were not exposed
  for (std::uint64_t i = 0; i < group.enclosing; ++i) {
    if (known_.find(key(fact::exposed, mixed(group.path, i))) == stolen_below) return true;
  }
  return false;
}

std::uint8_t recording::breadth_of(tag_fields const& task, std::uint64_t group_path, std::uint64_t n) const noexcept {
  std::uint32_t const all = task.breadth + static_cast<std::uint32_t>(std::bit_width(n - 1));
  if (all > detail_ && task.breadth <= detail_ && known_.find(key(fact::deep, group_path)))
    return static_cast<std::uint8_t>(detail_ - std::min(detail_, deeper_bits));
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(255, all));
}

void recording::forget() noexcept {
  known_.forget();
  pieces_.set(0);
}

}}}}  // namespace skua::v0::policies::replay
