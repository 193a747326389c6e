// SPDX-License-Identifier: MIT
#include "tests/counts/caches.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace line_counts {
namespace {

/// A set of threads.
struct threads {
  std::array<std::uint64_t, most_threads / 64> words{};

  [[nodiscard]] bool has(unsigned t) const noexcept { return (words[t / 64] >> (t % 64) & 1) != 0; }
  void add(unsigned t) noexcept { words[t / 64] |= std::uint64_t{1} << (t % 64); }
  [[nodiscard]] bool has_other_than(unsigned t) const noexcept {
    std::uint64_t others = 0;
    for (unsigned w = 0; w < words.size(); ++w) {
      others |= w == t / 64 ? words[w] & ~(std::uint64_t{1} << (t % 64)) : words[w];
    }
    return others != 0;
  }
};

struct line_state {
  std::atomic<std::uint64_t> number{0};  ///< of the line, plus one; 0: unused
  std::atomic<bool> is_held{false};
  // Under is_held:
  std::uint32_t era = 0;  ///< of `writers` and `users`
  threads valid;          ///< who has a copy of what was written last
  threads writers;        ///< who has written
  threads users;          ///< who has read or written
};

constexpr std::size_t capacity = std::size_t{1} << 21;  // a program that touches more ends
std::array<line_state, capacity> all;
std::atomic<std::uint32_t> present_era{1};

line_state& state_of(std::uint64_t line) noexcept {
  std::uint64_t const wanted = line + 1;
  std::size_t at = static_cast<std::size_t>(line * 0x9e3779b97f4a7c15 >> 43);
  for (std::size_t tries = 0; tries < capacity; ++tries, at = (at + 1) % capacity) {
    // relaxed, all: the number never changes once it is set, and is_held orders the rest.
    std::uint64_t seen = all[at].number.load(std::memory_order_relaxed);
    if (seen == wanted) return all[at];
    if (seen == 0 && all[at].number.compare_exchange_strong(seen, wanted, std::memory_order_relaxed)) return all[at];
    if (seen == wanted) return all[at];
  }
  std::fputs("line_counts: the program touches too many lines\n", stderr);
  std::abort();
}

class held_line {
 public:
  explicit held_line(line_state& s) noexcept : state_(s) {
    while (state_.is_held.exchange(true, std::memory_order_acquire)) {}     // acquire: pairs with the destructor
    std::uint32_t const now = present_era.load(std::memory_order_relaxed);  // relaxed: set while nothing is counted
    if (state_.era == now) return;
    state_.era = now;
    state_.writers = {};
    state_.users = {};
  }
  ~held_line() { state_.is_held.store(false, std::memory_order_release); }  // release: pairs with the constructor
  held_line(held_line const&) = delete;
  held_line& operator=(held_line const&) = delete;

 private:
  line_state& state_;
};

std::uint64_t line_of(void const volatile* address) noexcept { return reinterpret_cast<std::uintptr_t>(address) / 64; }

}  // namespace

touch reads(void const volatile* address, unsigned thread) noexcept {
  std::uint64_t const line = line_of(address);
  line_state& s = state_of(line);
  held_line const hold(s);
  bool const is_shared = s.writers.has_other_than(thread);
  bool const misses = is_shared && !s.valid.has(thread);
  s.valid.add(thread);
  s.users.add(thread);
  return {line, is_shared, misses};
}

touch writes(void const volatile* address, unsigned thread) noexcept {
  std::uint64_t const line = line_of(address);
  line_state& s = state_of(line);
  held_line const hold(s);
  bool const is_shared = s.users.has_other_than(thread);
  bool const misses = is_shared && (!s.valid.has(thread) || s.valid.has_other_than(thread));
  s.valid = {};
  s.valid.add(thread);
  s.users.add(thread);
  s.writers.add(thread);
  return {line, is_shared, misses};
}

void forget_past() noexcept { present_era.fetch_add(1, std::memory_order_relaxed); }  // relaxed: see held_line

}  // namespace line_counts
