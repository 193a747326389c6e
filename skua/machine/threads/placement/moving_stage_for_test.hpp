// SPDX-License-Identifier: MIT
// Workers with lanes, and one strand that leaves them: the stage of moving_model.cpp. The lanes, the ways into and out of
// them and the groups are the real ones; a flow is saved by a plain variable, and continued by a call.
#pragma once

#include <array>
#include <memory>

#include "skua/machine/threads/worker/lanes.hpp"
#include "skua/machine/threads/placement/moving.hpp"
#include "skua/machine/threads/join/stolen_joins.hpp"
#include "skua/parts/queue/tagged_queue.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace skua::moving_stage {

using explorer::immortal, explorer::current_world, explorer::memory, explorer::model_atomic, explorer::require;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;
using threads::moving;

enum class fault : std::uint8_t {
  none,
  handed_over_before_saved,
  lanes_not_cleared,      ///< the strand's open joins stay where they are
  help_not_called,        ///< something is put where others may take it, in silence
  its_worker_not_called,  ///< something is sent, in silence
  no_poke,                ///< a slot is filled, and what runs there is not made to look up
  no_own_share,           ///< a group of which all children are sent away does not count its owner
};

/// What lies in a lane.
struct job {
  enum class sort : std::uint8_t { child, frame, errand };
  explicit job(sort s) : is(s) {}
  sort is;
};

/// A strand that waits, or is to go on elsewhere.
template <class Sync>
struct frame : job, skua::injectable, skua::threads::parked<Sync> {
  explicit frame(bool waits) : job(sort::frame), is_open(waits) {}
  bool is_open;
  typename Sync::template plain<int> saved;
};

template <class Sync>
struct filed {
  job* what = nullptr;
  std::uint64_t extra = 0;
  tag known{};
  frame<Sync>* as_frame() const { return what->is == job::sort::frame ? static_cast<frame<Sync>*>(what) : nullptr; }
};

/// A group, and how often its children ran.
template <class Sync>
struct group : job, skua::threads::open_join<Sync> {
  explicit group(std::uint64_t children) : job(sort::child), skua::threads::open_join<Sync>(children) {}
  std::array<typename Sync::template plain<int>*, 2> ran{&immortal<typename Sync::template plain<int>>(0),
                                                         &immortal<typename Sync::template plain<int>>(0)};
  void run(std::uint64_t child) { ran.at(child)->set(ran.at(child)->get() + 1); }
  bool all_ran(std::uint64_t from) { return (from > 0 || ran[0]->get() == 1) && ran[1]->get() == 1; }
};

/// A policy's answers.
struct answers {
  placement resumed{};
  placement refused{};
  placement place(tag const&, cause why) const { return why == cause::refused ? refused : resumed; }
  static bool gives_way() { return true; }
};

/// Who waits for something to be put somewhere. The dormitory's own promises are checked in sleep_model.cpp.
struct bell {
  void ring() {
    rung.fetch_add(1, memory_order_relaxed);
    rung.notify_all();
  }
  model_atomic<int> rung{0};
};

template <class Sync>
using tagged_lane = skua::filing<filed<Sync>, Sync, typename Sync::mutex>;

/// The lanes that the heap's memory is in: they end with the script.
template <class Sync>
struct tagged_lanes {
  tagged_lane<Sync> slot{1};
  tagged_lane<Sync> kept;
  tagged_lane<Sync> migrated;
};

template <class Sync, fault Fault>
struct seat : skua::threads::lanes<Sync> {
  seat(unsigned number, unsigned of, seat* first_of_all, bell& b, tagged_lanes<Sync>& with)
      : skua::threads::lanes<Sync>({.capacity = 4, .kind = Sync::kind(), .memory = &memory()}), id{number},
        in_workers(of), first(first_of_all), doorbell(b), slot(with.slot), kept(with.kept), migrated(with.migrated) {
    thinks = {.resumed = {.worker = id}, .refused = {.worker = id}};
  }
  seat& neighbour(worker_id w) { return first[index(w)]; }
  void call_help() {
    if (Fault != fault::help_not_called) doorbell.ring();
  }
  void call_its_worker() {
    if (Fault != fault::its_worker_not_called) doorbell.ring();
  }
  void poke() {
    if (Fault != fault::no_poke) skua::threads::lanes<Sync>::poke();
  }

  worker_id id;
  unsigned in_workers;
  seat* first;
  bell& doorbell;
  answers thinks;
  tagged_lane<Sync>& slot;
  tagged_lane<Sync>& kept;
  tagged_lane<Sync>& migrated;
};

/// Workers, and one strand whose program is given by the script in parts: part(n, me) runs after the nth time that it was
/// resumed, and returns when the strand has left its worker or has ended.
template <class Sync, fault Fault, unsigned Workers, class Script>
class scene {
 public:
  using seat_type = seat<Sync, Fault>;
  static constexpr int threads = Workers;

  scene() {
    auto* const all = static_cast<seat_type*>(memory().allocate(Workers * sizeof(seat_type), alignof(seat_type)));
    for (unsigned w = 0; w < Workers; ++w) new (all + w) seat_type(w, Workers, all, bell_, tagged_.at(w));
    seats_ = all;
    at_ = all;
  }

  // For moving: the strand.
  seat_type& at() { return *at_; }
  void make_room() {
    require(at_->make_room([this] { note_thefts(); }), "there is memory");
    at_->doorbell.ring();
  }
  void note_thefts() {
    robbed_.note(*at_, 0, [](void* what) { return static_cast<group<Sync>*>(static_cast<job*>(what)); });
  }
  filed<Sync> as_shown(entry const& e) const { return {static_cast<job*>(e.task), e.extra, {}}; }

 protected:
  seat_type& seat_of(int w) { return seats_[w]; }

  /// worker::move and worker::commit_move.
  void leave_for(placement const& to, int me) {
    if (Fault != fault::lanes_not_cleared) require(moving::clear_lanes(*this), "there is memory");
    frame<Sync>& f = next_frame(false);
    seat_type& from = *at_;
    bool const early = Fault == fault::handed_over_before_saved;
    if (!early) save(f);
    bool const left = moving::hand_over(from, filed<Sync>{&f}, to);
    if (early) save(f);
    if (!left) resume(f, me);
  }
  /// strand::wait, worker::park and worker::commit_share; true: there was nothing to wait for.
  bool wait(group<Sync>& g, std::uint64_t mine, int me) {
    note_thefts();
    if (g.left_only(mine)) return true;
    require(moving::clear_lanes(*this), "there is memory");
    frame<Sync>& f = next_frame(true);
    g.wait_in(f);
    save(f);
    if (auto* const ready = g.park(mine)) resume(static_cast<frame<Sync>&>(*ready), me);
    return false;
  }
  /// After a wait, as strand::wait_robbed.
  void end(group<Sync>& g, std::uint64_t from) {
    static_cast<void>(g.left_only(0));
    robbed_.forget(g);
    require(g.all_ran(from), "each child has run once");
    for (auto* r : g.ran) std::destroy_at(r);
    std::destroy_at(&g);
  }
  /// The strand, or the errand, has ended.
  void ended() {
    left_.fetch_sub(1, memory_order_release);
    left_.notify_all();
    bell_.ring();
  }
  /// The worker is busy until the strand has ended, if it can be kept busy so long.
  void await_strand() { strand_ended_.wait(0, memory_order_relaxed); }
  void strand_has_ended() {
    strand_ended_.exchange(1, memory_order_relaxed);
    strand_ended_.notify_all();
    ended();
  }

  void life(int me) {
    entry unused;
    require(!seats_[me].forks.peek(unused), "a strand leaves an empty lane");
    while (current_world()->violation().empty()) {
      int const heard = bell_.rung.load(memory_order_relaxed);
      if (left_.load(memory_order_acquire) == 0) return;
      filed<Sync> const got = hunt(me);
      if (got.what == nullptr) {
        bell_.rung.wait(heard, memory_order_relaxed);
      } else {
        run(got, me);
      }
    }
  }
  void jobs(int strand_and_errands) { left_.fetch_add(strand_and_errands, memory_order_relaxed); }

 private:
  Script& script() { return static_cast<Script&>(*this); }
  frame<Sync>& next_frame(bool waits) { return immortal<frame<Sync>>(waits); }
  void save(frame<Sync>& f) { f.saved.set(1); }

  /// worker::return_to, and the strand goes on.
  void resume(frame<Sync>& f, int me) {
    require(f.saved.get() == 1, "a frame that is resumed was saved");
    if (!current_world()->violation().empty()) return;
    if (!f.is_open) f.call();
    at_ = &seats_[me];
    f.resumed();
    std::destroy_at(&f.saved);
    runs_.set(runs_.get() + 1);
    script().part(runs_.get(), me);
  }

  void run(filed<Sync> const& what, int me) {
    if (auto* const f = what.as_frame()) return resume(*f, me);
    if (what.what->is == job::sort::errand) return script().errand(*what.what, me);
    auto& g = static_cast<group<Sync>&>(*what.what);
    g.run(what.extra);
    if (auto* const ready = g.finish(1, 0, [] {})) is_ready(static_cast<frame<Sync>&>(*ready), me);
  }
  /// worker::is_mine.
  void is_ready(frame<Sync>& f, int me) {
    seat_type& mine = seats_[me];
    if (!moving::send(mine, filed<Sync>{&f}, mine.thinks.place({}, cause::resumed))) resume(f, me);
  }

  filed<Sync> hunt(int me) {
    filed<Sync> got;
    seat_type& mine = seats_[me];
    auto const any = [](filed<Sync> const&) { return true; };
    if (mine.slot.take_oldest(got, any) == outcome::got) return got;
    if (mine.kept.take_newest(got, any) == outcome::got) return got;
    if (mine.migrated.take_oldest(got, any) == outcome::got) return got;
    if (auto* const f = static_cast<frame<Sync>*>(mine.inbox.pop())) return {f};
    for (unsigned v = 0; v < Workers; ++v) {
      if (static_cast<int>(v) == me) continue;
      seat_type& its = seats_[v];
      if (its.kept.take_oldest(got, any) == outcome::got) return got;
      if (its.migrated.take_newest(got, any) == outcome::got) return got;
      if (its.slot.take_oldest(got, any) == outcome::got) return got;
      entry oldest;
      if (its.forks.outside().steal(oldest) == outcome::got) return {static_cast<job*>(oldest.task), 1};
      if (its.spawned.outside().steal(oldest) == outcome::got) return {static_cast<job*>(oldest.task), 1};
    }
    return {};
  }

  bell bell_;
  std::array<tagged_lanes<Sync>, Workers> tagged_;
  seat_type* seats_ = nullptr;
  model_atomic<int> left_{0};
  model_atomic<int> strand_ended_{0};

  // The strand's own: whoever runs it comes after who ran it before.
  seat_type* at_ = nullptr;
  skua::threads::robbed_joins<Sync> robbed_;
  typename Sync::template plain<int> runs_{0};
};

}  // namespace skua::moving_stage
