// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/transport/loopback_window.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::align_val_t alignment{64};

template <class T>
void add_as(std::byte* to, std::byte const* from, std::uint64_t count) noexcept {
  for (std::uint64_t n = 0; n < count; ++n, to += sizeof(T), from += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, to, sizeof a);
    std::memcpy(&b, from, sizeof b);
    a = static_cast<T>(a + b);
    std::memcpy(to, &a, sizeof a);
  }
}

}  // namespace

void add_elements(window_element type, std::byte* to, std::byte const* from, std::uint64_t count) noexcept {
  switch (type) {
    case window_element::f64: return add_as<double>(to, from, count);
    case window_element::f32: return add_as<float>(to, from, count);
    case window_element::i32: return add_as<std::uint32_t>(to, from, count);
    case window_element::i64: return add_as<std::uint64_t>(to, from, count);
    case window_element::c128: return add_as<double>(to, from, 2 * count);
  }
}

void window_memory::aligned_delete::operator()(std::byte* memory) const noexcept {
  ::operator delete[](memory, alignment);
}

void window_memory::allocate(rank_number rank, std::uint64_t elements) {
  std::uint64_t const bytes = elements * element_bytes();
  parts_[rank].elements.reset(static_cast<std::byte*>(::operator new[](bytes, alignment)));
  std::memset(part(rank), 0, bytes);
}

void window_memory::transfer(transfer_kind what, window_run const& run) {
  std::size_t const size = element_bytes();
  std::byte* const theirs = part(run.rank) + run.at * size;
  if (what == transfer_kind::get) {
    std::memcpy(run.local, theirs, run.count * size);
    return;
  }
  if (what == transfer_kind::put) {
    std::memcpy(theirs, run.local, run.count * size);
    return;
  }
  auto& locks = parts_[run.rank].locks;
  for (std::uint64_t done = 0; done < run.count;) {
    std::uint64_t const at = run.at + done;
    std::uint64_t const n = std::min(run.count - done, stripe - at % stripe);
    std::scoped_lock const held(locks[at / stripe % locks.size()]);
    add_elements(type_, theirs + done * size, run.local + done * size, n);
    done += n;
  }
}

std::uint64_t loopback_window::start(transfer_kind what, std::span<window_run const> runs) {
  if (delays_one_in_ == 0) {
    for (window_run const& r : runs) memory_->transfer(what, r);
    return 0;
  }
  late_.push_back({.number = ++last_, .what = what, .runs = {runs.begin(), runs.end()}, .copy = {}, .is_told = false});
  return last_;
}

void loopback_window::complete(late const& l) {
  for (window_run const& r : l.runs) memory_->transfer(l.what, r);
}

/// A put or accumulate may reach its target long after its memory is free.
bool loopback_window::test(std::uint64_t started) {
  if (started == 0) return true;
  auto const at = std::ranges::find(late_, started, &late::number);
  if (dice_.below(delays_one_in_) != 0) return false;
  if (at->what == transfer_kind::get || dice_.below(2) == 0) {
    complete(*at);
    late_.erase(at);
    return true;
  }
  std::size_t const size = memory_->element_bytes();
  std::size_t bytes = 0;
  for (window_run const& r : at->runs) bytes += r.count * size;
  at->copy.resize(bytes);
  std::byte* to = at->copy.data();
  for (window_run& r : at->runs) {
    std::memcpy(to, r.local, r.count * size);
    r.local = to;
    to += r.count * size;
  }
  at->is_told = true;
  return true;
}

void loopback_window::flush() {
  std::erase_if(late_, [this](late const& l) {
    if (l.is_told) complete(l);
    return l.is_told;
  });
}

}}}  // namespace skua::v0::ranks
