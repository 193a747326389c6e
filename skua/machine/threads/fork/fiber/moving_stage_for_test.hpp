// SPDX-License-Identifier: MIT
// The stage of moving_model.cpp: workers with lanes, and one fiber that leaves them. Lanes, groups and `moving` are the
// production code; a plain variable stands for saving a flow, and a call for continuing it.
#pragma once

#include <array>
#include <memory>

#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/machine/threads/fork/group/stolen_joins.hpp"
#include "skua/machine/threads/lane/lanes_for_test.hpp"
#include "skua/parts/queue/tagged_queue.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace moving_stage {

using explorer::immortal, explorer::current_world, explorer::memory, explorer::model_atomic, explorer::require;
using runtime::moving;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

enum class fault : std::uint8_t {
  none,
  handed_over_before_saved,
  lanes_not_cleared,    ///< the fiber's open joins stay in its lane
  others_not_notified,  ///< no worker is notified of an entry that others may take
  owner_not_notified,   ///< the receiver of an entry is not notified
  no_request,           ///< a mailbox is filled without a request for attention
  no_own_share,         ///< a group whose children are all sent away does not count its owner
};

/// What a lane holds.
struct job {
  enum class sort : std::uint8_t { child, frame, errand };
  explicit job(sort s) : kind(s) {}
  sort kind;
};

/// A fiber that waits for a group, or moves.
template <class Sync>
struct frame : job, skua::runtime::injectable, skua::runtime::parked<Sync> {
  explicit frame(bool waits) : job(sort::frame), is_open(waits) {}
  bool is_open;
  typename Sync::template plain<int> saved;
};

template <class Sync>
struct tagged_entry {
  job* item = nullptr;
  std::uint64_t extra = 0;
  task_tag tag{};
  frame<Sync>* as_frame() const { return item->kind == job::sort::frame ? static_cast<frame<Sync>*>(item) : nullptr; }
};

/// A group, and how often each of its children ran.
template <class Sync>
struct group : job, skua::runtime::open_join<Sync> {
  explicit group(std::uint64_t children) : job(sort::child), skua::runtime::open_join<Sync>(children) {}
  std::array<typename Sync::template plain<int>*, 2> ran{&immortal<typename Sync::template plain<int>>(0),
                                                         &immortal<typename Sync::template plain<int>>(0)};
  void run(std::uint64_t child) { ran.at(child)->set(ran.at(child)->get() + 1); }
  bool all_ran(std::uint64_t from) { return (from > 0 || ran[0]->get() == 1) && ran[1]->get() == 1; }
};

/// The answers of a policy.
struct answers {
  placement resumed{};
  placement refused{};
  placement place(task_tag const&, cause why) const { return why == cause::refused ? refused : resumed; }
  static bool preempts() { return true; }
};

/// Wakes idle workers when an entry is put somewhere. sleep_model.cpp checks the promises of the real sleep_state: who
/// has not heard of an entry sees it.
struct bell {
  void ring() {
    rung.fetch_add(1, memory_order_release);
    rung.notify_all();
  }
  int heard() { return rung.fetch_add(0, memory_order_acquire); }
  model_atomic<int> rung{0};
};

template <class Sync>
using tagged_lane = skua::runtime::tagged_queue<tagged_entry<Sync>, Sync, typename Sync::mutex>;

/// The tagged lanes allocate from the heap, so they end with the script.
template <class Sync>
struct tagged_lanes {
  tagged_lane<Sync> mailbox{1};
  tagged_lane<Sync> local;
  tagged_lane<Sync> migrated;
  tagged_lane<Sync> nodes;
};

template <class Sync, fault Fault>
struct worker_slot : skua::runtime::lanes_with_joins<Sync> {
  worker_slot(unsigned number, unsigned workers, worker_slot* first_of_all, bell& b, tagged_lanes<Sync>& tagged)
      : skua::runtime::lanes_with_joins<Sync>({.capacity = 4, .kind = Sync::kind(), .memory = &memory()}), id{number},
        in_workers(workers), first(first_of_all), doorbell(b), mailbox(tagged.mailbox), local(tagged.local),
        migrated(tagged.migrated), nodes(tagged.nodes) {
    policy = {.resumed = {.worker = id}, .refused = {.worker = id}};
  }
  worker_slot& neighbour(worker_id w) { return first[index(w)]; }
  void notify_work() {
    if (Fault != fault::others_not_notified) doorbell.ring();
  }
  void notify_owner() {
    if (Fault != fault::owner_not_notified) doorbell.ring();
  }
  void request_attention() {
    if (Fault != fault::no_request) skua::runtime::lanes<Sync>::request_attention();
  }

  worker_id id;
  unsigned in_workers;
  worker_slot* first;
  bell& doorbell;
  answers policy;
  tagged_lane<Sync>& mailbox;
  tagged_lane<Sync>& local;
  tagged_lane<Sync>& migrated;
  tagged_lane<Sync>& nodes;
};

/// Workers, and one fiber. The script gives its program in parts: part(n, me) runs after the fiber was resumed for the
/// nth time, and returns when the fiber has left its worker or has ended.
template <class Sync, fault Fault, unsigned Workers, class Script>
class scene {
 public:
  using slot_type = worker_slot<Sync, Fault>;
  static constexpr int threads = Workers;

  scene() {
    auto* const all = static_cast<slot_type*>(memory().allocate(Workers * sizeof(slot_type), alignof(slot_type)));
    for (unsigned w = 0; w < Workers; ++w) new (all + w) slot_type(w, Workers, all, bell_, tagged_.at(w));
    slots_ = all;
    slot_ = all;
  }

  // The fiber, for `moving`.
  slot_type& slot() { return *slot_; }
  void make_room() {
    require(slot_->make_room([this] { note_steals(); }), "there is memory");
    slot_->doorbell.ring();
  }
  void note_steals() {
    note_stolen(slot_->forks(), [this](void* task, std::int64_t place) {
      stolen_.link(*static_cast<group<Sync>*>(static_cast<job*>(task)), place);
      return true;
    });
  }
  tagged_entry<Sync> as_published(entry const& e) const { return {static_cast<job*>(e.task), e.extra, {}}; }

 protected:
  slot_type& slot_of(int w) { return slots_[w]; }

  /// As worker::move and worker::commit_move.
  void leave_for(placement const& to, int me) {
    if (Fault != fault::lanes_not_cleared) require(moving::clear_lanes(*this), "there is memory");
    require(slot_->forks().is_empty(), "a fiber leaves no entry behind");
    frame<Sync>& f = next_frame(false);
    slot_type& from = *slot_;
    bool const early = Fault == fault::handed_over_before_saved;
    if (!early) save(f);
    bool const left = moving::hand_over(from, tagged_entry<Sync>{&f}, to);
    if (early) save(f);
    if (!left) resume(f, me);
  }
  /// As fiber::wait, worker::park and worker::commit_share. True: there was nothing to wait for.
  bool wait(group<Sync>& g, std::uint64_t mine, int me) {
    note_steals();
    if (g.left_only(mine)) return true;
    require(moving::clear_lanes(*this), "there is memory");
    frame<Sync>& f = next_frame(true);
    g.wait_in(f);
    save(f);
    if (auto* const ready = g.park(mine)) resume(static_cast<frame<Sync>&>(*ready), me);
    return false;
  }
  /// After a wait, as fiber::wait_stolen.
  void end(group<Sync>& g, std::uint64_t from) {
    static_cast<void>(g.left_only(0));
    stolen_.forget(g);
    require(g.all_ran(from), "each child has run once");
    for (auto* r : g.ran) std::destroy_at(r);
    std::destroy_at(&g);
  }
  /// The fiber, or the errand, has ended.
  void ended() {
    left_.fetch_sub(1, memory_order_release);
    left_.notify_all();
    bell_.ring();
  }
  /// Keeps the worker busy until the fiber has ended.
  void await_fiber() { fiber_ended_.wait(0, memory_order_relaxed); }
  void fiber_has_ended() {
    fiber_ended_.exchange(1, memory_order_relaxed);
    fiber_ended_.notify_all();
    ended();
  }

  void run_loop(int me) {
    while (current_world()->violation().empty()) {
      int const heard = bell_.heard();
      if (left_.load(memory_order_acquire) == 0) return;
      tagged_entry<Sync> const got = next_probe(me);
      if (got.item == nullptr) {
        bell_.rung.wait(heard, memory_order_relaxed);
      } else {
        run(got, me);
      }
    }
  }
  void jobs(int fiber_and_errands) { left_.fetch_add(fiber_and_errands, memory_order_relaxed); }

 private:
  Script& script() { return static_cast<Script&>(*this); }
  frame<Sync>& next_frame(bool waits) { return immortal<frame<Sync>>(waits); }
  void save(frame<Sync>& f) { f.saved.set(1); }

  /// As worker::return_to; then the fiber continues.
  void resume(frame<Sync>& f, int me) {
    require(f.saved.get() == 1, "a frame that is resumed was saved");
    if (!current_world()->violation().empty()) return;
    if (!f.is_open) f.call();
    slots_[me].enter(slot_->forks());
    slot_ = &slots_[me];
    f.resumed();
    std::destroy_at(&f.saved);
    runs_.set(runs_.get() + 1);
    script().part(runs_.get(), me);
  }

  void run(tagged_entry<Sync> const& taken, int me) {
    if (auto* const f = taken.as_frame()) return resume(*f, me);
    if (taken.item->kind == job::sort::errand) return script().errand(*taken.item, me);
    auto& g = static_cast<group<Sync>&>(*taken.item);
    g.run(taken.extra);
    if (auto* const ready = g.finish(1, 0, [] {})) is_ready(static_cast<frame<Sync>&>(*ready), me);
  }
  /// As next_step::is_mine.
  void is_ready(frame<Sync>& f, int me) {
    slot_type& mine = slots_[me];
    if (!moving::send(mine, tagged_entry<Sync>{&f}, mine.policy.place({}, cause::resumed))) resume(f, me);
  }

  tagged_entry<Sync> next_probe(int me) {
    tagged_entry<Sync> got;
    slot_type& mine = slots_[me];
    auto const any = [](tagged_entry<Sync> const&) { return true; };
    if (mine.mailbox.take_oldest(got, any) == outcome::got) return got;
    if (mine.local.take_newest(got, any) == outcome::got) return got;
    if (mine.migrated.take_oldest(got, any) == outcome::got) return got;
    if (auto* const f = static_cast<frame<Sync>*>(mine.inbox.pop())) return {f};
    for (unsigned v = 0; v < Workers; ++v) {
      if (static_cast<int>(v) == me) continue;
      slot_type& victim = slots_[v];
      if (victim.local.take_oldest(got, any) == outcome::got) return got;
      if (victim.migrated.take_newest(got, any) == outcome::got) return got;
      if (victim.mailbox.take_oldest(got, any) == outcome::got) return got;
      entry oldest;
      if (victim.forks_outside().steal(oldest) == outcome::got) return {static_cast<job*>(oldest.task), 1};
      if (victim.spawned.outside().steal(oldest) == outcome::got) return {static_cast<job*>(oldest.task), 1};
    }
    return {};
  }

  bell bell_;
  std::array<tagged_lanes<Sync>, Workers> tagged_;
  slot_type* slots_ = nullptr;
  model_atomic<int> left_{0};
  model_atomic<int> fiber_ended_{0};

  // The fiber's own. The worker that runs it is ordered after its previous one.
  slot_type* slot_ = nullptr;
  skua::runtime::stolen_joins<Sync> stolen_;
  typename Sync::template plain<int> runs_{0};
};

}}}}  // namespace skua::v0::runtime::moving_stage
