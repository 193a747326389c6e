// SPDX-License-Identifier: MIT
// A number that changes with the bytes that it was made from: to notice damage, not to withstand a forger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace skua { inline namespace v0 { namespace runtime {

/// FNV-1a over words of 8 bytes, with a shift so that high bits count, too. Each step is a bijection of the state: a change within one word
/// always changes the value, any other change but one in 2^64.
class checksum {
 public:
  /// Of pieces of one text, all but the last must be multiples of 8 bytes.
  void add(std::span<std::byte const> piece) noexcept {
    for (std::size_t at = 0; at < piece.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::size_t const left = piece.size() - at;
      std::memcpy(&word, piece.data() + at, left < sizeof word ? left : sizeof word);
      value_ = (value_ ^ word) * 0x0000'0100'0000'01b3ULL;
      value_ ^= value_ >> 29;
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325ULL;
};

}}}  // namespace skua::v0::runtime
