// SPDX-License-Identifier: MIT
// A strand that leaves its worker, under every schedule: it moves to another one, is laid aside for what lies in the slot,
// or waits for children that were sent away, while thieves take from the lanes that it leaves. Each child and each part
// of the strand runs once, nobody resumes it before it is saved, groups end once, and what can be taken is taken as long
// as anybody is idle (division.md, "moving"). Each mutant removes or swaps one step.
#include "skua/machine/threads/moving.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <iostream>
#include <memory>

#include "skua/machine/threads/lanes.hpp"
#include "skua/machine/threads/open_join.hpp"
#include "skua/parts/queue/filing.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::cause, skua::entry, skua::lane, skua::outcome, skua::placement, skua::tag, skua::worker_id;
using skua::threads::moving;
using std::memory_order, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

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

/// With a join open, the strand is sent to worker 1: home, when a group has ended. Its worker goes on, or is busy
/// with something else for a long time; the others steal.
template <class Sync, lane Where, bool Busy, unsigned Workers, fault Fault = fault::none>
struct goes_home : scene<Sync, Fault, Workers, goes_home<Sync, Where, Busy, Workers, Fault>> {
  group<Sync>& open = immortal<group<Sync>>(2U);

  goes_home() {
    this->jobs(1);
    static_cast<void>(this->at().forks.push(static_cast<job*>(&open), 1));
  }
  void run(int me) {
    if (me == 0) this->leave_for({.worker = worker_id{1}, .where = Where}, me);
    if (me == 0 && Busy) return this->await_strand();
    this->life(me);
  }
  void part(int n, int me) {
    require(n > 1 || Where != lane::inbox || me == 1, "what lies in an inbox is for its worker");
    if (n == 1) {
      require(!this->at().forks.pop(), "on another worker a pop finds nothing");
      if (!this->wait(open, 1, me)) return;
    }
    this->end(open, 1);
    this->strand_has_ended();
  }
  static void errand(job&, int) {}
  void finish() {}
};

/// An errand is sent to the slot of worker 0, whose strand forks: it gives way, and the errand takes longer than all
/// that the strand has to do.
template <class Sync, unsigned Workers, fault Fault = fault::none>
struct gives_way : scene<Sync, Fault, Workers, gives_way<Sync, Workers, Fault>> {
  group<Sync>& open = immortal<group<Sync>>(2U);
  job long_errand{job::sort::errand};
  model_atomic<int> sent{0};

  gives_way() { this->jobs(2); }
  void run(int me) {
    if (me == 0) {
      bool const must = sent.load(memory_order_acquire) == 1 && !this->at().slot.looks_empty();
      bool const left = fork();
      require(left || !must || this->at().slot.looks_empty(), "a strand gives way at its next fork");
      if (left) {
        is_aside_ = true;
        this->leave_for({.worker = worker_id{0}, .where = lane::kept}, me);
      } else {
        join(me);
      }
    }
    if (me == 1) {
      filed<Sync> const what{&long_errand};
      require(moving::send(this->seat_of(1), what, {.worker = worker_id{0}, .where = lane::slot}), "the slot is empty");
      sent.exchange(1, memory_order_release);
    }
    this->life(me);
  }
  /// strand::push and strand::attend. True: lay it aside.
  bool fork() {
    if (!this->at().forks.push(static_cast<job*>(&open), 1)) return false;
    this->make_room();
    return !this->at().slot.looks_empty();
  }
  void join(int me) {
    entry own;
    if (this->at().forks.pop(own)) {
      require(own.task == static_cast<job*>(&open), "a pop that succeeds returns the caller's own entry");
      open.run(1);
      return over();
    }
    if (this->wait(open, 1, me)) over();
  }
  void over() {
    this->end(open, 1);
    this->strand_has_ended();
  }
  void part(int n, int me) { n == 1 && is_aside_ ? join(me) : over(); }
  void errand(job&, int) {
    this->await_strand();
    this->ended();
  }
  void finish() {}

 private:
  bool is_aside_ = false;
};

/// Both children of a group are sent: one to worker 1, one for worker 0 to take later. The strand has nothing to run.
template <class Sync, unsigned Workers, fault Fault = fault::none>
struct sends_all : scene<Sync, Fault, Workers, sends_all<Sync, Workers, Fault>> {
  static constexpr std::uint64_t own_share = Fault == fault::no_own_share ? 0 : 1;
  group<Sync>& all = immortal<group<Sync>>(2U + own_share);
  frame<Sync>& from_before = immortal<frame<Sync>>(true);  // what an earlier group left on the stack

  sends_all() {
    this->jobs(1);
    all.wait_in(from_before);
  }
  void run(int me) {
    if (me == 0) {
      auto& mine = this->at();
      require(moving::send(mine, filed<Sync>{&all, 0}, {.worker = worker_id{1}, .where = lane::migrated}), "sent");
      require(moving::keep(mine, mine.migrated, filed<Sync>{&all, 1}), "there is memory");
      if (this->wait(all, own_share, me)) over();
    }
    this->life(me);
  }
  void over() {
    this->end(all, 0);
    this->strand_has_ended();
  }
  void part(int, int) { over(); }
  static void errand(job&, int) {}
  void finish() {}
};

/// Two workers send an errand each to the slot of worker 0; the second may be refused, and does its own.
template <class Sync, fault Fault = fault::none>
struct two_for_a_slot : scene<Sync, Fault, 3, two_for_a_slot<Sync, Fault>> {
  std::array<job, 3> errands{job{job::sort::errand}, job{job::sort::errand}, job{job::sort::errand}};
  std::array<int, 3> done{};

  two_for_a_slot() { this->jobs(2); }
  void run(int me) {
    if (me > 0) {
      job& mine = errands.at(static_cast<std::size_t>(me));
      if (!moving::send(this->seat_of(me), filed<Sync>{&mine}, {.worker = worker_id{0}, .where = lane::slot})) {
        errand(mine, me);
      }
    }
    this->life(me);
  }
  void errand(job& which, int) {
    ++done.at(static_cast<std::size_t>(&which - errands.data()));
    this->ended();
  }
  static void part(int, int) {}
  void finish() { require(done[1] == 1 && done[2] == 1, "each errand is done once"); }
};

/// Who ends a group's last child does not see what the others wrote, nor the frame.
struct unordered_subtraction : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, memory_order) noexcept { return model_atomic<T>::fetch_sub(by, memory_order_relaxed); }
  };
};

template <class Script>
void holds(options with = {}) {
  with.races = true;
  auto const seen = explore<Script>(with);
  std::cout << seen.executions << " executions, " << seen.states << " states\n";
  EXPECT_EQ(seen.violation, "") << seen;
  EXPECT_TRUE(seen.exhausted || with.random > 0);
}

template <class Script>
void fails(char const* how, options with = {}) {
  with.races = true;
  auto const seen = explore<Script>(with);
  std::cout << "found after " << seen.executions << " executions: " << seen.violation << '\n';
  EXPECT_NE(seen.violation, "") << seen;
  EXPECT_NE(seen.violation.find(how), std::string::npos) << seen;
}

// All executions of two workers with at most two preemptions; of three with at most one, and some at random. (Three with
// two, and two that give way without a bound, have 10^6 executions each, and none of them is wrong.)
constexpr options of_two{.preemptions = 2};
constexpr options of_three{.preemptions = 1};
constexpr options at_random{.random = skua::under_tsan ? 500 : 20'000, .seed = 1};

}  // namespace

TEST(moving_model, goes_home_to_a_lane_that_thieves_see) {
  holds<goes_home<model_sync, lane::migrated, false, 2>>(of_two);
  holds<goes_home<model_sync, lane::slot, false, 2>>(of_two);
}
TEST(moving_model, goes_home_to_an_inbox) { holds<goes_home<model_sync, lane::inbox, false, 2>>(of_two); }
TEST(moving_model, goes_home_and_leaves_a_busy_worker) {
  holds<goes_home<model_sync, lane::migrated, true, 2>>(of_two);
  holds<goes_home<full_model_sync, lane::inbox, true, 2>>(of_two);
}
TEST(moving_model, goes_home_past_a_thief) {
  holds<goes_home<model_sync, lane::slot, true, 3>>(of_three);
  holds<goes_home<model_sync, lane::slot, true, 3>>(at_random);
  holds<goes_home<model_sync, lane::migrated, false, 3>>(at_random);
}
TEST(moving_model, gives_way) { holds<gives_way<model_sync, 2>>(of_two); }
TEST(moving_model, gives_way_past_a_thief) {
  holds<gives_way<model_sync, 3>>(of_three);
  holds<gives_way<model_sync, 3>>(at_random);
}
TEST(moving_model, sends_all_children_away) {
  holds<sends_all<model_sync, 2>>(of_two);
  holds<sends_all<model_sync, 3>>(of_three);
}
TEST(moving_model, two_for_a_slot) { holds<two_for_a_slot<model_sync>>(of_three); }

TEST(moving_mutant, handed_over_before_it_is_saved) {
  fails<goes_home<model_sync, lane::migrated, false, 2, fault::handed_over_before_saved>>("race: read", of_two);
}
TEST(moving_mutant, lanes_not_cleared) {
  fails<goes_home<model_sync, lane::slot, false, 2, fault::lanes_not_cleared>>("leaves an empty lane", of_two);
}
TEST(moving_mutant, help_not_called) { fails<gives_way<model_sync, 2, fault::help_not_called>>("deadlock", of_two); }
TEST(moving_mutant, its_worker_not_called) {
  fails<goes_home<model_sync, lane::inbox, false, 2, fault::its_worker_not_called>>("deadlock", of_two);
}
TEST(moving_mutant, no_poke) { fails<gives_way<model_sync, 2, fault::no_poke>>("gives way at its next fork", of_two); }
TEST(moving_mutant, unordered_subtraction) { fails<sends_all<unordered_subtraction, 2>>("race", of_two); }
TEST(moving_mutant, no_own_share) { fails<sends_all<model_sync, 2, fault::no_own_share>>("", of_two); }
