// SPDX-License-Identifier: MIT
// What the checked workers of one policy share: the tags that were handed out, and the exposed groups that are open.
#pragma once

#include <array>
#include <cstdint>

#include "skua/parts/base/sync.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// Tags and groups that may move between workers. Every access is relaxed: a worker gets a tag or a group of another
/// worker through a lane, which orders their memory. Two tags that share a slot of a table hide a breach, and never
/// make one.
struct protocol_tables {
  // Invariant (met, then left): no count is ever negative.
  std::array<runtime::real_sync::atomic<std::int32_t>, 1024> open_of{};      ///< exposed groups, by their tag
  std::array<runtime::real_sync::atomic<std::uint64_t>, 2048> handed_out{};  ///< one bit per tag
  runtime::real_sync::atomic<std::int64_t> open{0};                          ///< exposed groups
  runtime::real_sync::atomic<bool> is_broken{false};
  machine_view const* machine = nullptr;  ///< set before any worker runs; null: it shows nothing

  static constexpr auto relaxed = std::memory_order_relaxed;  // why it is enough: above

  static std::uint64_t hash_of(task_tag const& t) noexcept {
    std::uint64_t h = 0;
    auto const add = [&h](std::uint64_t word) {
      h = (h ^ word) * 0x9e37'79b9'7f4a'7c15ULL;
      h ^= h >> 29;
    };
    for (std::uint64_t const word : t.words) add(word);
    for (std::uint64_t const word : t.node) add(word);
    return h;
  }

  void hand_out(task_tag const& t) noexcept {
    std::uint64_t const h = hash_of(t);
    std::uint64_t const bit = std::uint64_t{1} << (h % 64);
    auto& word = handed_out[h / 64 % handed_out.size()];
    if ((word.load(relaxed) & bit) == 0) word.fetch_or(bit, relaxed);
  }
  [[nodiscard]] bool was_handed_out(task_tag const& t) const noexcept {
    std::uint64_t const h = hash_of(t);
    return (handed_out[h / 64 % handed_out.size()].load(relaxed) >> (h % 64) & 1) != 0;
  }
  void opened(task_tag const& group) noexcept {
    open_of[hash_of(group) % open_of.size()].fetch_add(1, relaxed);
    open.fetch_add(1, relaxed);
  }
  /// Returns false if no such group was open.
  [[nodiscard]] bool closed(task_tag const& group) noexcept {
    open.fetch_sub(1, relaxed);
    return open_of[hash_of(group) % open_of.size()].fetch_sub(1, relaxed) > 0;
  }
};

}}}  // namespace skua::v0::policies
