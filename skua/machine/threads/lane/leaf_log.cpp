// SPDX-License-Identifier: MIT
#include "skua/machine/threads/lane/leaf_log.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/trace/track.hpp"

namespace skua { inline namespace v0 { namespace runtime {

void leaf_log::note(footprint const& leaf) noexcept {
  tsan::unseen const of_the_worker;
  if (rows_) {
    try {
      rows_->ran.push_back(leaf);
    } catch (std::bad_alloc const&) {
      ++rows_->lost;
    }
  }
  if (trace_ == nullptr) return;
  auto const read = std::min<std::size_t>(leaf.bytes_read, std::numeric_limits<std::uint32_t>::max());
  trace_->note({.what = trace::kind::leaf,
                .other = static_cast<std::uint32_t>(read),
                .id = reinterpret_cast<std::uintptr_t>(leaf.written),
                .value = leaf.bytes_written});
}

void leaf_log::trace_to(trace::track* to) noexcept {
  trace_ = to;
  recording_.store(true, std::memory_order_relaxed);  // relaxed: the start of the thread publishes it
}

bool leaf_log::start(std::pmr::memory_resource* memory) noexcept {
  if (rows_) return false;
  rows_.emplace(leaf_rows{.ran = std::pmr::vector<footprint>(memory), .lost = 0});
  recording_.store(true, std::memory_order_relaxed);  // relaxed: no run is in progress
  return true;
}

void leaf_log::stop() noexcept {
  recording_.store(trace_ != nullptr, std::memory_order_relaxed);  // relaxed: no run is in progress
  rows_.reset();
}

void leaf_log::take(leaf_rows& rows) noexcept {
  tsan::unseen const of_the_worker;
  rows.ran.clear();
  rows.lost = 0;
  std::swap(rows, *rows_);
}

}}}  // namespace skua::v0::runtime
