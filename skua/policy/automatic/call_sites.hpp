// SPDX-License-Identifier: MIT
// The call sites of a region, by their keys: a table of fixed size. One task writes at a time (in_force.hpp); any worker reads
// the choice for the next call while another site is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "skua/parts/base/sync.hpp"
#include "skua/policy/automatic/call_site.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace automatic {

class call_sites {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::size_t none = most;

  /// What a call needs to know before it begins.
  struct choice {
    std::size_t site;  ///< `none`: the table is full
    std::size_t scheduler;
    bool is_long;  ///< its groups are timed
  };

  /// Any worker. A new site has scheduler 0.
  [[nodiscard]] choice find(std::uint64_t code, char const* name) noexcept {
    std::uint64_t const key = (code ^ (code >> 32)) * 0x9e37'79b9'7f4a'7c15ULL | 1;  // not 0
    for (std::size_t i = 0, at = key >> 40; i < probes; ++i, ++at) {
      entry& e = all_[at % most];
      std::uint64_t seen = e.key.load(std::memory_order_relaxed);  // relaxed: the key is all that is read
      if (seen == 0 && e.key.compare_exchange_strong(seen, key, std::memory_order_relaxed)) seen = key;
      if (seen != key) continue;
      if (name != nullptr && e.name.get() == nullptr) e.name.set(name);
      return {at % most, e.next.get(), e.is_long.get()};
    }
    return {none, 0, false};
  }
  /// For the task that is alone.
  [[nodiscard]] call_site& of(std::size_t site) noexcept { return all_[site].known; }
  [[nodiscard]] call_site const& of(std::size_t site) const noexcept { return all_[site].known; }
  /// Shows what `of(site)` wants next.
  void publish(std::size_t site) noexcept {
    entry& e = all_[site];
    e.is_long.set(e.known.is_long());
    e.next.set(static_cast<std::uint32_t>(e.known.next()));
  }
  [[nodiscard]] char const* name_of(std::size_t site) const noexcept { return all_[site].name.get(); }
  [[nodiscard]] bool is_known(std::size_t site) const noexcept {
    return all_[site].key.load(std::memory_order_relaxed) != 0;  // relaxed: as in find
  }

 private:
  static constexpr std::size_t probes = 8;
  struct entry {
    runtime::real_sync::atomic<std::uint64_t> key{0};
    shared_word<std::uint32_t> next{0};
    shared_word<bool> is_long{true};
    shared_word<char const*> name{nullptr};
    call_site known;
  };
  std::array<entry, most> all_;
};

}}}}  // namespace skua::v0::policies::automatic
