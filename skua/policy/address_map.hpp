// SPDX-License-Identifier: MIT
// From a task's address to a worker, and to a key with few bits for tables. [arms-2021 3.1]
#pragma once

#include <bit>
#include <cstdint>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace policies {

class address_map {
 public:
  explicit constexpr address_map(std::uint32_t workers) noexcept : workers_(workers) {
    runtime::expects(workers > 0, "address_map: at least one worker");
  }

  /// Of a key: between four and eight keys for each worker. [arms-2021 3.1, eq. 1]
  [[nodiscard]] constexpr std::uint32_t bits() const noexcept {
    return static_cast<std::uint32_t>(std::bit_width(4 * std::uint64_t{workers_} - 1));
  }
  [[nodiscard]] constexpr std::uint32_t keys() const noexcept { return 1U << bits(); }
  [[nodiscard]] constexpr std::uint32_t key_of(runtime::address a) const noexcept {
    return a.fraction >> (32 - bits());
  }

  [[nodiscard]] constexpr runtime::address middle_of_key(std::uint32_t key) const noexcept {
    return {(2 * key + 1) << (31 - bits())};
  }

  /// The worker at the key's relative location. [arms-2021 3.1, eq. 3, 4]
  [[nodiscard]] constexpr worker_id worker_of(std::uint32_t key) const noexcept {
    return worker_id{static_cast<std::uint32_t>(std::uint64_t{key} * workers_ >> bits())};
  }
  [[nodiscard]] constexpr worker_id worker_of(runtime::address a) const noexcept { return worker_of(key_of(a)); }

  /// An address that maps to the middle one of these workers. Precondition: first + count <= workers.
  [[nodiscard]] constexpr runtime::address middle_of(worker_id first, std::uint32_t count) const noexcept {
    std::uint64_t const middle = index(first) + count / 2;
    std::uint64_t const begin = ((middle << bits()) + workers_ - 1) / workers_;  // the first key that maps to it
    std::uint64_t const end = (((middle + 1) << bits()) + workers_ - 1) / workers_;
    return {static_cast<std::uint32_t>((begin + end) / 2 << (32 - bits()))};
  }

 private:
  std::uint32_t workers_;
};

}}}  // namespace skua::v0::policies
