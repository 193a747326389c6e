// SPDX-License-Identifier: MIT
#include "skua/parts/topology/cpu_mask.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace skua { inline namespace v0 { namespace runtime {

namespace {

constexpr std::size_t most_hwloc_words = (std::size_t{1} << 20) / 32 + 1;  // PU 2^20, and whatever shares its word

}  // namespace

std::optional<cpu_mask> cpu_mask::from_hwloc(std::string_view text) {
  // Words of 32 bits between commas, the most significant first. Those between the first and the last one are empty if they are zero.
  std::vector<std::uint32_t> halves;
  for (;;) {
    auto const comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    bool const is_last = comma == std::string_view::npos;
    bool const may_be_empty = !halves.empty() && !is_last;
    std::uint32_t half = 0;
    if (!item.empty() || !may_be_empty) {
      if (item.starts_with("0x")) item.remove_prefix(2);
      auto const [end, wrong] = std::from_chars(item.data(), item.data() + item.size(), half, 16);
      if (wrong != std::errc{} || end != item.data() + item.size()) return std::nullopt;
    }
    if (halves.size() == most_hwloc_words) return std::nullopt;
    halves.push_back(half);
    if (is_last) break;
    text.remove_prefix(comma + 1);
  }
  cpu_mask result;
  std::ranges::reverse(halves);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    for (std::uint32_t rest = halves[i]; rest != 0; rest &= rest - 1) {
      result.insert(static_cast<std::uint32_t>(32 * i) + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  return result;
}

void cpu_mask::insert(std::uint32_t os_index) {
  std::size_t const at = os_index / word_bits;
  if (at >= words_.size()) words_.resize(at + 1);
  words_[at] |= word{1} << (os_index % word_bits);
}

bool cpu_mask::contains(std::uint32_t os_index) const noexcept {
  std::size_t const at = os_index / word_bits;
  return at < words_.size() && ((words_[at] >> (os_index % word_bits)) & 1U) != 0;
}

std::uint32_t cpu_mask::size() const noexcept {
  std::uint32_t count = 0;
  for (word const w : words_) count += static_cast<std::uint32_t>(std::popcount(w));
  return count;
}

std::vector<std::uint32_t> cpu_mask::members() const {
  std::vector<std::uint32_t> result;
  for (std::size_t at = 0; at < words_.size(); ++at) {
    for (word rest = words_[at]; rest != 0; rest &= rest - 1) {
      result.push_back(static_cast<std::uint32_t>(at * word_bits) + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  return result;
}

bool operator==(cpu_mask const& a, cpu_mask const& b) {
  // Trailing zero words do not count.
  std::size_t const longest = std::max(a.words_.size(), b.words_.size());
  for (std::size_t i = 0; i < longest; ++i) {
    cpu_mask::word const left = i < a.words_.size() ? a.words_[i] : 0;
    cpu_mask::word const right = i < b.words_.size() ? b.words_[i] : 0;
    if (left != right) return false;
  }
  return true;
}

std::string to_text(cpu_mask const& mask) {
  std::vector<std::uint32_t> const all = mask.members();
  if (all.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1] == all[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(all[i]);
    if (last > i) text += '-' + std::to_string(all[last]);
    i = last + 1;
  }
  return text;
}

}}}  // namespace skua::v0::runtime
