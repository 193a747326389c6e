// SPDX-License-Identifier: MIT
#include "skua/openmp/dependences.hpp"

#include <cstddef>
#include <mutex>
#include <utility>

namespace skua { inline namespace v0 { namespace openmp {

namespace {

/// Kinds of depend objects, as GCC numbers them: 1 is in, the others write.
constexpr std::uintptr_t kind_in = 1;

}  // namespace

depend_list::depend_list(void** from) {
  auto const number = [from](std::size_t i) { return reinterpret_cast<std::uintptr_t>(from[i]); };
  if (number(0) != 0) {
    for (std::size_t i = 0; i < number(0); ++i) entries.push_back({from[2 + i], i < number(1)});
    return;
  }
  std::size_t const all = number(1);
  std::size_t const written = number(2) + number(3);
  std::size_t const direct = written + number(4);
  for (std::size_t i = 0; i < direct; ++i) entries.push_back({from[5 + i], i < written});
  for (std::size_t i = direct; i < all; ++i) {  // the address of an object: {address, kind}
    auto* const object = static_cast<void**>(from[5 + i]);
    entries.push_back({object[0], reinterpret_cast<std::uintptr_t>(object[1]) != kind_in});
  }
}

void dependence_node::complete() noexcept {
  std::vector<dependence_node*> all;
  {
    std::lock_guard const hold(changing_);
    is_complete_ = true;
    all.swap(successors_);
  }
  for (dependence_node* const s : all) {
    s->arrive();
    s->let_go();
  }
}

void dependences::follow(dependence_node& n, dependence_node& predecessor) {
  if (&n == &predecessor) return;
  std::lock_guard const hold(predecessor.changing_);
  if (predecessor.is_complete_) return;
  predecessor.successors_.push_back(&n);
  n.missing_.fetch_add(1, std::memory_order_relaxed);  // relaxed: under the lock, and `arrive` follows
  n.keep();
}

void dependences::follow_all(dependence_node& n, depend_list const& on) {
  for (auto const& e : on.entries) {
    auto const found = table_.find(e.address);
    if (found == table_.end()) continue;
    uses const& u = found->second;
    if (u.writer != nullptr && (!e.writes || u.readers.empty())) follow(n, *u.writer);
    if (!e.writes) continue;
    for (dependence_node* const r : u.readers) follow(n, *r);
  }
}

void dependences::add(dependence_node& n, depend_list const& on) {
  follow_all(n, on);
  for (auto const& e : on.entries) {
    uses& u = table_[e.address];
    n.keep();
    if (!e.writes) {
      u.readers.push_back(&n);
      continue;
    }
    if (u.writer != nullptr) u.writer->let_go();
    for (dependence_node* const r : u.readers) r->let_go();
    u.readers.clear();
    u.writer = &n;
  }
}

void dependences::wait_only(dependence_node& n, depend_list const& on) { follow_all(n, on); }

void dependences::forget_all() noexcept {
  for (auto& [address, u] : table_) {
    if (u.writer != nullptr) u.writer->let_go();
    for (dependence_node* const r : u.readers) r->let_go();
  }
  table_.clear();
}

}}}  // namespace skua::v0::openmp
