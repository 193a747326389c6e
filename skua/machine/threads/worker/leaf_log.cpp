// SPDX-License-Identifier: MIT
#include "skua/machine/threads/worker/leaf_log.hpp"

#include <new>
#include <utility>

#include "skua/parts/context/sanitizer.hpp"

namespace skua::inline v0::runtime {

void leaf_log::note(footprint const& what) noexcept {
  tsan::unseen const of_the_worker;
  try {
    rows_->ran.push_back(what);
  } catch (std::bad_alloc const&) {
    ++rows_->lost;
  }
}

bool leaf_log::start(std::pmr::memory_resource* memory) noexcept {
  if (recording_.load(std::memory_order_relaxed)) return false;  // relaxed: no run is in progress
  rows_.emplace(leaf_rows{.ran = std::pmr::vector<footprint>(memory), .lost = 0});
  recording_.store(true, std::memory_order_relaxed);  // relaxed: as above
  return true;
}

void leaf_log::stop() noexcept {
  recording_.store(false, std::memory_order_relaxed);  // relaxed: no run is in progress
  rows_.reset();
}

void leaf_log::take(leaf_rows& rows) noexcept {
  tsan::unseen const of_the_worker;
  rows.ran.clear();
  rows.lost = 0;
  std::swap(rows, *rows_);
}

}  // namespace skua::inline v0::runtime
