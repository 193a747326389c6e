// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/local_table.hpp"

#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

local_table::table::table(unsigned bits) : slots(std::size_t{1} << bits), shift(64 - bits) {}

void local_table::table::add(std::uint64_t thread, local_node* object) noexcept {
  std::size_t i = start(thread);
  while (slots[i].thread.load(std::memory_order_relaxed) != 0) i = (i + 1) & (slots.size() - 1);  // relaxed: locked
  slots[i].object = object;
  slots[i].thread.store(thread, std::memory_order_release);  // release: the object. Pairs with: find, load
}

local_node& local_table::insert(std::uint64_t thread, local_node& made) {
  std::lock_guard const hold(changing_);
  if (local_node* const mine = find(thread)) return *mine;
  if (tables_.empty() || 2 * (size_ + 1) > tables_.back()->slots.size()) grow();
  tables_.back()->add(thread, &made);
  (first_ == nullptr ? first_ : last_->next) = &made;
  last_ = &made;
  ++size_;
  return made;
}

void local_table::grow() {
  unsigned const bits = tables_.empty() ? 4 : 65 - tables_.back()->shift;
  auto larger = std::make_unique<table>(bits);
  if (!tables_.empty()) {
    for (slot const& s : tables_.back()->slots) {
      std::uint64_t const owner = s.thread.load(std::memory_order_relaxed);  // relaxed: locked
      if (owner != 0) larger->add(owner, s.object);
    }
  }
  tables_.push_back(std::move(larger));
  newest_.store(tables_.back().get(), std::memory_order_release);  // release: the slots. Pairs with: find, load
}

void local_table::clear() noexcept {
  newest_.store(nullptr, std::memory_order_relaxed);  // relaxed: no other thread uses the table
  tables_.clear();
  first_ = nullptr;
  last_ = nullptr;
  size_ = 0;
}

}}}  // namespace skua::v0::runtime
