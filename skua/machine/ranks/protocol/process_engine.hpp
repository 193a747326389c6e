// SPDX-License-Identifier: MIT
// One rank's part in one process(): steals, answers thieves, detects the end. Event-driven; process_engine.md has the
// states.
// [retentive-hpdc12 6]
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/protocol/open_requests.hpp"
#include "skua/machine/ranks/protocol/recovery.hpp"
#include "skua/machine/ranks/protocol/recovery_log.hpp"
#include "skua/machine/ranks/protocol/termination.hpp"
#include "skua/machine/ranks/protocol/victims.hpp"
#include "skua/machine/ranks/queue/split_queue.hpp"
#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/machine/ranks/transport/transport.hpp"
#include "skua/policy/lifelines.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The steals of one rank in one process(). Times in nanoseconds.
struct steal_counts {
  std::uint64_t attempted = 0;    ///< requests sent
  std::uint64_t successful = 0;   ///< replies with tasks
  std::uint64_t tasks = 0;        ///< that came with them, or along a lifeline
  std::uint64_t asked = 0;        ///< requests from other ranks
  std::uint64_t given = 0;        ///< tasks that other ranks got
  std::uint64_t bytes_taken = 0;  ///< of the tasks that came, as they travel
  std::uint64_t bytes_given = 0;
};

struct engine_settings {
  std::uint32_t collection = 0;
  std::uint64_t seed = 0;
  bool steals = true;  ///< false: every rank runs only its own tasks
  /// The answering thread owns the queue: when a thief asks, it shares all tasks but the one that it runs next, or within a
  /// task all of them, so that half of the waiting tasks may leave.
  bool owner_answers = false;
  std::uint64_t first_pause_ns = 500;
  std::uint64_t longest_pause_ns = 200'000;
  /// A thief that has waited this long for a reply asks another victim, too: the first one may be in a long task. 0: it
  /// waits.
  std::uint64_t patience_ns = 0;
  /// A thief of one worker runs the oldest stolen task first, unless tasks spawned them (process_engine.md).
  bool oldest_first = false;
  /// A rank that has asked a few others in vain waits on its lifelines instead of asking on (policy/lifelines.md). Without recovery only.
  bool lifelines = false;
  slot_shape shape = {};  ///< of the queue's slots; matters only for serialized tasks
};

/// How the tasks of dead ranks run again (recovery.md).
struct recovery_hooks {
  recovery_log* log = nullptr;  ///< must outlive the engine
  /// Receives the tasks that this rank has to run again; the engine does not add them itself. Called on each live rank
  /// after each loss, also without tasks.
  std::function<void(live_ranks const& live, std::span<std::byte const> run_again)> mended;
  std::function<void(std::string const& why)> broken;
};

/// Chooses the queue from which a thief takes, on a rank with several.
class queue_choice {
 public:
  [[nodiscard]] virtual split_queue& fullest() noexcept = 0;

 protected:
  ~queue_choice() = default;
};

/// Of a task, which all ranks report.
struct process_failure {
  rank_number rank;
  std::string message;
};

class process_engine final : private tree_outbox, private recovery_site {
 public:
  /// `queue` and `network` must outlive it.
  process_engine(engine_settings const& settings, split_queue& queue, transport& network);

  /// Called before `begin`, on every rank: the death of a rank within process() is recovered. `live`: the ranks at its
  /// begin.
  void recover(recovery_hooks hooks, live_ranks const& live);
  /// A new process() begins: `epoch` is its number, the same on every rank.
  void begin(std::uint32_t epoch);
  /// On the leader: a rank has died. Returns false if it is too late, or without recovery.
  [[nodiscard]] bool lose(rank_number rank);

  /// This rank waits for "leave", which others have had.
  void leave_as(std::optional<process_failure> failed);

  /// This process() will not end, on any rank; there may be another one. With recovery only.
  void abandon();
  /// The next process() may throw while sends are under way, though it does not recover, and its program may end the collection, with the queue: tasks are
  /// copied before they are sent.
  void may_be_abandoned(bool may) noexcept { may_be_abandoned_ = may; }
  [[nodiscard]] bool recovers() const noexcept { return recovery_ != nullptr; }
  /// Ranks that had died by the last recovery, or by the begin.
  [[nodiscard]] rank_number dead() const noexcept { return live_.ranks() - live_.size(); }
  /// How many times a loss was recovered in this process().
  [[nodiscard]] std::uint16_t generation() const noexcept { return generation_; }

  /// Takes effect with the next process().
  void stealing(bool on) noexcept { settings_.steals = on; }

  /// Thieves get tasks of the queue that `which` chooses; it outlives this. By default they get those of the own queue.
  void gives_from(queue_choice& which) noexcept { gives_from_ = &which; }

  /// While the owner of the queue runs a task, thieves get its next task, too: it cannot run that one before.
  void in_task(bool is) noexcept { is_in_task_ = is; }

  /// A message of this collection and this epoch.
  void on_message(message const& m);
  /// Tokens carry the number of the collection in their upper half.
  void on_sent(std::uint64_t token) noexcept;

  /// The rank has no task and runs none. Votes, or asks another rank for tasks, whichever is due. `count`: its tasks
  /// since `begin`.
  void idle(task_count count, std::uint64_t now_ns);

  /// The rank has work, but not for all of its workers: asks another rank for tasks if that is due.
  void want(std::uint64_t now_ns);

  /// Sends tasks to ranks that wait on their lifelines. To be called when tasks may have come into the queue, and cheap where nobody waits.
  void feed() {
    if (lines_.anyone_waits()) feed_waiting();
  }

  // For a simulator that knows which requests would fail, and sends only the other ones (simulated.md).

  /// `idle` without a request.
  void vote(task_count count);
  /// Sends the next request to this rank. Precondition: may_ask(), and no reply is awaited.
  void ask(rank_number victim, std::uint64_t now_ns);
  /// Counts this many requests as answered without tasks; the last one allows the next request at `next_ns`.
  void count_failed(std::uint64_t attempts, std::uint64_t next_ns) noexcept;
  /// True if the rank would ask if it had no tasks.
  [[nodiscard]] bool may_ask() const noexcept { return requests_.none() && steals_now(); }
  /// True if the next victim is drawn from all ranks, not only from those of the node.
  [[nodiscard]] bool asks_anybody() const noexcept { return victims_.draws_anybody(failed_attempts_); }
  /// The pause before the next request.
  [[nodiscard]] std::uint64_t pause_ns() const noexcept { return pause_ns_; }

  /// The time from which `idle` may act without a message, if it cannot act now; 0: it only waits for messages.
  [[nodiscard]] std::uint64_t next_attempt_ns() const noexcept {
    if (end_.ended() || sleeps() || (!requests_.none() && !may_ask_another())) return 0;
    return requests_.none() ? not_before_ns_ : requests_.another_ns(settings_.patience_ns);
  }

  /// A task of this rank threw: all ranks drop their tasks.
  void cancel(std::string what);
  [[nodiscard]] bool is_cancelled() const noexcept { return failure_.has_value(); }
  using failure = process_failure;
  /// The failed rank, as far as this rank has heard. After has_left all ranks have the same answer: the lowest rank
  /// that failed.
  [[nodiscard]] std::optional<failure> const& failed() const noexcept { return failure_; }

  /// A rank has died, and its tasks are being redistributed; until that is done no rank steals.
  [[nodiscard]] bool is_recovering() const noexcept { return recovery_ && recovery_->is_suspended(); }
  /// All tasks have run on all ranks, no message is under way, and the queue's memory is free again.
  [[nodiscard]] bool has_left() const noexcept { return end_.left() && being_sent_.empty(); }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] steal_counts const& counts() const noexcept { return counts_; }
  [[nodiscard]] termination const& end() const noexcept { return end_; }
  /// A sentence that says what the rank waits for.
  [[nodiscard]] std::string state_in_words() const;

 private:
  [[nodiscard]] bool steals_now() const noexcept {
    return !end_.ended() && !is_recovering() && settings_.steals && live_.size() > 1 && !sleeps();
  }
  /// The next request, if any, goes along a lifeline.
  [[nodiscard]] bool is_on_lifelines() const noexcept {
    return settings_.lifelines && failed_attempts_ >= policies::lifelines::random_tries;
  }
  [[nodiscard]] bool sleeps() const noexcept { return is_on_lifelines() && lines_.sleeps(); }
  /// True if the rank would ask another victim while requests are open.
  [[nodiscard]] bool may_ask_another() const noexcept {
    return settings_.patience_ns > 0 && !is_on_lifelines() &&
           requests_.size() < std::min(open_requests::most, live_.size() - 1) && steals_now();
  }
  void answer(message const& request);
  [[nodiscard]] split_queue::range take_shared(std::uint64_t room);
  void send_tasks(rank_number to, message_header const& head, split_queue::range const& taken);
  void feed_waiting();
  void hear_fed(message const& m);
  void add_tasks(message const& m);
  void send_request(rank_number victim, bool is_lifeline, std::uint64_t now_ns);
  void take(message const& reply);
  [[nodiscard]] bool runs_oldest_first(slot_mark of_stolen) const noexcept;
  void push_slots(std::span<std::byte const> slots);
  void push_packed(message const& reply);
  void double_pause() noexcept;
  static std::optional<failure> failure_in(message const& m);
  void send_with_failure(rank_number to, kind what);
  void hear_cancel(message const& m);
  void hear_drained(message const& m);
  void hear_leave(message const& m);
  void spread_cancel();
  message_header header(kind what) const noexcept;

  [[nodiscard]] rank_number next_victim();
  [[nodiscard]] bool is_of_this_generation(message const& m);
  void send_copy(rank_number to, message_header const& head, split_queue::range const& taken);
  void send_packed(rank_number to, message_header const& reply, split_queue::range const& taken);
  void hear_tree(message const& m);

  // positions in the tree
  void send_vote(rank_number to, bool yes, task_count count) override;
  void send_decision(rank_number to, bool ended) override;
  void send_drained(rank_number to) override;
  void send_leave(rank_number to) override;

  void send_recovery(rank_number to, kind what, std::uint16_t generation, std::span<std::byte const> body,
                     std::uint64_t a) override;
  void suspend(live_ranks const& live) override;
  void resume(std::uint16_t generation, std::span<std::byte const> run_again) override;
  void broken(std::string const& why) override { hooks_.broken(why); }

  engine_settings settings_;
  split_queue& queue_;
  bool is_in_task_ = false;
  bool may_be_abandoned_ = false;
  queue_choice* gives_from_ = nullptr;
  transport& network_;
  termination end_;
  victims victims_;
  std::uint32_t epoch_ = 0;
  open_requests requests_;
  std::uint32_t failed_attempts_ = 0;  ///< since the last success
  policies::lifelines lines_;
  std::optional<rank_number> asked_buddy_;  ///< its reply says whether it remembers this rank
  std::uint64_t pause_ns_ = 0;
  std::uint64_t not_before_ns_ = 0;
  std::uint32_t next_send_ = 0;
  std::unordered_map<std::uint64_t, split_queue::range> being_sent_;
  steal_counts counts_;
  std::optional<failure> failure_;

  // After a loss the tree is built on the live ranks.
  live_ranks live_;
  recovery_hooks hooks_;
  std::unique_ptr<recovery> recovery_;  ///< of this process(); null without recovery
  std::uint16_t generation_ = 0;
  struct early_message {
    message_header head;
    std::vector<std::byte> body;
  };
  std::vector<early_message> early_;  ///< of the tree, from ranks that resumed before this one
};

/// The rank answers in this scope while a task runs.
class engine_in_task {
 public:
  /// Null: no process() runs.
  explicit engine_in_task(process_engine* engine) noexcept : engine_(engine) {
    if (engine_ != nullptr) engine_->in_task(true);
  }
  ~engine_in_task() {
    if (engine_ != nullptr) engine_->in_task(false);
  }
  engine_in_task(engine_in_task const&) = delete;
  engine_in_task& operator=(engine_in_task const&) = delete;

 private:
  process_engine* const engine_;
};

}}}  // namespace skua::v0::ranks
