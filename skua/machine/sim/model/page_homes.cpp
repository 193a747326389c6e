// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/page_homes.hpp"

#include <bit>
#include <charconv>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {

page_placement page_placement::read(std::string_view name, std::string_view text) {
  if (text == "first-touch") return {.mode = kind::first_touch};
  if (text == "interleave") return {.mode = kind::interleave};
  if (text == "places") return {.mode = kind::places};
  if (text == "prepared") return {.mode = kind::prepared};
  page_placement bound{.mode = kind::bind};
  if (text.starts_with("bind:")) {
    std::string_view const digits = text.substr(5);
    auto const [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bound.node);
    if (fault == std::errc{} && end == digits.data() + digits.size()) return bound;
  }
  throw usage_error(std::string{name} + " is '" + std::string{text} +
                    "'; allowed: first-touch, interleave, places, prepared, bind:N with a NUMA node N");
}

std::string page_placement::text() const {
  switch (mode) {
    case kind::first_touch: return "first-touch";
    case kind::interleave: return "interleave";
    case kind::places: return "places";
    case kind::prepared: return "prepared";
    case kind::bind: break;
  }
  return "bind:" + std::to_string(node);
}

page_homes::page_homes(page_placement where, std::uint32_t nodes, std::uint64_t block_bytes, std::uint64_t page_bytes)
    : placement_(where), nodes_(nodes), block_bytes_(block_bytes), page_bytes_(page_bytes),
      chunk_shift_(static_cast<std::uint32_t>(std::countr_zero(chunk_bytes / block_bytes))),
      page_shift_(static_cast<std::uint32_t>(std::countr_zero(page_bytes / block_bytes))) {
  if (where.mode == page_placement::kind::bind && where.node >= nodes)
    throw usage_error("placement is '" + where.text() + "'; allowed: bind:N with a NUMA node N from 0 to " +
                      std::to_string(nodes - 1));
}

void page_homes::bind_pages(std::uint64_t address, std::uint64_t bytes, std::uint32_t node) {
  if (node >= nodes_)
    throw usage_error("bind_pages: node is " + std::to_string(node) + "; allowed: a NUMA node of the machine, 0 to " +
                      std::to_string(nodes_ - 1));
  if (bytes == 0) return;
  for (std::uint64_t page = address / page_bytes_; page <= (address + bytes - 1) / page_bytes_; ++page)
    homes_[block_of(page << page_shift_) >> page_shift_] = static_cast<std::uint16_t>(node);
}

std::vector<std::uint64_t> page_homes::pages() const {
  std::vector<std::uint64_t> count(nodes_, 0);
  for (std::uint16_t const node : homes_) {
    if (node != nowhere) ++count[node];
  }
  return count;
}

page_homes::recent page_homes::look_up(std::uint64_t chunk) {
  auto const [at, is_new] = chunks_.try_emplace(chunk, static_cast<block_id>(blocks()));
  if (is_new) {
    std::size_t const more = std::size_t{1} << (chunk_shift_ - page_shift_);
    if (((homes_.size() + more) << page_shift_) > 0xffff'ffffULL)
      throw resource_error(
          "the simulated program touches more than 2^32 blocks of memory; take larger blocks "
          "(granularity.block_bytes)");
    homes_.resize(homes_.size() + more, nowhere);
  }
  return {chunk, at->second};
}

std::uint16_t page_homes::choose(std::uint32_t toucher) noexcept {
  switch (placement_.mode) {
    case page_placement::kind::first_touch:
    case page_placement::kind::places:
    case page_placement::kind::prepared: return static_cast<std::uint16_t>(toucher);
    case page_placement::kind::interleave: return static_cast<std::uint16_t>(next_++ % nodes_);
    case page_placement::kind::bind: break;
  }
  return static_cast<std::uint16_t>(placement_.node);
}

}}}  // namespace skua::v0::sim
