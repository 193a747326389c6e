// SPDX-License-Identifier: MIT
// The call sites of a region, by their keys: a table of fixed size. One task writes at a time (in_force.hpp); any worker reads
// the choice for the next call while another site is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "skua/parts/base/sync.hpp"
#include "skua/parts/base/type_text.hpp"
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

  /// Any worker. A new site has scheduler 0, and keeps a copy of the name: its code may be unloaded.
  [[nodiscard]] choice find(std::uint64_t code, char const* name) noexcept {
    std::uint64_t const key = (code ^ (code >> 32)) * 0x9e37'79b9'7f4a'7c15ULL | 1;  // not 0
    for (std::size_t i = 0, at = key >> 40; i < probes; ++i, ++at) {
      entry& e = all_[at % most];
      std::uint64_t seen = e.key.load(std::memory_order_relaxed);  // relaxed: the key is all that is read
      if (seen == 0 && e.key.compare_exchange_strong(seen, key, std::memory_order_relaxed)) {
        seen = key;
        e.introduce(code, name);
      }
      if (seen != key) continue;
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
  /// True if the code and the name of the site can be read.
  [[nodiscard]] bool is_known(std::size_t site) const noexcept {
    return all_[site].is_introduced.load(std::memory_order_acquire);  // acquire: code and name. Pairs with: introduce
  }
  [[nodiscard]] std::uint64_t code_of(std::size_t site) const noexcept { return all_[site].code; }
  [[nodiscard]] std::string_view name_of(std::size_t site) const noexcept { return all_[site].name.data(); }

 private:
  static constexpr std::size_t probes = 8;
  struct entry {
    runtime::real_sync::atomic<std::uint64_t> key{0};
    shared_word<std::uint32_t> next{0};
    shared_word<bool> is_long{true};
    runtime::real_sync::atomic<bool> is_introduced{false};
    std::uint64_t code = 0;
    std::array<char, 192> name{};  ///< may be cut; empty: none
    call_site known;

    /// For the worker that has set the key.
    void introduce(std::uint64_t number, char const* text) noexcept {
      code = number;
      std::string_view const type = text == nullptr ? std::string_view() : runtime::type_in(text);
      std::copy_n(type.begin(), std::min(type.size(), name.size() - 1), name.begin());
      is_introduced.store(true, std::memory_order_release);  // release: code and name. Pairs with: is_known
    }
  };
  std::array<entry, most> all_;
};

}}}}  // namespace skua::v0::policies::automatic
