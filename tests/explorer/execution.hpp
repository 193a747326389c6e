// SPDX-License-Identifier: MIT
// What an execution has come to: threads, store buffers, memory, and the number that tells states apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/explorer/cell.hpp"
#include "tests/explorer/clocks.hpp"
#include "tests/explorer/options.hpp"
#include "tests/explorer/weak_memory.hpp"

namespace skua { inline namespace v0 { namespace explorer {

/// Lies in the image.
struct execution {
  struct thread {
    explicit thread(int number) : id(number), now(vector_clock::start_of(number)) { stores.reserve(4); }

    int id;
    bool done = false;
    bool may_rest = false;
    bool (*enabled)(void*) = [](void*) { return true; };
    void* enabled_argument = nullptr;
    std::uint64_t history = 0;
    vector_clock now;
    std::vector<buffered> stores;

    [[nodiscard]] bool can_run() const { return !done && enabled(enabled_argument); }
  };

  explicit execution(int count) {
    threads.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) threads.emplace_back(i);
    weak.begin(threads.size());
  }

  [[nodiscard]] bool is_over() const {
    for (auto const& t : threads) {
      if (!t.done || !t.stores.empty()) return false;
    }
    return true;
  }
  /// Equal for executions that can go on in the same ways.
  [[nodiscard]] std::uint64_t state(options const& with) const {
    std::uint64_t h = memory_hash;
    if (with.model == memory_model::weak) {
      h = mix(h, weak.hash([this](std::size_t t) { return threads[t].done; }));
      h = mix(h, static_cast<std::uint64_t>(stale));
    }
    for (auto const& t : threads) {
      h = mix(h, t.history + (t.done ? 1 : 0));
      if (with.races) h = mix(h, t.now.bits());
      for (auto const& s : t.stores)
        h = mix(h, mix(reinterpret_cast<std::uintptr_t>(s.where), s.value) + (s.release ? 1 : 0) + s.released.bits());
    }
    if (with.preemptions == std::numeric_limits<int>::max()) return h;
    return mix(mix(h, static_cast<std::uint64_t>(preemptions)),
               current == nullptr ? 99U : static_cast<unsigned>(current->id));
  }
  /// The threads that have neither ended nor may rest.
  [[nodiscard]] std::string waiting() const {
    std::string who;
    for (auto const& t : threads) {
      if (!t.done && !t.may_rest) who += (who.empty() ? "T" : ", T") + std::to_string(t.id);
    }
    return who;
  }

  std::vector<thread> threads;
  thread* running = nullptr;  ///< null while the scheduler or the script's constructor runs
  thread* current = nullptr;  ///< ran last
  std::uint32_t steps = 0;
  int preemptions = 0;
  int stale = 0;
  std::size_t asks = 0;  ///< the running thread waits for one of so many answers
  std::size_t answer = 0;
  weak_memory weak;
  std::uint64_t memory_hash = 0;  ///< sum over words that were written; equal memory has equal sums
  std::string violation;
};

}}}  // namespace skua::v0::explorer
