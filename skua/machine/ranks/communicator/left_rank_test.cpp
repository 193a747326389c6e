// SPDX-License-Identifier: MIT
// A rank whose process has ended without a word, while the others wait for it without a deadline. tests/leaving has
// processes, which most launchers notice first.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

/// Knows of one rank whether it has ended.
class seen_transport final : public transport {
 public:
  seen_transport(std::unique_ptr<transport> network, rank_number leaver, std::atomic<bool> const& has_ended)
      : network_(std::move(network)), leaver_(leaver), has_ended_(has_ended) {}
  [[nodiscard]] rank_number rank() const noexcept override { return network_->rank(); }
  [[nodiscard]] rank_number ranks() const noexcept override { return network_->ranks(); }
  [[nodiscard]] neighbours node() const noexcept override { return {0, network_->ranks()}; }
  [[nodiscard]] life life_of(rank_number rank) const override {
    return rank == leaver_ && has_ended_ ? life::ended : life::there;
  }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    network_->send(to, head, body);
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    network_->send_in_place(to, head, body, token);
  }
  bool poll(receiver& to) override { return network_->poll(to); }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return network_->now_ns(); }
  [[nodiscard]] std::uint64_t room_for_windows() const override { return network_->room_for_windows(); }
  [[nodiscard]] std::unique_ptr<window> make_window(window_element type, std::uint64_t elements) override {
    return network_->make_window(type, elements);
  }
  void rest(std::uint32_t rounds) override { network_->rest(rounds); }

 private:
  std::unique_ptr<transport> const network_;
  rank_number const leaver_;
  std::atomic<bool> const& has_ended_;
};

/// What each rank but the leaver throws; `waits` is what they do.
void expect_found(std::function<void(communicator&, task_collection<int>&, distributed_matrix<double>&)> const& waits) {
  constexpr rank_number ranks = 3;
  for (rank_number leaver = 0; leaver < ranks; ++leaver) {
    std::atomic<bool> has_ended = false;
    auto const network = std::make_shared<loopback_network>(ranks);
    std::vector<std::string> said(ranks);
    std::vector<std::jthread> threads;
    for (rank_number r = 0; r < ranks; ++r) {
      threads.emplace_back([&, r] {
        communicator world(
            std::make_unique<seen_transport>(loopback_network::owned_end(network, r), leaver, has_ended));
        distributed_matrix<double> matrix(world, 6, 6);
        // A task must not get from the dead rank for ever.
        task_collection<int> all(world, {.name = "all"}, [&](int n) {
          if (n == 2) static_cast<void>(matrix.get({0, 0, 6, 6}));
        });
        if (r == leaver) {
          has_ended = true;
          return;
        }
        try {
          waits(world, all, matrix);
        } catch (rank_lost const& e) {
          said[r] = e.what();
          EXPECT_EQ(e.rank(), leaver);
          EXPECT_THROW(world.barrier(), rank_lost) << "from now on";
          double x = 1;
          EXPECT_THROW(matrix.get({0, 0, 1, 1}, &x, 1), rank_lost);
          EXPECT_THROW(matrix.accumulate({5, 5, 1, 1}, &x, 1), rank_lost);
          EXPECT_THROW(matrix.sync(), rank_lost);
          EXPECT_THROW(distributed_matrix<double>(world, 2, 2), rank_lost);
        }
      });
    }
    threads.clear();
    for (rank_number r = 0; r < ranks; ++r) {
      std::string const right = "rank " + std::to_string(leaver) + " died: its process has ended";
      EXPECT_EQ(said[r], r == leaver ? "" : right);
    }
  }
}

TEST(left_rank, is_found_by_those_that_wait_in_a_barrier) {
  expect_found([](communicator& world, auto&, auto&) { world.barrier(); });
}

TEST(left_rank, is_found_by_those_that_wait_in_process) {
  expect_found([](communicator&, task_collection<int>& all, auto&) {
    all.add(1);
    all.add(2);
    all.process();
  });
}

TEST(left_rank, is_found_by_those_that_wait_for_a_matrix) {
  expect_found([](auto&, auto&, distributed_matrix<double>& matrix) {
    double const x = 1;
    matrix.accumulate({0, 0, 1, 1}, &x, 1);
    matrix.sync();
  });
}

}}}}  // namespace skua::v0::ranks
