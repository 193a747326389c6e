// SPDX-License-Identifier: MIT
// One rank's share of one process(): steals, answers thieves, finds the end. Event-driven; process_engine.md has the states.
// [retentive-hpdc12 6]
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/protocol/recovery.hpp"
#include "skua/machine/ranks/protocol/recovery_log.hpp"
#include "skua/machine/ranks/protocol/termination.hpp"
#include "skua/machine/ranks/protocol/victims.hpp"
#include "skua/machine/ranks/queue/split_queue.hpp"
#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Of one rank and one process(). Times in nanoseconds.
struct steal_counts {
  std::uint64_t attempted = 0;   ///< requests sent
  std::uint64_t successful = 0;  ///< replies with tasks
  std::uint64_t tasks = 0;       ///< that came with them
  std::uint64_t asked = 0;       ///< requests of others
  std::uint64_t given = 0;       ///< tasks that others got
};

struct engine_settings {
  std::uint32_t collection = 0;
  std::uint64_t seed = 0;
  bool steals = true;  ///< false: everybody runs what it has
  /// The thread that answers owns the queue: when a thief asks it shares all but the task that it runs next, so that half of what waits may leave.
  bool owner_answers = false;
  std::uint64_t first_pause_ns = 500;
  std::uint64_t longest_pause_ns = 200'000;
  slot_shape shape = {};  ///< of the queue's slots; only of interest where tasks are serialized
};

/// Where tasks of ranks that die run again (recovery.md).
struct recovery_hooks {
  recovery_log* log = nullptr;  ///< must outlive the engine
  /// Tasks that this rank has to run; the engine does not add them itself. Called on each live rank after each loss, also with none.
  std::function<void(live_ranks const& live, std::span<std::byte const> run_again)> mended;
  std::function<void(std::string const& why)> broken;
};

/// Which queue a thief takes from, on a rank with several.
class queue_choice {
 public:
  [[nodiscard]] virtual split_queue& fullest() noexcept = 0;

 protected:
  ~queue_choice() = default;
};

class process_engine final : private tree_outbox, private recovery_site {
 public:
  /// `queue` and `network` must outlive it.
  process_engine(engine_settings const& settings, split_queue& queue, transport& network);

  /// Before `begin`, on every rank alike: ranks that die within process() are mended. `live`: the ranks that it begins with.
  void recover(recovery_hooks hooks, live_ranks const& live);
  /// A new process() begins: `epoch` is its number, the same on every rank.
  void begin(std::uint32_t epoch);
  /// On rank 0: a rank has died. False: too late, or there is no recovery.
  [[nodiscard]] bool lose(rank_number rank);

  /// From the next process() on.
  void stealing(bool on) noexcept { settings_.steals = on; }

  /// Thieves get what lies in the queue of `which`, which outlives this; at first they get what lies in its own.
  void gives_from(queue_choice& which) noexcept { gives_from_ = &which; }

  /// A message of this collection and this epoch.
  void on_message(message const& m);
  /// Tokens carry the number of the collection in their upper half.
  void on_sent(std::uint64_t token) noexcept;

  /// The rank has no task and runs none. Votes or asks another rank for tasks, as it is due. `count`: its tasks since `begin`.
  void idle(task_count count, std::uint64_t now_ns);

  /// The rank has work, but not for all of its workers: asks another rank for tasks, as it is due.
  void want(std::uint64_t now_ns);

  // For a simulator that knows which requests would fail, and sends only the others (simulated.md).

  /// `idle` without a request.
  void vote(task_count count);
  /// Sends the next request to this rank. The rank may ask, and waits for no reply.
  void ask(rank_number victim, std::uint64_t now_ns);
  /// As if so many requests had been answered without tasks, the last of which allows the next one at `next_ns`.
  void count_failed(std::uint64_t attempts, std::uint64_t next_ns) noexcept;
  /// Without tasks it would ask.
  [[nodiscard]] bool may_ask() const noexcept {
    return !asking_ && !end_.ended() && !is_recovering() && settings_.steals && live_.size() > 1;
  }
  /// The next victim is drawn from all ranks, not only from those of the node.
  [[nodiscard]] bool asks_anybody() const noexcept { return victims_.draws_anybody(failed_attempts_); }
  /// Between the next two requests.
  [[nodiscard]] std::uint64_t pause_ns() const noexcept { return pause_ns_; }

  /// When `idle` may next do something that it cannot do now, without a message; 0: it only waits for messages.
  [[nodiscard]] std::uint64_t next_attempt_ns() const noexcept { return asking_ || end_.ended() ? 0 : not_before_ns_; }

  /// A task of this rank threw: all ranks drop theirs.
  void cancel(std::string what);
  [[nodiscard]] bool is_cancelled() const noexcept { return failure_.has_value(); }
  struct failure {
    rank_number rank;
    std::string what;
  };
  /// Who failed, as far as this rank has heard. After has_left all ranks have the same answer: the lowest rank.
  [[nodiscard]] std::optional<failure> const& failed() const noexcept { return failure_; }

  /// A rank has died, and what it had is being dealt out anew; until that is done nobody steals.
  [[nodiscard]] bool is_recovering() const noexcept { return recovery_ && recovery_->is_suspended(); }
  /// Everything has run everywhere, nothing is under way, and the queue's memory is its own again.
  [[nodiscard]] bool has_left() const noexcept { return end_.left() && being_sent_.empty(); }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] steal_counts const& counts() const noexcept { return counts_; }
  [[nodiscard]] termination const& end() const noexcept { return end_; }
  /// What it waits for, in a sentence.
  [[nodiscard]] std::string state_in_words() const;

 private:
  void answer(message const& request);
  void take(message const& reply);
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
  void lend(rank_number to, message_header reply, split_queue::range const& taken);
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
  queue_choice* gives_from_ = nullptr;
  transport& network_;
  termination end_;
  victims victims_;
  std::uint32_t epoch_ = 0;
  bool asking_ = false;
  rank_number victim_ = 0;
  std::uint32_t failed_attempts_ = 0;  ///< since the last success
  std::uint64_t pause_ns_ = 0;
  std::uint64_t not_before_ns_ = 0;
  std::uint32_t next_send_ = 0;
  std::unordered_map<std::uint64_t, split_queue::range> being_sent_;
  steal_counts counts_;
  std::optional<failure> failure_;

  // After a loss the tree is built on the live ranks.
  live_ranks live_;
  recovery_hooks hooks_;
  std::unique_ptr<recovery> recovery_;  ///< of this process(); none where nothing is mended
  std::uint16_t generation_ = 0;
  struct early_message {
    message_header head;
    std::vector<std::byte> body;
  };
  std::vector<early_message> early_;  ///< of the tree, from ranks that resumed before this one
};

}}}  // namespace skua::v0::ranks
