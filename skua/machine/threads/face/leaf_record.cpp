// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/leaf_record.hpp"

#include <cstdint>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

leaf_record::leaf_record(pool& recorded, std::pmr::memory_resource* memory) : pool_(recorded) {
  taken_.reserve(recorded.num_workers());
  for (std::uint32_t w = 0; w < recorded.num_workers(); ++w)
    taken_.push_back({.ran = std::pmr::vector<footprint>(memory), .lost = 0});
  for (std::uint32_t w = 0; w < recorded.num_workers(); ++w) {
    // All logs of a pool start together, so the first one speaks for all.
    if (!core_of(recorded).worker_at(worker_id{w}).leaves().start(memory))
      throw usage_error("leaf_record: the pool is being recorded already; one record at a time");
  }
}

leaf_record::~leaf_record() {
  for (std::uint32_t w = 0; w < pool_.num_workers(); ++w) core_of(pool_).worker_at(worker_id{w}).leaves().stop();
}

std::span<leaf_rows const> leaf_record::take() noexcept {
  for (std::uint32_t w = 0; w < pool_.num_workers(); ++w)
    core_of(pool_).worker_at(worker_id{w}).leaves().take(taken_[w]);
  return taken_;
}

}}}  // namespace skua::v0::runtime
