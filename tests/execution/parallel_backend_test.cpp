// SPDX-License-Identifier: MIT
// The default pool behind a parallel_scheduler: the room that the library gives, stops, loops, and children of fork().
#include "skua/execution/parallel_backend.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "skua/skua.hpp"
#include "tests/execution/small_senders.hpp"

namespace skua { inline namespace v0 { namespace {

using testing::ending;
using testing::outcome;
using testing::small_library;
using backend = runtime::senders::parallel_backend<small_library>;

/// What stdexec gives with a call.
constexpr std::size_t room_to_schedule = 72;
constexpr std::size_t room_for_a_loop = 152;

struct proxy final : small_library::bulk_item_receiver_proxy {
  outcome to;
  std::atomic<bool> stopped{false};
  std::function<void(std::size_t, std::size_t)> piece = [](std::size_t, std::size_t) {};

  void set_value() noexcept override { to.complete(ending::value); }
  void set_error(std::exception_ptr e) noexcept override {
    to.error = std::move(e);
    to.complete(ending::error);
  }
  void set_stopped() noexcept override { to.complete(ending::stopped); }
  [[nodiscard]] bool is_stopped() const noexcept override { return stopped; }
  void execute(std::size_t begin, std::size_t end) noexcept override { piece(begin, end); }
};

TEST(parallel_backend, tasks_fit_into_the_room_that_stdexec_gives) {
  EXPECT_LE(sizeof(runtime::senders::schedule_task<small_library>), room_to_schedule);
  EXPECT_LE(sizeof(runtime::senders::bulk_task<small_library, true>), room_for_a_loop);
  EXPECT_LE(alignof(runtime::senders::bulk_task<small_library, true>), 8U);
}

TEST(parallel_backend, any_room_will_do) {
  backend on;
  alignas(8) std::array<std::byte, 256> room;
  for (std::size_t const first : {0U, 1U, 7U}) {
    for (std::size_t const bytes : {0U, 8U, 71U, 72U, 80U, 152U}) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes from " << first);
      proxy to;
      on.schedule(to, std::span(room).subspan(first, bytes));
      EXPECT_EQ(to.to.wait(), ending::value);
      EXPECT_TRUE(to.to.worker.has_value());
      proxy looping;
      std::atomic<std::size_t> sum{0};
      looping.piece = [&](std::size_t i, std::size_t end) { sum += end - i; };
      on.schedule_bulk_chunked(100, looping, std::span(room).subspan(first, bytes));
      EXPECT_EQ(looping.to.wait(), ending::value);
      EXPECT_EQ(sum, 100U);
      default_pool().drain();
    }
  }
  proxy without;
  on.schedule(without, {});
  EXPECT_EQ(without.to.wait(), ending::value);
  default_pool().drain();
}

TEST(parallel_backend, loops_call_each_element_once) {
  backend on;
  alignas(8) std::array<std::byte, room_for_a_loop> room;
  for (std::size_t const n : {0U, 1U, 2U, 1000U}) {
    std::vector<std::atomic<int>> calls(n);
    proxy pieces;
    pieces.piece = [&](std::size_t i, std::size_t end) {
      EXPECT_LT(i, end);
      for (; i != end; ++i) ++calls[i];
    };
    on.schedule_bulk_chunked(n, pieces, room);
    EXPECT_EQ(pieces.to.wait(), ending::value);
    default_pool().drain();
    proxy elements;
    elements.piece = [&](std::size_t i, std::size_t end) {
      EXPECT_EQ(i + 1, end);
      ++calls[i];
    };
    on.schedule_bulk_unchunked(n, elements, room);
    EXPECT_EQ(elements.to.wait(), ending::value);
    default_pool().drain();
    for (auto const& c : calls) EXPECT_EQ(c, 2);
  }
}

TEST(parallel_backend, a_stop_is_heard_before_each_piece) {
  backend on;
  alignas(8) std::array<std::byte, room_for_a_loop> room;
  proxy before;
  before.stopped = true;
  on.schedule(before, room);
  EXPECT_EQ(before.to.wait(), ending::stopped);
  proxy inside;
  std::atomic<std::size_t> ran{0};
  inside.piece = [&](std::size_t, std::size_t) {
    if (++ran == 10) inside.stopped = true;
  };
  on.schedule_bulk_unchunked(100'000, inside, room);
  EXPECT_EQ(inside.to.wait(), ending::stopped);
  EXPECT_LE(ran, 10U + default_pool().num_workers());
  default_pool().drain();
}

TEST(parallel_backend, a_child_of_fork_has_a_pool_of_its_own) {
  backend on;
  default_pool().drain();
  pid_t const child = ::fork();
  if (child == 0) {
    alignas(8) std::array<std::byte, room_for_a_loop> room;
    proxy to;
    std::atomic<std::size_t> sum{0};
    to.piece = [&](std::size_t i, std::size_t end) { sum += end - i; };
    on.schedule_bulk_chunked(100, to, room);
    ::_exit(to.to.wait() == ending::value && sum == 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}}}  // namespace skua::v0
