// SPDX-License-Identifier: MIT
#include "skua/policy/balance/load_database.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

constexpr std::size_t per_octave = 8;
constexpr std::size_t first_octave = 7;
constexpr load_ns one_to_one = 1U << first_octave;  // below this each time has its own bin: a middle is no whole number

/// 2^63 * 2^(k/8), k = 0 .. 7: where the bins of an octave begin.
constexpr std::array<std::uint64_t, per_octave> begins{
    0x8000'0000'0000'0000, 0x8b95'c1e3'ea8b'd6e6, 0x9837'f051'8db8'a96f, 0xa5fe'd6a9'b151'38ea,
    0xb504'f333'f9de'6484, 0xc567'2a11'5506'dadd, 0xd744'fcca'd69d'6af4, 0xeac0'c6e7'dd24'392e};
/// 2^63 * 2^((2k+1)/16): their geometric middles.
constexpr std::array<std::uint64_t, per_octave> middles{
    0x85aa'c367'cc48'7b14, 0x91c3'd373'ab11'c336, 0x9ef5'3260'91a1'11ad, 0xad58'3eea'42a1'4ac6,
    0xbd08'a39f'580c'36be, 0xce24'8c15'1f84'80e3, 0xe0cc'deec'2a94'e111, 0xf525'7d15'2486'cc2c};

std::size_t bin_of(load_ns ns) noexcept {
  if (ns < one_to_one) return static_cast<std::size_t>(ns);
  auto const octave = static_cast<std::size_t>(std::bit_width(ns)) - 1;
  std::uint64_t const scaled = ns << (63 - octave);
  std::size_t part = per_octave - 1;
  while (scaled < begins[part]) --part;
  return one_to_one + (octave - first_octave) * per_octave + part;
}

load_ns middle_of(std::size_t bin) noexcept {
  if (bin < one_to_one) return bin;
  std::size_t const octave = first_octave + (bin - one_to_one) / per_octave;
  return middles[(bin - one_to_one) % per_octave] >> (63 - octave);
}

bool shorter(measured_task const& a, measured_task const& b) noexcept {
  return a.load != b.load ? a.load < b.load : a.task < b.task;
}

}  // namespace

load_ns load_database::rounded(load_ns ns) noexcept { return middle_of(bin_of(ns)); }

void load_database::add(std::uint32_t task, load_ns ns) {
  ns = std::min(ns, std::numeric_limits<load_ns>::max() - total_);
  total_ += ns;
  ++tasks_;
  if (exact_) {
    tail_.push_back({task, ns});
    sorted_ = false;
    return;
  }
  std::size_t const bin = bin_of(ns);
  if (bin >= bins_.size()) bins_.resize(bin + 1, 0);
  links_.push_back({task, bins_[bin]});
  bins_[bin] = static_cast<std::uint32_t>(links_.size());
  lowest_ = std::min(lowest_, bin);
}

std::optional<measured_task> load_database::remove_shortest() {
  if (tasks_ == 0) return {};
  auto const shortest = exact_ ? remove_exact() : remove_from_bins();
  --tasks_;
  total_ = tasks_ == 0 ? 0 : total_ - std::min(total_, shortest->load);
  return shortest;
}

std::optional<measured_task> load_database::remove_from_bins() {
  while (bins_[lowest_] == 0) ++lowest_;
  link const first = links_[bins_[lowest_] - 1];
  bins_[lowest_] = first.next;
  return measured_task{first.task, middle_of(lowest_)};
}

std::optional<measured_task> load_database::remove_exact() {
  if (!sorted_) std::ranges::sort(tail_, [](measured_task const& a, measured_task const& b) { return shorter(b, a); });
  sorted_ = true;
  measured_task const last = tail_.back();
  tail_.pop_back();
  return last;
}

std::vector<measured_task> load_database::shortest_first() const {
  std::vector<measured_task> all = tail_;
  all.reserve(tasks_);
  for (std::size_t bin = lowest_; bin < bins_.size(); ++bin) {
    for (std::uint32_t at = bins_[bin]; at != 0; at = links_[at - 1].next) {
      all.push_back({links_[at - 1].task, middle_of(bin)});
    }
  }
  std::ranges::sort(all, shorter);
  return all;
}

void load_database::clear() noexcept {
  std::ranges::fill(bins_, 0U);
  links_.clear();
  tail_.clear();
  total_ = 0;
  tasks_ = 0;
  sorted_ = true;
}

std::size_t load_database::bytes() const noexcept {
  return bins_.capacity() * sizeof(bins_[0]) + links_.capacity() * sizeof(link) +
         tail_.capacity() * sizeof(measured_task);
}

}}}}  // namespace skua::v0::policies::balance
