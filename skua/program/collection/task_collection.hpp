// SPDX-License-Identifier: MIT
// Iterated task collections: the same tasks run in each iteration on many ranks, and an iteration starts with each task
// on the rank that ran it last. collection.md has the states. [retentive-hpdc12 4]
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/collection/archive.hpp"
#include "skua/program/collection/host.hpp"
#include "skua/program/collection/index_range.hpp"

namespace skua { inline namespace v0 {

template <class Task>
class task_collection;

namespace runtime {

/// Plain tasks travel as their bytes in memory, others as the bytes that an archive writes.
template <class Task>
inline constexpr bool is_serialized = !plain<Task> && can_travel<Task>() && std::default_initializable<Task>;

/// Calls use(bytes of the task).
template <class Task, class F>
void with_bytes(Task const& task, F use) {
  if constexpr (is_serialized<Task>) {
    std::vector<std::byte> bytes;
    output_archive out(bytes);
    out(task);
    use(std::span<std::byte const>(bytes));
  } else {
    use(std::as_bytes(std::span(&task, 1)));
  }
}

}  // namespace runtime

/// The first parameter of a task's function: which rank and worker run the task, and how it adds tasks.
template <class Task>
class task_site {
 public:
  /// The number of this rank.
  [[nodiscard]] std::uint32_t rank() const noexcept { return site_.rank(); }
  /// The number of ranks.
  [[nodiscard]] std::uint32_t ranks() const noexcept { return site_.ranks(); }
  /// The worker of this rank that runs the task: 0 .. num_workers() - 1. It runs no other task of the collection
  /// meanwhile, so functions may keep sums and other state per worker without a lock.
  [[nodiscard]] std::uint32_t worker() const noexcept { return site_.worker(); }
  /// The number of workers of this rank: 1, unless its communicator has threads.
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return site_.workers(); }
  /// Answers thieves. A task that takes more than a millisecond should call it from time to time. Does nothing if
  /// another thread answers them.
  void progress() { site_.progress(); }
  /// Adds a task to the same collection. It runs before process() returns. Throws resource_error at the collection's
  /// limit.
  void spawn(Task const& task) {
    runtime::with_bytes(task, [this](auto bytes) { site_.spawn(bytes); });
  }

 private:
  friend task_collection<Task>;
  explicit task_site(runtime::collection_site& site) noexcept : site_(site) {}
  runtime::collection_site& site_;
};

/// There are two kinds of Task. A trivially copyable one without a `serialize`, aligned to at most 16 bytes, travels as its bytes, so it must
/// not hold addresses of a rank's memory; those that the compiler can see are refused. A default-constructible one that an archive takes
/// (archive.hpp), by its `serialize` or because it is a string or a container, may have any size: the collection writes it once, when it is added, and reads it each time it runs, so changes that its function
/// makes are lost. Only the thread that made a collection may use it on its rank. If the communicator has threads,
/// several threads run tasks at once, and any thread may call `add` and `emplace`.
template <class Task>
class task_collection {
  static constexpr bool is_serialized = runtime::is_serialized<Task>;
  static_assert(is_serialized || runtime::plain<Task>,
                "task_collection: a task travels between ranks as its bytes, in which pointers, references, "
                "std::string_view and std::span mean "
                "nothing; make it trivially copyable without them, or give it `template <class Archive> void "
                "serialize(Archive&)` and a "
                "default constructor");
  static_assert(!runtime::plain<Task> || alignof(Task) <= 16,
                "task_collection: a task that travels as its bytes is aligned to at most 16");

 public:
  /// Collective: every rank must make the same collections in the same order. The rank that runs a task calls its own
  /// function(site, task) or function(task), which returns nothing or a task_outcome. Several threads call it at once
  /// if the rank has several workers. It may capture references to objects of its rank. Throws usage_error on every
  /// rank if the ranks disagree. Cost: two messages up and down the tree of ranks.
  template <class Host, class F>
    requires std::derived_from<Host, runtime::collection_host>
  task_collection(Host& ranks, collection_options const& options, F function)
      : function_(std::make_unique<held<F>>(std::move(function))),
        engine_(ranks.make_collection(options, {.bytes = sizeof(Task),
                                                .is_serialized = is_serialized,
                                                .alignment = alignof(Task),
                                                .type = typeid(Task).name(),
                                                .name = runtime::type_text<F>(),
                                                .function = function_.get(),
                                                .run = &call,
                                                .divides = divides_or_null(),
                                                .split = split_or_null()})) {}

  task_collection(task_collection const&) = delete;
  task_collection& operator=(task_collection const&) = delete;

  /// Adds a copy on this rank. Local: O(1), no message. Throws resource_error at the limit, std::bad_alloc, and what
  /// `serialize` throws.
  void add(Task const& task) {
    if (is_serialized || engine_->has_threads()) {
      runtime::with_bytes(task, [this](auto bytes) { engine_->add(bytes); });
    } else {
      ::new (engine_->reserve()) Task(task);
      engine_->commit();
    }
  }
  /// The same, and says how much work the task is: in any unit, the same for all tasks; finite and more than 0, else throws usage_error. If every task
  /// that waits has a work, rebalance() distributes them before the first process(). A work has no other effect.
  void add(Task const& task, double work) {
    runtime::with_bytes(task, [this, work](auto bytes) { engine_->add_weighed(bytes, work); });
  }
  /// Constructs a task on this rank, in place if the rank has one worker and tasks are not serialized. Otherwise as
  /// add.
  template <class... Arguments>
  void emplace(Arguments&&... arguments) {
    if (is_serialized || engine_->has_threads()) {
      if constexpr (is_large) {
        add(*std::unique_ptr<Task>(new Task(std::forward<Arguments>(arguments)...)));
      } else {
        add(Task(std::forward<Arguments>(arguments)...));
      }
    } else {
      ::new (engine_->reserve()) Task(std::forward<Arguments>(arguments)...);
      engine_->commit();
    }
  }

  /// Adds the indices [first, last) as one task, which splits into leaves of `grain` indices when it runs: the function gets leaves. Nothing if there are none.
  /// Throws usage_error unless first <= last and grain > 0.
  void add_range(std::uint64_t first, std::uint64_t last, std::uint64_t grain = 1)
    requires std::same_as<Task, index_range>
  {
    if (first > last || grain == 0) {
      throw usage_error("task collection: add_range(" + std::to_string(first) + ", " + std::to_string(last) + ", " +
                        std::to_string(grain) + "); allowed: a first index up to the last, and a grain of 1 or more");
    }
    if (first < last) add(index_range{first, last, grain});
  }

  // A call that the state of the collection does not allow throws usage_error on every rank: collection.md has the table. In a task of the
  // collection every one of these calls does, and the task fails.

  /// Collective: runs all tasks of all ranks. Throws what a task of this rank threw, or remote_error on the other
  /// ranks.
  void process() { engine_->process(); }
  /// Local; call it with the same value on every rank. Sets whether ranks without tasks steal in the next process().
  void enable_stealing(bool on) { engine_->stealing(on); }
  /// Seeds the next process() with the tasks that the last one executed. Local for `retained`, collective otherwise.
  void restore(placement_of_tasks where = placement_of_tasks::retained) { engine_->restore(where); }
  /// Collective: restore, with the way in which the next process() starts:
  /// "none": where tasks ran, and no rank steals; "steal": where they were added first; "retentive": where they ran; a balancer and its
  /// options: where it puts them, and no rank steals; "auto": one of these, chosen from what the last iterations have measured, the
  /// same on every rank, which report().start names. It sets what enable_stealing sets. Throws usage_error on every rank for an unknown word, and
  /// where no executed tasks are recorded. Cost of auto: three reductions, and those of a balancer where it pays.
  void restore(std::string_view how) { engine_->restore_as(how); }
  /// Collective: moves the executed tasks so that the next process() is balanced. `how`: a balancer and its options,
  /// such as "hierarchical:arity=4". Before the first process() it moves the tasks that wait, if each was added with its work. Throws
  /// usage_error for an unknown balancer, and where no executed tasks are recorded otherwise: before process(), or after restore(). Cost: the times or works of
  /// all tasks travel to rank 0, which decides for all; tasks travel directly.
  void rebalance(std::string_view how) { engine_->rebalance(how); }
  /// Collective: calls rebalance(how) if, by the measured times, imbalance since the last call of it has cost more than
  /// that call did; the first time, if the imbalance is above 1 %. Before the first process(), by the works, if the imbalance is above
  /// 1 %. Returns, on every rank, whether it did. Cost without a rebalance: two reductions. Throws as rebalance does.
  bool rebalance_if_due(std::string_view how) { return engine_->rebalance_if_due(how); }
  /// Collective: writes the executed tasks with their times, and the `state` of rank 0, to one file, atomically. Throws
  /// on every rank resource_error, and usage_error unless it is called between process() and restore(), and before tasks are added.
  void checkpoint(std::string const& path, std::span<std::byte const> state = {}) { engine_->checkpoint(path, state); }
  /// Collective: replaces process() after a restart, on any number of ranks. Rank 0 reads the file that `checkpoint`
  /// wrote, and the tasks are distributed to the ranks; then call restore(). Tasks that waited will not run. Returns the state on every rank.
  /// Throws resource_error and usage_error on every rank, and changes nothing then.
  [[nodiscard]] std::vector<std::byte> restart(std::string const& path) { return engine_->restart(path); }
  /// Collective, after rank_lost with can_go_on(): the live ranks have all tasks again with which the last process() began that every
  /// rank had entered, and none is recorded. Call process() then: results of the last one are incomplete, for a rank took its part with it.
  /// Throws usage_error unless on_loss is run_again, and where a live rank has added tasks since; rank_lost if no live rank has a copy of the
  /// dead one's tasks, and as any collective call if another rank dies: then call it again.
  void recover() { static_cast<void>(engine_->recover(false)); }
  /// The same, also where the dead rank's tasks are in no copy: it died before the first process() had ended, together with the rank that had
  /// the copy, or after a live rank had added tasks. Then no rank has a task, and each live one calls `add_again`, which adds this rank's share of all tasks, by
  /// world.live_position() of world.live() for example. Returns, on every rank, whether it was called. Nobody knows of tasks that only the dead rank
  /// had added since the last process(): they are missing, and it is not called for them.
  template <class F>
    requires std::invocable<F>
  bool recover(F add_again) {
    if (engine_->recover(true)) return false;
    add_again();
    return true;
  }
  /// Collective: the report of the last process().
  [[nodiscard]] collection_report report() { return engine_->report(); }
  /// Collective: what each rank did in the last process(), on rank 0; the other ranks get none. in_words() makes a table of it. Cost: a
  /// reduction without values, and 136 bytes of each rank to rank 0. To have it on every rank: world.allgather(tasks.own_report()).
  [[nodiscard]] ranks_report report_by_rank() { return engine_->report_by_rank(); }
  /// Local: the same of this rank. No cost.
  [[nodiscard]] rank_report own_report() const noexcept { return engine_->own_report(); }
  /// The number of tasks that restore() would seed on this rank.
  [[nodiscard]] std::uint64_t num_recorded() const noexcept { return engine_->recorded(); }
  /// The number of tasks that were added or restored on this rank and have not run.
  [[nodiscard]] std::uint64_t num_waiting() const noexcept { return engine_->waiting(); }

 private:
  struct callable {
    virtual ~callable() = default;
    virtual task_outcome operator()(runtime::collection_site& host_site, Task& task) = 0;
  };

  template <class F>
  struct held final : callable {
    explicit held(F f) : function(std::move(f)) {}
    task_outcome operator()(runtime::collection_site& host_site, Task& task) override {
      task_site<Task> site(host_site);
      if constexpr (std::invocable<F&, task_site<Task>&, Task&>) {
        return outcome([&]() -> decltype(auto) { return function(site, task); });
      } else {
        return outcome([&]() -> decltype(auto) { return function(task); });
      }
    }
    template <class G>
    static task_outcome outcome(G call) {
      if constexpr (std::is_void_v<decltype(call())>) {
        call();
        return task_outcome::done;
      } else {
        return call();
      }
    }
    F function;
  };

  /// Of a thread's stack, which may be smaller than a task.
  static constexpr bool is_large = sizeof(Task) > 16'384;

  static task_outcome read_and_call(callable& f, runtime::collection_site& host_site, std::span<std::byte> bytes,
                                    Task& task) {
    input_archive in(bytes);
    in(task);
    if (!in.is_at_end()) throw usage_error("a task's serialize wrote more than it reads");
    return f(host_site, task);
  }

  static task_outcome call(void* function, runtime::collection_site& host_site, std::span<std::byte> bytes) {
    callable& f = *static_cast<callable*>(function);
    if constexpr (is_large && is_serialized) {
      return read_and_call(f, host_site, bytes, *std::make_unique<Task>());
    } else if constexpr (is_serialized) {
      Task task;
      return read_and_call(f, host_site, bytes, task);
    } else {
      return f(host_site, *std::launder(reinterpret_cast<Task*>(bytes.data())));
    }
  }

  /// Calls use(task).
  template <class F>
  static void with_copy(std::span<std::byte const> bytes, F use) {
    if constexpr (is_serialized) {
      auto const task = std::make_unique<Task>();
      input_archive in(bytes);
      in(*task);
      use(*task);
    } else {
      Task task(*std::launder(reinterpret_cast<Task const*>(bytes.data())));
      use(task);
    }
  }
  [[nodiscard]] static bool divides(std::span<std::byte const> bytes) {
    bool can = false;
    with_copy(bytes, [&can](Task const& task) { can = task.is_divisible(); });
    return can;
  }
  static void split(std::span<std::byte const> bytes, runtime::task_parts& to) {
    with_copy(bytes, [&to](Task& task) {
      constexpr std::uint32_t most_parts = 1U << 20U;
      for (std::uint32_t parts = 0; task.is_divisible(); ++parts) {
        if (parts == most_parts)
          throw usage_error("a task is divisible after 1048576 calls of its split; allowed: fewer");
        Task const other = task.split();
        runtime::with_bytes(other, [&](auto part) { to.part(part, other.is_divisible()); });
      }
      runtime::with_bytes(task, [&to](auto rest) { to.rest(rest); });
    });
  }
  static constexpr auto divides_or_null() noexcept -> bool (*)(std::span<std::byte const>) {
    if constexpr (divisible_task<Task>) return &divides;
    return nullptr;
  }
  static constexpr auto split_or_null() noexcept -> void (*)(std::span<std::byte const>, runtime::task_parts&) {
    if constexpr (divisible_task<Task>) return &split;
    return nullptr;
  }

  std::unique_ptr<callable> function_;
  std::unique_ptr<runtime::collection_engine> engine_;
};

}}  // namespace skua::v0
