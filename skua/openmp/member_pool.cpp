// SPDX-License-Identifier: MIT
#include "skua/openmp/member_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/core/shared_pool.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/face/worker_calls.hpp"
#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/last_words.hpp"
#include "skua/openmp/places.hpp"
#include "skua/openmp/rescue.hpp"
#include "skua/openmp/seat_word.hpp"
#include "skua/openmp/thread_locals.hpp"
#include "skua/parts/base/fork_handlers.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

class member_pool;

/// The pools that write traces. They live until their thread ends, that of main until the process is gone: so a handler of exit closes their traces.
class traced_pools {
 public:
  static traced_pools& all() noexcept {
    static auto* const these = new traced_pools;  // never destroyed: threads may end after main
    return *these;
  }
  void add(pool& p) {
    std::lock_guard const hold(changing_);
    pools_.push_back(&p);
  }
  void remove(pool& p) noexcept {
    std::lock_guard const hold(changing_);
    std::erase(pools_, &p);
  }
  static void before_fork() noexcept { all().changing_.lock(); }
  static void in_parent() noexcept { all().changing_.unlock(); }
  static void in_child() noexcept {
    all().pools_.clear();  // their files are the parent's
    all().changing_.unlock();
  }

 private:
  traced_pools() {
    std::atexit([] {
      std::lock_guard const hold(all().changing_);
      for (pool* const p : all().pools_) runtime::note_trace_end(*p);
    });
  }
  std::mutex changing_;
  std::vector<pool*> pools_;
};
[[gnu::init_priority(runtime::before_static_objects)]] runtime::fork_handlers const traces_over_fork{
    &traced_pools::before_fork, &traced_pools::in_parent, &traced_pools::in_child};

/// Where a member's thread is, and how it is called. README.md
struct alignas(runtime::cache_line_bytes) seat : runtime::worker_call {
  seat_word<> word;
  std::uint32_t member = 0;
  member_pool* all = nullptr;
};

class member_pool {
 public:
  explicit member_pool(std::uint32_t members)
      : pool_(options_for(members)), observed_(runtime::observed_calls_of(pool_)), seats_(members),
        regions_(members + 1), team_(members) {
    for (std::uint32_t m = 0; m < members; ++m) {
      seats_[m].run = &run_seat;
      seats_[m].member = m;
      seats_[m].all = this;
    }
    if (the_settings().is_traced) traced_pools::all().add(pool_);
  }
  /// No region of its teams is in progress. Members may be docked still.
  ~member_pool() {
    if (the_settings().is_traced) traced_pools::all().remove(pool_);
    ends_.store(true, std::memory_order_release);  // release: it ends. Pairs with: serve, must_leave
    team_.ring();
    for (seat const& s : seats_) {
      while (!s.word.is_away()) ::sched_yield();
    }
    for (runtime::region* const r : regions_) {
      if (r != nullptr) runtime::close_first_workers(pool_, *r);
    }
  }
  member_pool(member_pool const&) = delete;
  member_pool& operator=(member_pool const&) = delete;
  [[nodiscard]] std::uint32_t room() const noexcept { return static_cast<std::uint32_t>(seats_.size()); }
  [[nodiscard]] openmp::team& team() noexcept { return team_; }
  /// The region's code, for skua top. Of the thread that begins regions.
  [[nodiscard]] runtime::observed_calls& observed() const noexcept { return observed_; }
  [[nodiscard]] bool is_lost_by_fork() const noexcept { return runtime::is_lost_by_fork(pool_); }

  /// Calls members 1 .. size-1 of the team, which has begun.
  void call_members() noexcept {
    std::uint32_t const size = team_.size();
    if (called_.load(std::memory_order_relaxed) != size)
      called_.store(size, std::memory_order_relaxed);  // relaxed: have_arrived
    runtime::region& region = region_of(size);
    region_ = &region;
    for (std::uint32_t m = 1; m < size; ++m) {
      seat& s = seats_[m];
      if (s.word.call()) runtime::call_on(region, m, s);
    }
    runtime::full_fence_after_rmw();  // the last call
    team_.ring_after_fence();
  }
  /// Of member 0: returns when all others have arrived.
  void join() noexcept {
    std::uint32_t arrived = 1;
    auto const have_all = [&] { return have_arrived(arrived); };
    if (!have_all()) {
      noted_wait const noted{team_.traced(0), construct::join};
      team_.wait_until(have_all);
    }
    team_.end();
  }
  /// Runs `call` on the calling thread in the place of worker 0.
  void run_in_first_place(runtime::outside_call& call) { runtime::run_as_first(region_of(team_.size()), call); }
  /// May throw std::bad_alloc the first time.
  runtime::region& region_of(std::uint32_t size) {
    if (regions_[size] == nullptr) regions_[size] = &runtime::open_first_workers(pool_, size);
    return *regions_[size];
  }

 private:
  static pool_options options_for(std::uint32_t members) {
    settings const& s = the_settings();
    pool_options o;
    o.workers = members;
    o.name = "omp";
    // Not `auto`: it reads the clock at each call from outside, a fifth of a region, and regions' calls do not tell it what their tasks are.
    if (std::getenv("SKUA_POLICY") == nullptr) o.policy = "hierarchical";
    // Members go to their places themselves (binding.hpp); a pool's places may not overlap, and it refuses what OpenMP ignores.
    if (!s.places.empty()) o.pin = false;
    // Threads that never spin may run anywhere (team::block_until).
    if (s.policy == waiting::passive && std::getenv("SKUA_PIN") == nullptr) o.pin = false;
    if (std::getenv("OMP_PLACES") != nullptr && std::getenv("SKUA_PLACES") == nullptr) o.places = places_for_pool(s);
    if (s.stack_bytes != 0) o.stack_bytes = std::max<std::size_t>(s.stack_bytes, 64 * 1024);
    return o;
  }
  static void run_seat(runtime::worker_call& call) noexcept {
    auto& mine = static_cast<seat&>(call);
    mine.all->serve(mine);
  }
  /// All members have arrived at the join; those before `arrived` are known to.
  [[nodiscard]] bool have_arrived(std::uint32_t& arrived) const noexcept {
    std::uint32_t const size = called_.load(std::memory_order_relaxed);  // relaxed: an old one rings for nothing
    while (arrived < size && seats_[arrived].word.has_arrived()) ++arrived;
    return arrived >= size;
  }
  void serve(seat& mine) noexcept {
    runtime::region* const here = region_;
    for (;;) {
      std::uint64_t const traced = team_.traced(mine.member);
      team_.run_member(mine.member);
      mine.word.arrive();
      // Of those who arrive last at least one sees that all have.
      team_.ring_after_fence_if([this] {
        std::uint32_t arrived = 1;
        return have_arrived(arrived);
      });
      auto const is_called = [&] { return mine.word.is_called(); };
      auto const must_leave = [&] {
        return ends_.load(std::memory_order_acquire);  // acquire: the member pool ends. Pairs with: ~member_pool, store
      };
      noted_wait const noted{traced, construct::region};
      // Members of nested teams may have parked on this thread. Blocked, it would not resume them.
      bool const may_block = !runtime::holds_tied_frames();
      bool const goes_on = (spin_until([&] { return is_called() || team_.has_tasks(); }) && is_called()) ||
                           (may_block && team_.block_until([&] { return is_called() || must_leave(); }) && is_called());
      if (!goes_on && mine.word.leave()) return;
      if (region_ != here) return runtime::call_on(*region_, mine.member, mine);
    }
  }

  pool pool_;
  runtime::observed_calls& observed_;
  std::vector<seat> seats_;
  std::vector<runtime::region*> regions_;  ///< by size
  openmp::team team_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint32_t> called_{0};  ///< size of the present team
  runtime::region* region_ = nullptr;     ///< of the present team; ordered by the seats' words
};

/// What an application thread has.
struct home {
  home() = default;
  ~home();
  home(home const&) = delete;
  home& operator=(home const&) = delete;
  std::unique_ptr<member_pool> mine;
  bool is_in_use = false;  ///< by a region of level 1
};

/// Pools of threads that have ended.
class spare_pools {
 public:
  static spare_pools& all() noexcept {
    static auto* const these = new spare_pools;  // never destroyed: threads may end after main
    return *these;
  }
  std::unique_ptr<member_pool> take(std::uint32_t room) {
    std::lock_guard const hold(changing_);
    auto const fits = std::ranges::find_if(free_, [room](auto const& c) { return c->room() >= room; });
    if (fits == free_.end()) return nullptr;
    std::unique_ptr<member_pool> found = std::move(*fits);
    free_.erase(fits);
    return found;
  }
  void give(std::unique_ptr<member_pool> c) {
    std::lock_guard const hold(changing_);
    if (free_.size() < most) free_.push_back(std::move(c));
  }

  static void before_fork() noexcept { all().changing_.lock(); }
  static void in_parent() noexcept { all().changing_.unlock(); }
  static void in_child() noexcept {
    for (auto& lost : all().free_) static_cast<void>(lost.release());  // its threads are not here
    all().free_.clear();
    all().changing_.unlock();
  }

 private:
  static constexpr std::size_t most = 4;
  std::mutex changing_;
  std::vector<std::unique_ptr<member_pool>> free_;
};
[[gnu::init_priority(runtime::before_static_objects)]] runtime::fork_handlers const spares_over_fork{
    &spare_pools::before_fork, &spare_pools::in_parent, &spare_pools::in_child};

home::~home() {
  if (mine == nullptr) return;
  if (mine->is_lost_by_fork()) {
    static_cast<void>(mine.release());
    return;
  }
  try {
    spare_pools::all().give(std::move(mine));
  } catch (std::exception const&) {  // no memory: it ends
  }
}

home& home_of_this_thread() {
  static thread_local home mine;
  return mine;
}

/// A member pool with room for a team of this size.
member_pool& pool_for(home& h, std::uint32_t size) {
  if (h.mine != nullptr && h.mine->is_lost_by_fork()) static_cast<void>(h.mine.release());
  if (h.mine != nullptr && h.mine->room() >= size) return *h.mine;
  std::unique_ptr<member_pool> made = spare_pools::all().take(size);
  if (made == nullptr) {
    unbound const everywhere;
    made = std::make_unique<member_pool>(std::max(size, the_settings().initial.threads));
  }
  h.mine = std::move(made);
  return *h.mine;
}

/// One member, on the calling thread, without threads.
void run_alone(task& creator, outlined code, preparation* first) {
  team only(1);
  only.begin(creator, 1, code);
  if (first != nullptr) first->prepare(*first, only);
  only.run_member(0);
}

void run_on_pool(home& h, task& creator, std::uint32_t size, outlined code, preparation* first) {
  struct region_call : runtime::outside_call {
    explicit region_call(member_pool& c) noexcept
        : outside_call{[](outside_call& self, runtime::fiber&) {
                         member_pool& mine = static_cast<region_call&>(self).all;
                         mine.call_members();
                         mine.team().run_member(0);
                         mine.join();
                       },
                       "parallel"},
          all(c) {}
    member_pool& all;
  };
  member_pool& all = pool_for(h, size);
  all.team().begin(creator, size, code);
  all.team().defer_tasks(true);
  if (first != nullptr) first->prepare(*first, all.team());
  h.is_in_use = true;
  count_running(static_cast<std::int32_t>(size));
  all.observed().begin(reinterpret_cast<std::uintptr_t>(code.function));
  region_call call{all};
  all.run_in_first_place(call);
  all.observed().end();
  count_running(-static_cast<std::int32_t>(size));
  h.is_in_use = false;
}

/// A member of a nested team, as a task of the member pool's pool.
struct nested_member : runtime::free_task<runtime::here> {
  static void run_task(runtime::free_task<runtime::here>& t, runtime::here& h) noexcept {
    auto& me = static_cast<nested_member&>(t);
    runtime::wait_group& all = *me.group;
    {
      runtime::tied_section const on_this_thread{runtime::fiber_of(h)};
      kept_current const others_run;
      if (me.waiting->claim(me.number)) me.team->run_member(me.number);
    }
    all.finish();
  }
  static constexpr runtime::free_task_kind<runtime::here> this_kind{.run = &run_task, .name = "nested parallel"};
  openmp::team* team = nullptr;
  waiting_members* waiting = nullptr;
  std::uint32_t number = 0;
};

void run_nested(task& creator, std::uint32_t size, outlined code, preparation* first) {
  team nested(size);
  nested.be_nested();
  nested.begin(creator, size, code);
  if (first != nullptr) first->prepare(*first, nested);
  std::vector<nested_member> others(size - 1);
  runtime::wait_group unfinished;
  waiting_members waiting(nested, unfinished);
  for (std::uint32_t m = 1; m < size; ++m) {
    nested_member& o = others[m - 1];
    o.kind = &nested_member::this_kind;
    o.group = &unfinished;
    o.team = &nested;
    o.waiting = &waiting;
    o.number = m;
  }
  if (may_have_thread_locals(code.function)) waiting.begin_on_threads();
  for (nested_member& o : others) {
    if (waiting.is_claimed(o.number)) continue;
    unfinished.add();
    runtime::executor::spawn(o);
  }
  nested.run_member(0);
  kept_current const others_run;
  noted_wait const noted{nested.traced(0), construct::join};
  runtime::executor::wait(unfinished);
}

}  // namespace

std::uint32_t threads_for(task const& t, std::uint32_t wanted) noexcept {
  control const& v = *t.variables;
  if (t.active_level >= static_cast<std::uint32_t>(std::max(v.max_active_levels, 0))) return 1;
  std::uint32_t size = wanted != 0 ? wanted : v.threads;
  if (v.is_dynamic) size = std::min(size, the_settings().processors);
  return std::max(1u, std::min({size, v.thread_limit, std::uint32_t{1} << 14}));
}

void run_region(outlined code, std::uint32_t threads, preparation* first) noexcept {
  task& creator = current();
  std::uint32_t const size = threads_for(creator, threads);
  try {
    if (size == 1) return run_alone(creator, code, first);
    home& h = home_of_this_thread();
    // A thread that has no fiber, and no region in progress, begins one of level 1.
    if (runtime::executor::running() == nullptr && !h.is_in_use) return run_on_pool(h, creator, size, code, first);
    if (runtime::executor::running() != nullptr) return run_nested(creator, size, code, first);
    run_alone(creator, code, first);
  } catch (std::exception const& why) {
    cannot_go_on("a parallel region cannot begin", why.what());
  }
}

namespace {

/// A region between GOMP_parallel_start and GOMP_parallel_end, with one member.
struct open_region {
  openmp::team only{1};
  task mine;
  task* before = nullptr;
  open_region* outer = nullptr;
};
thread_local open_region* innermost_open = nullptr;

}  // namespace

/// Code of GCC before 4.9: member 0's code is between the two calls, where no place can be held. So its regions have one member.
void begin_region(outlined code, std::uint32_t, preparation* first) noexcept {
  static constinit std::atomic_flag has_said{};
  say_once(has_said, "GOMP_parallel_start", reinterpret_cast<void const*>(code.function),
           "regions of code by GCC before 4.9 have one thread");
  try {
    auto made = std::make_unique<open_region>();
    task& creator = current();
    made->only.begin(creator, 1, code);
    if (first != nullptr) first->prepare(*first, made->only);
    made->only.begin_member(made->mine, 0);
    made->outer = innermost_open;
    made->before = make_current(&made->mine);
    innermost_open = made.release();
  } catch (std::exception const& why) {
    cannot_go_on("a parallel region cannot begin", why.what());
  }
}

void end_region() noexcept {
  std::unique_ptr<open_region> const ended(innermost_open);
  if (ended == nullptr) return;
  wait_for_children(ended->mine);
  make_current(ended->before);
  innermost_open = ended->outer;
}

}}}  // namespace skua::v0::openmp
