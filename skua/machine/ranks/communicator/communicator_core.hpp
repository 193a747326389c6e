// SPDX-License-Identifier: MIT
// What a communicator and its collections share: the transport, the routing of what arrives, and the ranks that are
// live.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skua/machine/ranks/collection/claimed_name.hpp"
#include "skua/machine/ranks/communicator/call_order.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/machine/ranks/communicator/progress_thread.hpp"
#include "skua/machine/ranks/matrix/transfers.hpp"
#include "skua/machine/ranks/matrix/window_table.hpp"
#include "skua/machine/ranks/protocol/liveness.hpp"
#include "skua/machine/ranks/protocol/loss_agreement.hpp"
#include "skua/machine/ranks/protocol/post_office.hpp"
#include "skua/machine/ranks/trace/rank_trace.hpp"
#include "skua/machine/ranks/trace/traced_transport.hpp"
#include "skua/machine/ranks/transport/transport.hpp"
#include "skua/program/collection/host.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class communicator_core final : private receiver {
 public:
  explicit communicator_core(std::unique_ptr<transport> network)
      : trace_(rank_trace::wanted(network->rank(), network->ranks())),
        network_(trace_ == nullptr ? std::move(network)
                                   : std::make_unique<traced_transport>(std::move(network), *trace_->track(0))),
        live_(network_->ranks()), heard_(network_->ranks()), order_(*network_, live_),
        all_(*network_, live_, order_,
             {.poll = [this] { return poll(); },
              .look_beside = [this] { look_beside(network_->now_ns()); },
              .begun = [this] { expect_no_loss(); }}),
        office_(*this),
        transfers_(std::make_shared<transfers>([this](std::uint32_t rounds) { wait_for_window(rounds); })) {}
  /// Collective if no rank has died.
  ~communicator_core();

  [[nodiscard]] transport& network() noexcept { return *network_; }
  /// The trace of this rank; null: none.
  [[nodiscard]] rank_trace* trace() noexcept { return trace_.get(); }
  /// Sets the clocks of all traces to that of rank 0. Collective, and two messages per rank if no rank writes a trace.
  void set_clocks_of_traces();
  [[nodiscard]] collectives& all() noexcept { return all_; }
  [[nodiscard]] call_order& order() noexcept { return order_; }
  [[nodiscard]] post_office& office() noexcept { return office_; }

  /// Takes arrived messages. Returns false if there were none. Throws rank_lost, from then on always, if a rank died
  /// and the loss cannot be recovered, and usage_error if another rank is in a different collective call.
  bool poll() {
    held_in_task const held(lock_of_tasks());
    expect_no_trouble();
    bool const came = poll_held();
    expect_no_loss();
    return came;
  }
  /// The same for a task of process() on this thread, without a loss after which the ranks go on: a task's exception would be the task's.
  bool poll_in_task() {
    held_in_task const held(lock_of_tasks());
    expect_no_trouble();
    engine_in_task const busy(processing_);
    bool const came = poll_held();
    if (processing_ != nullptr) processing_->feed();  // the task may have added some
    return came;
  }
  /// Throws rank_lost in the step in which every live rank does.
  void expect_no_loss() {
    if (!losses_.empty()) [[unlikely]]
      throw_loss_of_this_step(network_->now_ns());
  }
  /// Throws rank_lost, in the step that this call begins, if every live rank throws it there: some may not know yet who has died.
  void expect_no_loss_in_next_step(collective_call const& call);
  /// For who holds the progress lock.
  bool poll_held() {
    bool const came = network_->poll(office_);
    compare_calls();
    if (watch_ || broken_) look();
    transfers_->serve();
    return came;
  }
  /// Throws what polling in the progress thread has thrown.
  void expect_no_trouble() {
    if (progress_ != nullptr) progress_->expect_no_trouble();
  }
  /// For a rank that waits in a collective call, at any time: without a deadline each rank watches the process of the
  /// next rank of its node, so that a rank that left without a word ends the job. Throws rank_lost.
  void look_beside(std::uint64_t now_ns);
  /// Returns when every live rank has called it. The last collective call of a session. Throws as poll does.
  void wait_for_the_end();

  /// From now on poll notices dead ranks. The same on every rank. Of several deadlines the shortest counts.
  void watch(double deadline_s);
  [[nodiscard]] bool is_watched() const noexcept { return watch_.has_value(); }
  [[nodiscard]] live_ranks const& live() const noexcept { return live_; }

  /// This rank enters process() of a collection, which may be able to recover from a loss. `look`: what the rank does between two tasks; the
  /// progress thread does it in long ones. Null: this thread runs no tasks.
  void enter(std::uint32_t collection, process_engine& engine, std::function<bool()> look = {});
  void leave(std::uint32_t collection);
  /// This thread runs no more tasks of a process(), which has returned or has thrown.
  void end_tasks() noexcept {
    if (progress_ != nullptr) progress_->end();
  }
  /// A loss has been recovered: these ranks are live.
  void mended(live_ranks const& live);
  /// On the leader: the loss cannot be recovered in this process(). Every rank throws rank_lost in it, after which they may be able to go on.
  void cannot_mend(std::string const& why);
  /// This rank throws rank_lost from now on, as every other one that finds the same.
  [[noreturn]] void end_by_loss(rank_number dead, std::string const& why);
  /// A collection can go on after losses between two process() (recovery.md). The same on every rank.
  void go_on_after_losses() noexcept {
    goes_on_ = true;
    all_.keep_results();
  }
  [[nodiscard]] bool goes_on_after_losses() const noexcept { return goes_on_; }

  /// The threads of collections that are made from now on; null: the last ones have ended, and those before them serve again.
  void work_with(runtime::worker_threads* threads, serving how) {
    if (threads != nullptr) {
      pools_.push_back({threads, how, ++last_pool_});
    } else if (!pools_.empty()) {
      pools_.pop_back();
    }
  }
  [[nodiscard]] runtime::worker_threads* threads() const noexcept {
    return pools_.empty() ? nullptr : pools_.back().threads;
  }
  [[nodiscard]] serving serves() const noexcept {
    return pools_.empty() ? serving::between_tasks : pools_.back().serves;
  }
  /// Names the threads; 0: there are none.
  [[nodiscard]] std::uint64_t pool_number() const noexcept { return pools_.empty() ? 0 : pools_.back().number; }
  /// False: these threads have ended.
  [[nodiscard]] bool has_pool(std::uint64_t number) const noexcept {
    return number == 0 || std::ranges::find(pools_, number, &pool_of_threads::number) != pools_.end();
  }

  /// Throws usage_error on every rank unless all ranks gave the same text: "WHAT differs: rank 0 has THIS, rank 3 has
  /// THAT". Collective.
  void agree(collective_call const& call, std::string const& what, std::string const& mine);

  /// Calls f on one rank. If it throws, every rank throws a usage_error or resource_error with the same text. Collective.
  template <class F>
  void on_rank(rank_number one, collective_call const& call, F f) {
    std::string fault;
    if (network_->rank() == one) fault = fault_of(f);
    throw_everywhere(one, call, std::move(fault));
  }

  /// The lock that tasks of the rank's thread lend to the progress thread; null: there is none.
  [[nodiscard]] progress_lock<>* lock_of_tasks() noexcept { return progress_ == nullptr ? nullptr : &lock_; }
  /// The same; null in other threads.
  [[nodiscard]] progress_lock<>* lock_of_this_thread() noexcept {
    return progress_ != nullptr && transfers_->is_server() ? &lock_ : nullptr;
  }

  [[nodiscard]] std::shared_ptr<window_table> const& windows() const noexcept { return windows_; }
  [[nodiscard]] std::shared_ptr<transfers> const& transfers_of_rank() const noexcept { return transfers_; }

  /// Of the collections that live on this rank.
  [[nodiscard]] std::shared_ptr<collection_names> const& names() const noexcept { return names_; }

 private:
  void on_message(message const& m) override;
  void wait_for_window(std::uint32_t rounds);
  void lose_windows() noexcept;
  void on_sent(std::uint64_t token) override { all_.on_sent(token); }
  void look();
  void start_progress_thread();
  void compare_calls() {
    order_.look();
    all_.compare_calls();
    if (message_header const* const theirs = office_.early_of(order_.step())) [[unlikely]]
      order_.compare(theirs->sender, {.what = operation::process, .collection = theirs->collection});
  }
  /// This rank knows of no lower one that lives.
  [[nodiscard]] bool leads() const noexcept { return live_.at(0) == network_->rank(); }
  void lose(liveness::death const& d);
  void lose_leader(rank_number dead, std::string const& why);
  [[nodiscard]] bool tell_loss(rank_number dead, std::string const& why);
  void hear_dead(message const& m);
  void bury(std::vector<rank_number> const& dead);
  void note_loss(known_loss const& l);
  void drop_from(rank_number dead);
  void ask_all();
  void hear_question(message const& m);
  void hear_answer(message const& m);
  void conclude();
  [[nodiscard]] known_of_rank known_here() const;
  [[nodiscard]] known_result result_of(process_engine const& engine) const;
  void throw_loss_of_this_step(std::uint64_t now_ns);
  void give_up(rank_number dead, std::string const& why);
  void give_up(std::string const& why);
  [[noreturn]] void throw_broken();
  void send_broken(rank_number to);

  /// Empty, or the kind of the error and its text.
  static std::string fault_of(std::function<void()> const& f);
  /// Throws this rank's fault on every rank, if it has one. Collective.
  void throw_everywhere(rank_number of, collective_call const& call, std::string fault);

  std::unique_ptr<rank_trace> trace_;
  std::unique_ptr<transport> network_;
  live_ranks live_;
  live_ranks heard_;  ///< of the others nothing counts any more, though some may still be in live_
  call_order order_;
  collectives all_;
  post_office office_;
  std::shared_ptr<collection_names> names_ = std::make_shared<collection_names>();

  std::optional<liveness> watch_;
  std::uint64_t deadline_ns_ = 0;
  process_engine* processing_ = nullptr;
  std::uint64_t recovers_since_ns_ = 0;  ///< 0: no recovery is under way
  std::optional<rank_lost> broken_;
  bool goes_on_ = false;
  struct loss {
    std::uint32_t step;  ///< in which every rank throws
    rank_lost what;
  };
  std::vector<loss> losses_;       ///< in steps that this rank has not come to, or is in
  std::vector<known_loss> known_;  ///< all that every rank has thrown, or will throw
  loss_agreement agreement_;
  std::pair<rank_number, std::string> asks_for_;  ///< who died last, and why
  std::uint64_t stuck_since_ns_ = 0;              ///< 0: it is in no part of a call that others have left
  std::uint64_t looked_beside_ns_ = 0;
  std::uint64_t gone_since_ns_ = 0;  ///< 0: the process of the next rank of the node was there
  struct pool_of_threads {
    runtime::worker_threads* threads;
    serving serves;
    std::uint64_t number;
  };
  std::vector<pool_of_threads> pools_;  ///< that have not ended, the oldest first
  std::uint64_t last_pool_ = 0;
  std::shared_ptr<window_table> const windows_ = std::make_shared<window_table>();
  std::shared_ptr<transfers> const transfers_;

  progress_lock<> lock_;
  std::function<bool()> look_in_task_;
  bool may_have_progress_thread_ = true;
  std::unique_ptr<progress_thread> progress_;  ///< the last: it uses all others
};

}}}  // namespace skua::v0::ranks
