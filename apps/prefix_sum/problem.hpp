// SPDX-License-Identifier: MIT
// Prefix sums of arrays, in place. The blocked algorithm sums all blocks in parallel, adds the sums up, and then scans all
// blocks in parallel, each from the sum of those before it: it reads the array twice. With a strategy one worker takes the
// blocks from the front, and all others take them from the back: a block whose predecessor is finished is scanned at once,
// so the algorithm reads an array only once where a worker is alone with it. [strategies-2013 4]
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/tbb_workers.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::prefix_sum {

using element = std::uint32_t;  ///< sums wrap around

/// How tasks are spawned.
enum class choice : std::uint8_t {
  in_order,  ///< with the strategy below; blocks whose predecessor is finished are scanned at once
  none,      ///< without a strategy, always in two passes
};

/// The sum of some blocks.
[[nodiscard]] element sum_of(std::span<element const> blocks) noexcept;
/// Replaces blocks by their prefix sums, which begin from `before`. The sequential algorithm, if they are an array.
void scan(std::span<element> blocks, element before = 0) noexcept;

/// Blocks [first, end).
struct block_range {
  std::size_t first = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const noexcept { return end - first; }
  [[nodiscard]] std::size_t middle() const noexcept { return first + size() / 2; }
};

/// An array in blocks of equal size; the last may be shorter.
struct blocked_array {
  std::span<element> data;
  std::size_t block = 1;

  [[nodiscard]] std::size_t blocks() const noexcept { return (data.size() + block - 1) / block; }
  [[nodiscard]] std::span<element> at(block_range r) const noexcept {
    return data.subspan(r.first * block, std::min(r.end * block, data.size()) - r.first * block);
  }
  /// The prefix sum before a block whose predecessor is finished.
  [[nodiscard]] element before(std::size_t i) const noexcept { return i == 0 ? 0 : data[i * block - 1]; }
};

/// Some blocks of an array: the worker where its run began takes the first blocks of the first array, others the last of
/// the last one; own arrays go before those of others.
struct in_order {
  double position;  ///< of the first block, of those of all arrays
  double all;       ///< the blocks of all arrays
  worker_id home;
  std::uint32_t blocks;

  [[nodiscard]] double key(strategies::requester const& by) const noexcept {
    return by.worker == home ? position : 2 * all - position;
  }
  [[nodiscard]] double transitive_weight() const noexcept { return blocks; }
};
static_assert(strategy<in_order>);

/// A task that will run all of an array: heavy, so that thieves take half of the arrays and not of the blocks.
struct whole_array {
  double blocks;
  [[nodiscard]] double transitive_weight() const noexcept { return blocks; }
};
static_assert(strategy<whole_array>);

/// One run over one array.
/// (in order) The blocks before in_order_ are finished. The task that begins with block in_order_ scans its blocks, and
/// only this task raises in_order_; so no block is scanned twice, and no task reads the end of an unfinished block.
class one_array {
 public:
  /// The array is number `number` of `arrays`.
  one_array(blocked_array const& of, choice how, std::size_t number, std::size_t arrays);

  template <has_finish Here>
  void run(Here& here) {
    home_ = here.worker();
    here.finish([this](auto& f) { first_pass(f, {0, of_.blocks()}); });
    // relaxed: finish has ordered all tasks before us
    std::size_t const finished = in_order_.load(std::memory_order_relaxed);
    if (finished == of_.blocks()) return;
    add_up_sums(finished);
    here.finish([this, finished](auto& f) { second_pass(f, {finished, of_.blocks()}); });
  }

  /// How many blocks were finished by the first pass.
  [[nodiscard]] std::size_t in_one_pass() const noexcept { return in_order_.load(std::memory_order_relaxed); }

 private:
  /// A task has at most this many blocks, and scans them in one call if it can. On an EPYC a scan of 4096 elements
  /// takes a quarter longer per element than a scan of 65536, with or without tasks.
  static constexpr std::size_t blocks_per_task = 16;

  template <class Region>
  void first_pass(Region& f, block_range r) {
    r = divide(f, r, [](one_array& self, auto& inner, block_range part) { self.first_pass(inner, part); });
    if (is_next(r)) {
      f.here().leaf(in_place(r), flops_of(r), [&] { scan(of_.at(r), of_.before(r.first)); });
      in_order_.store(r.end, std::memory_order_release);  // pairs with: is_next
      return;
    }
    f.here().leaf(reads{of_.at(r).data(), of_.at(r).size_bytes()}, flops_of(r), [&] {
      for (std::size_t i = r.end; i > r.first; --i) sums_[i - 1] = sum_of(of_.at({i - 1, i}));
    });
  }
  template <class Region>
  void second_pass(Region& f, block_range r) {
    r = divide(f, r, [](one_array& self, auto& inner, block_range part) { self.second_pass(inner, part); });
    f.here().leaf(in_place(r), flops_of(r), [&] {
      for (std::size_t i = r.first; i < r.end; ++i) scan(of_.at({i, i + 1}), sums_[i]);
    });
  }
  template <class Region>
  [[nodiscard]] bool goes_up(Region& f) const noexcept {
    return how_ == choice::none || f.here().worker() == home_;
  }
  /// Spawns tasks for all blocks but a few, which are returned: the first if this worker goes up, else the last.
  template <class Region, class Pass>
  block_range divide(Region& f, block_range r, Pass pass) {
    bool const upwards = goes_up(f);
    while (r.size() > blocks_per_task) {
      block_range const low{r.first, r.middle()};
      block_range const high{r.middle(), r.end};
      spawn(f, upwards ? high : low, pass);
      r = upwards ? low : high;
    }
    return r;
  }
  template <class Region, class Pass>
  void spawn(Region& f, block_range part, Pass pass) {
    auto const task = [this, part, pass](auto& inner) { pass(*this, inner, part); };
    if (how_ == choice::none) return f.spawn(task);
    f.spawn(in_order{.position = static_cast<double>(offset_ + part.first),
                     .all = static_cast<double>(all_),
                     .home = home_,
                     .blocks = static_cast<std::uint32_t>(part.size())},
            task);
  }
  /// The block before is finished, and so r may be scanned at once.
  [[nodiscard]] bool is_next(block_range r) const noexcept;
  [[nodiscard]] writes in_place(block_range r) const noexcept { return {of_.at(r).data(), of_.at(r).size_bytes()}; }
  [[nodiscard]] flops flops_of(block_range r) const noexcept { return {static_cast<double>(of_.at(r).size())}; }
  /// From block `first` on, replaces each sum by the sum of all blocks before it.
  void add_up_sums(std::size_t first) noexcept;

  blocked_array const of_;
  choice const how_;
  std::size_t const offset_;  ///< blocks of the arrays before
  std::size_t const all_;
  worker_id home_{};
  std::atomic<std::size_t> in_order_{0};
  std::unique_ptr<element[]> sums_;  ///< of the blocks from in_order_ on
};

/// All arrays at once. Returns how many blocks needed one pass only. Work O(n), span O(n / block + block) for each array.
template <has_finish Here>
std::size_t program(Here& here, std::span<blocked_array const> arrays, choice how) {
  std::vector<std::unique_ptr<one_array>> runs;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    runs.push_back(std::make_unique<one_array>(arrays[i], how, i, arrays.size()));
  }
  if (runs.size() == 1) {
    runs.front()->run(here);
  } else {
    here.finish([&](auto& f) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        f.spawn(whole_array{static_cast<double>(arrays[i].blocks())},
                [&, i](auto& inner) { runs[i]->run(inner.here()); });
      }
    });
  }
  std::size_t in_one_pass = 0;
  for (auto const& run : runs) in_one_pass += run->in_one_pass();
  return in_one_pass;
}

/// Element i of the input, a hash.
[[nodiscard]] element input(std::uint64_t seed, std::uint64_t i) noexcept;
/// All arrays are one piece of the input.
void fill(std::span<element> arrays, std::uint64_t seed) noexcept;
/// Empty if each array of n elements is the prefix sum of the input; else one line that says where it differs.
/// Independent of any summation: the differences of neighbours must be the input.
std::string wrong(std::span<element const> arrays, std::size_t n, std::uint64_t seed);

/// In two passes over all arrays at once.
void with_openmp(unsigned workers, std::span<blocked_array const> arrays);
/// With parallel_scan, which needs one pass if no other worker takes part; all arrays at once.
void with_tbb(tbb_workers& workers, unsigned count, std::span<blocked_array const> arrays);

}  // namespace skua::apps::prefix_sum
