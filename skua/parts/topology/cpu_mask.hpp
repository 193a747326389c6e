// SPDX-License-Identifier: MIT
// A set of PUs by OS index, of any size: machines with more than 1024 PUs exist, so no fixed cpu_set_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

class cpu_mask {
 public:
  using word = unsigned long;  ///< the kernel's unit of sched_getaffinity
  static constexpr std::size_t word_bits = 8 * sizeof(word);

  cpu_mask() = default;
  /// Bit i of words[0] is PU i, of words[1] PU word_bits + i, and so on.
  explicit cpu_mask(std::span<word const> words) : words_(words.data(), words.data() + words.size()) {}

  /// Reads hwloc's form, most significant word first, zero words within it left empty: "0x0000000f", "0x1,0x00000000", "0x1,,0x0".
  /// nullopt for any other text, for numbers above 2^20 + 31, and for the infinite "0xf...f".
  [[nodiscard]] static std::optional<cpu_mask> from_hwloc(std::string_view text);

  void insert(std::uint32_t os_index);
  [[nodiscard]] bool contains(std::uint32_t os_index) const noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// All members, ascending.
  [[nodiscard]] std::vector<std::uint32_t> members() const;
  [[nodiscard]] std::span<word const> words() const noexcept { return {words_.data(), words_.size()}; }

  friend bool operator==(cpu_mask const& a, cpu_mask const& b);

 private:
  std::vector<word> words_;
};

/// "0-3,8,10-11"; "none" for the empty set.
[[nodiscard]] std::string to_text(cpu_mask const& mask);

}}}  // namespace skua::v0::runtime
