// SPDX-License-Identifier: MIT
// A rank whose clock stands still unless the test moves it, and whose transport counts what is asked of it; and threads for its workers that
// run at moments that the test chooses.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace metered {

/// What the transport of a rank has seen, and what happens when the rank looks at it. Of the server's thread, but for the clock.
struct meter {
  std::atomic<std::uint64_t> now_ns{1'000'000'000};
  std::atomic<std::uint64_t> readings{0};  ///< of the clock
  bool has_real_clock = false;
  std::atomic<bool> has_told_of_a_failure{false};
  std::shared_ptr<meter> of_rank_1;  ///< on rank 0
  std::uint64_t polls = 0;
  std::vector<std::uint32_t> rests;  ///< the rounds of each
  std::map<kind, std::uint64_t> sent;
  std::map<kind, std::uint64_t> heard;
  std::function<void(message_header)> tell_rank_0;  ///< as if it had told itself
  std::function<void(kind)> on_send = [](kind) {};
  std::function<void()> before_poll = [] {};
  std::function<void(bool heard)> after_poll = [](bool) {};
  std::function<void(std::uint32_t rounds)> on_rest = [](std::uint32_t) {};
};

class end final : public transport, private receiver {
 public:
  end(std::shared_ptr<loopback_network> network, rank_number rank, std::shared_ptr<meter> to)
      : network_(loopback_network::owned_end(std::move(network), rank)), meter_(std::move(to)) {}

  [[nodiscard]] rank_number rank() const noexcept override { return network_->rank(); }
  [[nodiscard]] rank_number ranks() const noexcept override { return network_->ranks(); }
  [[nodiscard]] neighbours node() const noexcept override { return network_->node(); }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    ++meter_->sent[head.kind];
    meter_->on_send(head.kind);
    network_->send(to, head, body);
    if (head.kind == kind::cancel) meter_->has_told_of_a_failure = true;
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    ++meter_->sent[head.kind];
    meter_->on_send(head.kind);
    network_->send_in_place(to, head, body, token);
  }
  bool poll(receiver& to) override {
    ++meter_->polls;
    meter_->before_poll();
    to_ = &to;
    bool const heard = network_->poll(*this);
    meter_->after_poll(heard);
    return heard;
  }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override {
    if (meter_->has_real_clock) return network_->now_ns();
    meter_->readings.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
    return meter_->now_ns.load(std::memory_order_relaxed);     // relaxed: a clock
  }
  /// A microsecond passes, and other ranks get the processor.
  void rest(std::uint32_t rounds) override {
    meter_->rests.push_back(rounds);
    meter_->now_ns.fetch_add(1000, std::memory_order_relaxed);  // relaxed: a clock
    meter_->on_rest(rounds);
    network_->rest(rounds);
  }

 private:
  void on_message(message const& m) override {
    ++meter_->heard[m.head.kind];
    to_->on_message(m);
  }
  void on_sent(std::uint64_t token) override { to_->on_sent(token); }

  std::unique_ptr<transport> const network_;
  std::shared_ptr<meter> const meter_;
  receiver* to_ = nullptr;
};

/// Calls program(communicator, meter) on rank 0, and on each further one other(communicator), with a real clock, or other(communicator, meter).
template <class Program, class Other>
void on_ranks(rank_number ranks, Program const& program, Other const& other) {
  auto const network = std::make_shared<loopback_network>(ranks);
  auto const mine = std::make_shared<meter>();
  mine->tell_rank_0 = [network = network.get()](message_header h) { network->end_of(0).send(0, h, {}); };
  std::vector<std::jthread> others;
  for (rank_number r = 1; r < ranks; ++r) {
    auto const theirs = std::make_shared<meter>();
    theirs->has_real_clock = !std::is_invocable_v<Other const&, communicator&, meter&>;
    if (r == 1) mine->of_rank_1 = theirs;
    others.emplace_back([&, r, theirs] {
      communicator world(std::make_unique<end>(network, r, theirs));
      if constexpr (std::is_invocable_v<Other const&, communicator&, meter&>) {
        other(world, *theirs);
      } else {
        other(world);
      }
    });
  }
  communicator world(std::make_unique<end>(network, 0, mine));
  program(world, *mine);
}
template <class Program>
void on_one_rank(Program const& program) {
  on_ranks(1, program, [](communicator&) {});
}

/// Each call runs on a thread of its own, to its end: before `start` returns, as if the caller had been interrupted there, or when the test says so.
class chosen_threads final : public runtime::worker_threads {
 public:
  enum class when : std::uint8_t { at_once, when_told };
  chosen_threads(std::uint32_t count, when w) noexcept : count_(count), when_(w) {}

  [[nodiscard]] std::uint32_t count() const noexcept override { return count_; }
  [[nodiscard]] std::unique_ptr<runtime::one_time_signal> make_signal() override { return nullptr; }
  void start(runtime::worker_call& call) noexcept override {
    ++started;
    if (when_ == when::at_once) return run(call);
    waiting_.push_back(&call);
  }
  /// Those that were started meanwhile run, too.
  void run_all() {
    while (!waiting_.empty()) {
      runtime::worker_call& next = *waiting_.front();
      waiting_.erase(waiting_.begin());
      run(next);
    }
  }
  std::uint64_t started = 0;
  std::function<void(runtime::worker_call&)> run_call = [](runtime::worker_call& c) { c.run(c); };

 private:
  void run(runtime::worker_call& call) {
    std::jthread([&] { run_call(call); }).join();
  }
  std::uint32_t const count_;
  when const when_;
  std::vector<runtime::worker_call*> waiting_;
};

}}}}  // namespace skua::v0::ranks::metered
