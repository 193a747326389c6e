// SPDX-License-Identifier: MIT
// A work-sharing construct that a team is in: which iterations, or sections, are taken. [OpenMP 5.0, 2.8 and 2.9.2]
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "skua/openmp/event.hpp"
#include "skua/openmp/settings.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace openmp {

struct task;

/// A loop, counted: iteration i of `count` is start + i * step.
struct counted_loop {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t step = 1;  ///< negative ones modulo 2^64
  std::uint64_t count = 0;
};

/// Iterations [first, last) of a counted_loop.
struct piece {
  std::uint64_t first;
  std::uint64_t last;
};

/// States of a share: free for construct n, being begun for n, open for n. Its word holds n and the state.
class work_share {
 public:
  work_share() = default;

  // For team::enter_share.
  /// No member runs.
  void reset(std::uint32_t for_construct) noexcept {
    left_.store(0, std::memory_order_relaxed);  // relaxed, both: what makes members begin orders them
    word_.store(for_construct * 4ull, std::memory_order_relaxed);
  }
  /// 0: it is open for the construct; 1: the caller begins it; 2: not yet, wait.
  [[nodiscard]] int enter(std::uint32_t construct) noexcept;
  [[nodiscard]] bool is_usable(std::uint32_t construct) const noexcept {
    std::uint64_t const w = word_.load(std::memory_order_acquire);  // acquire: pairs with open
    return w == construct * 4ull || w == construct * 4ull + opened;
  }
  void open(std::uint32_t construct) noexcept {
    word_.store(construct * 4ull + opened, std::memory_order_release);  // release: the loop. Pairs with: enter
  }
  /// True if the caller is the last of `members` to leave: it then calls `reset_for` the construct that uses this share next.
  [[nodiscard]] bool leave(std::uint32_t members) noexcept {
    // acq_rel: what all members did, for the member that begins the next construct here
    return left_.fetch_add(1, std::memory_order_acq_rel) + 1 == members;
  }
  void reset_for(std::uint32_t construct) noexcept {
    left_.store(0, std::memory_order_relaxed);                 // relaxed: the word orders
    word_.store(construct * 4ull, std::memory_order_release);  // release: pairs with enter
  }

  // The loop. The member that begins the construct calls one of these, before `open`.
  void begin_loop(counted_loop const& l, loop_schedule const& how, std::uint32_t members, bool is_ordered);
  void begin_sections(std::uint32_t count) noexcept;
  /// Posts and waits of doacross: one word per outer iteration.
  void begin_doacross(std::uint32_t loops, std::uint64_t const* counts);

  /// The next iterations for this member; false: none are left.
  [[nodiscard]] bool take(task& me, piece& out) noexcept;
  /// The next section, from 1 on; 0: none is left.
  [[nodiscard]] std::uint32_t take_section() noexcept;
  [[nodiscard]] counted_loop const& loop() const noexcept { return loop_; }
  [[nodiscard]] bool is_ordered() const noexcept { return is_ordered_; }

  // ordered: pieces in their order.
  void await_turn(task& me);
  void end_turn(task& me) noexcept;

  // doacross
  void post(std::uint64_t const* at) noexcept;
  void await_post(std::uint64_t const* at);
  [[nodiscard]] std::uint32_t loops() const noexcept { return loops_; }

  void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }  // relaxed: advice
  [[nodiscard]] bool is_cancelled() const noexcept {
    return is_cancelled_.load(std::memory_order_relaxed);
  }  // as above

  /// Of the member that began the construct.
  std::uintptr_t*& reductions() noexcept { return reductions_; }
  void** shared_memory() noexcept { return &memory_; }
  ~work_share();
  work_share(work_share const&) = delete;
  work_share& operator=(work_share const&) = delete;

 private:
  static constexpr std::uint64_t beginning = 1;
  static constexpr std::uint64_t opened = 2;
  static constexpr std::uint64_t most_split = std::uint64_t{1} << 31;

  /// The chunks of one member in a loop that is split: [next, end) in one word, from the front for itself, from the back for others.
  struct alignas(runtime::cache_line_bytes) share_of_member {
    std::atomic<std::uint64_t> range{0};
  };

  [[nodiscard]] bool take_fixed(task& me, piece& out) const noexcept;
  [[nodiscard]] bool take_counted(task& me, piece& out) noexcept;
  [[nodiscard]] bool take_guided(task& me, piece& out) noexcept;
  [[nodiscard]] bool take_split(task& me, piece& out) noexcept;
  [[nodiscard]] bool chunk_of(std::uint64_t chunk, piece& out) const noexcept;
  [[nodiscard]] std::uint64_t flattened(std::uint64_t const* at) const noexcept;

  std::atomic<std::uint64_t> word_{0};
  std::atomic<std::uint32_t> left_{0};
  counted_loop loop_{};
  loop_schedule how_{};
  std::uint64_t chunks_ = 0;
  std::uint32_t members_ = 0;
  bool is_ordered_ = false;
  bool is_split_ = false;
  std::atomic<bool> is_cancelled_{false};
  std::uintptr_t* reductions_ = nullptr;
  void* memory_ = nullptr;  ///< of the construct, shared by the members
  std::uint32_t room_ = 0;
  std::unique_ptr<share_of_member[]> split_;
  std::uint32_t loops_ = 0;  ///< of a doacross nest
  std::unique_ptr<std::uint64_t[]> counts_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> posts_;

  alignas(runtime::cache_line_bytes) std::atomic<std::uint64_t> next_{0};  ///< iteration, chunk or section
  alignas(runtime::cache_line_bytes) std::atomic<std::uint64_t> turn_{0};  ///< the piece whose turn it is
  eventcount waits_;
};

}}}  // namespace skua::v0::openmp
