// SPDX-License-Identifier: MIT
// When each worker moves next, and which worker is first. Most moves take no time: a worker that begins a task, offers one and calls
// it moves three times at one tick, among the few others of that tick. So the next moves are sorted in a short array, and
// all later ones are in a tournament; that array also tells whose state will be needed soon.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/tournament.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class calendar {
 public:
  static constexpr tick never = std::numeric_limits<tick>::max();
  static constexpr std::uint32_t known = 16;  ///< of so many moves, if there are as many, the order is known

  /// The earlier entry wins; at the same tick the lower die wins. The last bits of the die, as many as number the workers, do
  /// not count: of equal dice the lower worker's wins.
  struct entry {
    tick time = never;
    std::uint64_t die = 0;
  };

  /// No worker has a move yet.
  explicit calendar(std::uint32_t workers) : number_(std::bit_ceil(workers) - 1), later_(workers) {}

  /// Sets the next move of `w`; `never`: it sleeps. Cheap for the first worker, and for a move that is soon; otherwise
  /// log2(workers) comparisons.
  void set(worker_id w, entry const& e) noexcept {
    remove(w);
    if (e.time != never) insert(key{e.time} << 64 | (e.die & ~number_) | index(w));
    if (size_ < few) refill();
  }

  /// The worker that moves next, and when (`never`: no worker moves).
  [[nodiscard]] worker_id first() const noexcept { return worker_of(size_ > 0 ? soon_[size_ - 1] : 0); }
  [[nodiscard]] tick time() const noexcept { return size_ > 0 ? static_cast<tick>(soon_[size_ - 1] >> 64) : never; }

  /// The worker that moves after `moves` others, if that is known; otherwise the last one that is known. Not if none moves.
  [[nodiscard]] worker_id after(std::uint32_t moves) const noexcept {
    return worker_of(soon_[size_ > moves ? size_ - 1 - moves : 0]);
  }

 private:
  using key = tournament::key;  ///< the time, the die, the worker: most significant first

  [[nodiscard]] worker_id worker_of(key k) const noexcept {
    return worker_id{static_cast<std::uint32_t>(static_cast<std::uint64_t>(k) & number_)};
  }

  void remove(worker_id w) noexcept {
    if (size_ > 0 && worker_of(soon_[size_ - 1]) == w) [[likely]] {
      --size_;
    } else if (later_.of(w) != tournament::none) {
      later_.set(w, tournament::none);
    } else {
      auto const end = soon_.begin() + size_;
      size_ = static_cast<std::uint32_t>(std::remove_if(soon_.begin(), end, [&](key k) { return worker_of(k) == w; }) -
                                         soon_.begin());
    }
  }

  void insert(key its) noexcept {
    if (size_ == soon_.size()) [[unlikely]]
      evict();
    if (its > later_.least()) return later_.set(worker_of(its), its);
    std::uint32_t at = size_++;
    for (; at > 0 && soon_[at - 1] < its; --at) soon_[at] = soon_[at - 1];
    soon_[at] = its;
  }

  /// The last moves of `soon_` become later ones.
  [[gnu::noinline]] void evict() noexcept {
    for (std::uint32_t i = 0; i < few; ++i) later_.set(worker_of(soon_[i]), soon_[i]);
    std::copy(soon_.begin() + few, soon_.end(), soon_.begin());
    size_ -= few;
  }

  [[gnu::noinline]] void refill() noexcept {
    std::array<key, few> next;
    std::uint32_t n = 0;
    for (key its = later_.least(); n < few && its != tournament::none; its = later_.least()) {
      next[n++] = its;
      later_.set(worker_of(its), tournament::none);
    }
    std::copy_backward(soon_.begin(), soon_.begin() + size_, soon_.begin() + size_ + n);
    std::reverse_copy(next.begin(), next.begin() + n, soon_.begin());
    size_ += n;
  }

  static constexpr std::uint32_t few = known;

  // Invariants (order): soon_[0 .. size_) descends; (split): each of them is less than every key of later_; (ready): with
  // fewer than `few` of them later_ is empty. A worker has one key at most.
  std::uint64_t number_;  ///< the bits that number a worker
  std::uint32_t size_ = 0;
  std::array<key, 4 * few> soon_ = {};
  tournament later_;
};

}}}  // namespace skua::v0::sim
