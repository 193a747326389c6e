// SPDX-License-Identifier: MIT
// A network on which answers to steals take longer than a rank waits before it asks again: process() ends all the same.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr std::uint64_t delay_ns = 2'000'000;  ///< the longest pause between two requests is 200,000
constexpr int slow_replies = 400;              ///< those that come later are not delayed, so that a fault ends, too

/// Hands steal replies over `delay_ns` after they have come.
class slow_end final : public transport, private receiver {
 public:
  slow_end(std::unique_ptr<transport> network, std::atomic<int>& delayed)
      : network_(std::move(network)), delayed_(delayed) {}

  [[nodiscard]] rank_number rank() const noexcept override { return network_->rank(); }
  [[nodiscard]] rank_number ranks() const noexcept override { return network_->ranks(); }
  [[nodiscard]] neighbours node() const noexcept override { return network_->node(); }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    network_->send(to, head, body);
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    network_->send_in_place(to, head, body, token);
  }
  bool poll(receiver& to) override {
    to_ = &to;
    bool heard = network_->poll(*this);
    while (!held_.empty() && held_.front().due_ns <= now_ns()) {
      held const m = std::move(held_.front());
      held_.pop_front();
      to.on_message({m.head, m.body});
      heard = true;
    }
    return heard;
  }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return network_->now_ns(); }
  void rest(std::uint32_t rounds) override { network_->rest(rounds); }

 private:
  struct held {
    std::uint64_t due_ns;
    message_header head;
    std::vector<std::byte> body;
  };
  void on_message(message const& m) override {
    bool const is_slow = m.head.kind == kind::steal_reply && delayed_.fetch_add(1) < slow_replies;
    if (!is_slow) return to_->on_message(m);
    held_.push_back({now_ns() + delay_ns, m.head, {m.body.begin(), m.body.end()}});
  }
  void on_sent(std::uint64_t token) override { to_->on_sent(token); }

  std::unique_ptr<transport> const network_;
  std::atomic<int>& delayed_;
  receiver* to_ = nullptr;
  std::deque<held> held_;
};

class slow_replies_to : public ::testing::TestWithParam<serving> {};

TEST_P(slow_replies_to, ranks_of_several_workers_do_not_keep_them_from_the_end) {
  for (rank_number const ranks : {2U, 4U}) {  // of four, a rank asks others while it waits
    auto const network = std::make_shared<loopback_network>(ranks);
    std::atomic<int> delayed{0};
    std::atomic<int> ran{0};
    {
      std::vector<std::jthread> threads;
      for (rank_number r = 0; r < ranks; ++r) {
        threads.emplace_back([&, r] {
          communicator world(std::make_unique<slow_end>(loopback_network::owned_end(network, r), delayed));
          pool workers(2);
          rank_pool const them(world, workers, GetParam());
          task_collection<int> all(world, {}, [&](task_site<int>&, int) { ++ran; });
          for (int i = 0; i < 20; ++i) all.add(i);
          for (int round = 0; round < 3; ++round) {
            all.process();
            all.restore();
          }
        });
      }
    }
    EXPECT_EQ(ran, 3 * 20 * static_cast<int>(ranks));
    EXPECT_LT(delayed, slow_replies) << "process() ended only when replies had become fast";
  }
}

INSTANTIATE_TEST_SUITE_P(all, slow_replies_to, ::testing::Values(serving::server_thread, serving::between_tasks),
                         [](auto const& tested) {
                           return tested.param == serving::server_thread ? "a_server_thread" : "between_tasks";
                         });

}}}}  // namespace skua::v0::ranks
