// SPDX-License-Identifier: MIT
// What other processes can see of a pool, which of them can, and that the pool works as usual in every case.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "skua/machine/threads/engine/core/pool_memory.hpp"
#include "skua/machine/threads/face/worker_calls.hpp"
#include "skua/machine/threads/observe/processes.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/skua.hpp"

namespace {

using skua::runtime::attached_pool;
using skua::runtime::pool_snapshot;
using skua::runtime::shared_pool;

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto const [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

skua::runtime::process_identity self() { return skua::runtime::find_process(::getpid()); }

/// The only pool of this process.
std::shared_ptr<attached_pool> attach() {
  auto const all = skua::runtime::pools_of(self());
  return all.size() == 1 ? all.front() : throw std::runtime_error(std::to_string(all.size()) + " pools");
}

/// The open files of this process that are memories of pools.
std::vector<int> files() {
  std::vector<int> found;
  for (auto const& at : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    if (std::filesystem::read_symlink(at, closed).string().starts_with("/memfd:skua-pool"))
      found.push_back(std::stoi(at.path().filename()));
  }
  return found;
}

/// What `f` throws.
std::string refusal_of(std::function<void()> const& f) {
  try {
    f();
  } catch (skua::error const& e) {
    return e.what();
  }
  return "";
}

/// Ends the child with the number that `f` returns; returns it in the parent.
int in_child(std::function<int()> const& f) {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(f());
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A sealed memory with these contents, as a hostile process could make it.
class forged {
 public:
  explicit forged(std::vector<std::byte> const& contents, bool sealed = true)
      : file_(::memfd_create("skua-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (::write(file_, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size())) std::abort();
    if (sealed && ::fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) std::abort();
  }
  ~forged() { ::close(file_); }
  forged(forged const&) = delete;
  forged& operator=(forged const&) = delete;
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

/// What the pool of this process shares now.
std::vector<std::byte> contents() {
  int const file = files().at(0);
  std::vector<std::byte> all(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)));
  if (::pread(file, all.data(), all.size(), 0) != static_cast<ssize_t>(all.size())) std::abort();
  return all;
}

TEST(attach, a_pool_shows_its_workers_its_policy_and_what_it_did) {
  skua::pool pool({.workers = 3, .policy = "adws", .count_forks = true});
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 15); }), 610);
  pool_snapshot const seen = attach()->snapshot();
  ASSERT_EQ(seen.workers.size(), 3U);
  std::uint64_t forks = 0;
  std::uint64_t tasks = 0;
  for (auto const& w : seen.workers) {
    forks += w.counters.forks.value();
    tasks += w.counters.tasks;
    EXPECT_LE(w.counters.work_ns + w.counters.scheduling_ns + w.counters.idle_ns, seen.at_ns - seen.opened_ns);
  }
  EXPECT_EQ(forks, 986U) << "fib(16) - 1";
  EXPECT_GE(tasks, 1U);
  if (skua::runtime::under_asan) GTEST_SKIP() << "AddressSanitizer wants the lanes on the heap, where nobody sees them";
  ASSERT_EQ(seen.regions.size(), 1U);
  EXPECT_EQ(seen.regions[0].policy, "adws");
  EXPECT_EQ(seen.regions[0].workers, 3U);
}

TEST(attach, lanes_and_forks_are_seen_in_the_midst_of_a_task) {
  if (skua::runtime::under_asan) GTEST_SKIP() << "AddressSanitizer wants the lanes on the heap, where nobody sees them";
  skua::pool pool({.workers = 1, .policy = "random", .count_forks = true});
  auto const watched = attach();
  pool.run([&](auto& h) {
    std::uint64_t const forks = watched->snapshot().workers[0].counters.forks.value();
    h.join(
        [&](auto& inner) {
          inner.join(
              [&](auto&) {
                auto const now = watched->snapshot().workers[0];
                EXPECT_EQ(now.counters.forks, forks + 2);
              },
              [](auto&) {});
        },
        [](auto&) {});
    skua::task_group tasks;
    for (int i = 0; i < 5; ++i) tasks.run([] {});
    EXPECT_EQ(watched->snapshot().workers[0].lanes.spawned, 5U);
    tasks.wait();
    EXPECT_EQ(watched->snapshot().workers[0].lanes.spawned, 0U);
  });
}

TEST(attach, forks_that_nobody_counts_are_unknown) {
  skua::pool pool({.workers = 1});
  pool.run([](auto& h) { return fib(h, 5); });
  EXPECT_EQ(attach()->snapshot().workers[0].counters.forks, std::nullopt);
}

TEST(attach, a_call_from_outside_is_seen_while_it_lasts) {
  skua::pool pool({.workers = 1});
  auto const watched = attach();
  EXPECT_EQ(watched->snapshot().workers[0].calls, 0U);
  pool.run([&](auto&) {
    auto const now = watched->snapshot().workers[0];
    EXPECT_EQ(now.calls, 1U);
    EXPECT_EQ(now.now, skua::runtime::activity::working) << "whoever attaches has calls timed";
  });
  EXPECT_EQ(watched->snapshot().workers[0].calls, 2U);
}

TEST(attach, calls_of_a_runtime_on_top_are_seen_by_their_code) {
  skua::pool pool({.workers = 2});
  auto const at = attach();
  EXPECT_EQ(at->snapshot().code, 0U);
  skua::runtime::observed_calls& calls = skua::runtime::observed_calls_of(pool);
  calls.begin(0x1275);
  EXPECT_EQ(at->snapshot().code, 0x1275U);
  EXPECT_EQ(at->snapshot().call_bounds, 1U) << "odd: one is in progress";
  calls.end();
  EXPECT_EQ(at->snapshot().code, 0x1275U) << "the last one";
  EXPECT_EQ(at->snapshot().call_bounds, 2U);
}

TEST(attach, times_are_taken_only_while_somebody_has_attached) {
  unsetenv("SKUA_STALL");  // a report of a stall asks for times, too
  skua::pool pool({.workers = 1});
  auto const now = [&] {
    auto const file = files().at(0);
    shared_pool head;
    EXPECT_EQ(::pread(file, static_cast<void*>(&head), sizeof head, 0), static_cast<ssize_t>(sizeof head));
    return head.times_asked.load(std::memory_order_relaxed);  // relaxed: this thread's own copy
  };
  EXPECT_EQ(now(), 0U);
  {
    auto const first = attach();
    auto const second = attach();
    EXPECT_EQ(now(), 2 * shared_pool::asked_outside);
  }
  EXPECT_EQ(now(), 0U);
  static_cast<void>(pool.counters());
  EXPECT_EQ(now(), shared_pool::asked_inside);
}

TEST(attach, a_process_shows_each_of_its_pools_and_none_that_has_ended) {
  EXPECT_TRUE(files().empty());
  {
    skua::pool first({.workers = 1});
    skua::pool second({.workers = 2});
    auto const all = skua::runtime::pools_of(self());
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0]->snapshot().workers.size(), 1U);
    EXPECT_EQ(all[1]->snapshot().workers.size(), 2U);
    EXPECT_EQ(skua::runtime::pools_of(self(), all), all) << "known ones are not attached to again";
  }
  EXPECT_TRUE(skua::runtime::pools_of(self()).empty());
  EXPECT_TRUE(files().empty());
}

TEST(attach, regions_are_seen_as_long_as_they_live_and_more_of_them_work_unseen) {
  if (skua::runtime::under_asan) GTEST_SKIP() << "AddressSanitizer wants the lanes on the heap, where nobody sees them";
  skua::pool pool({.workers = 2});
  auto const watched = attach();
  {
    std::vector<skua::region> more;
    for (std::size_t i = 0; i < skua::runtime::shared_regions_max + 2; ++i) more.push_back(pool.open_region("adws", 1));
    auto const seen = watched->snapshot().regions;
    ASSERT_EQ(seen.size(), skua::runtime::shared_regions_max);
    EXPECT_EQ(seen[0].policy, "auto");
    EXPECT_EQ(seen[1].policy, "adws");
    EXPECT_EQ(seen[1].workers, 1U);
    for (skua::region const& r : more) EXPECT_EQ(r.run([](auto& h) { return fib(h, 12); }), 144);
  }
  // A region ends when no worker holds the list that it is in.
  while (watched->snapshot().regions.size() > 1) pool.run([](auto& h) { fib(h, 12); });
  auto const again = pool.open_region("hierarchical");
  EXPECT_EQ(again.run([](auto& h) { return fib(h, 12); }), 144);
  EXPECT_EQ(watched->snapshot().regions.back().policy, "hierarchical");
}

TEST(attach, a_child_of_fork_shares_nothing_with_the_pool_of_its_parent) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  skua::pool pool({.workers = 1, .policy = "random", .count_forks = true});
  auto const watched = attach();
  pool.run([&](auto& h) {
    // The child continues its copy of the task, and forks freely: its parent's lanes stay as they are.
    h.join(
        [&](auto& inner) {
          pool_snapshot const before = watched->snapshot();
          EXPECT_EQ(in_child([&] {
                      bool const is_right = fib(inner, 15) == 610;
                      return is_right && files().empty() && skua::runtime::pools_of(self()).empty() ? 0 : 1;
                    }),
                    0);
          pool_snapshot const after = watched->snapshot();
          EXPECT_EQ(after.workers[0].counters.forks, before.workers[0].counters.forks);
        },
        [](auto&) {});
  });
  EXPECT_EQ(in_child([] {
              skua::pool own({.workers = 2});
              return own.run([](auto& h) { return fib(h, 15); }) == 610 && attach()->snapshot().workers.size() == 2 ? 0
                                                                                                                    : 1;
            }),
            0);
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 15); }), 610);
}

TEST(attach, a_program_that_is_started_gets_no_file_of_the_pool) {
  skua::pool const pool({.workers = 1});
  for (int const file : files()) EXPECT_EQ(::fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(files().size(), 1U);
}

TEST(attach, without_a_file_the_memory_works_unshared) {
  skua::layout const map{skua::topology::named("core:2"), {.workers = 2}};
  for (auto const what : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(what, &before), 0);
    rlimit const none{.rlim_cur = 0, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(what, &none), 0);
    {
      skua::runtime::pool_memory const memory{map, false};
      EXPECT_EQ(::setrlimit(what, &before), 0);
      EXPECT_FALSE(memory.is_shared());
      memory.record_of(skua::worker_id{1}).calls.add(3);
      EXPECT_EQ(memory.record_of(skua::worker_id{1}).calls.read(), 3U);
    }
    EXPECT_TRUE((skua::runtime::pool_memory{map, false}.is_shared()));
  }
}

TEST(attach, a_program_that_closes_all_files_keeps_its_own_under_their_numbers) {
  int other = -1;
  {
    skua::pool pool({.workers = 2});
    int const file = files().at(0);
    ASSERT_EQ(::close(file), 0);
    other = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(other, file);
    auto const region = pool.open_region("adws");
    EXPECT_EQ(region.run([](auto& h) { return fib(h, 12); }), 144);
    EXPECT_EQ(in_child([&] { return ::fcntl(other, F_GETFD) >= 0 ? 0 : 1; }), 0);
  }
  EXPECT_GE(::fcntl(other, F_GETFD), 0);
  ::close(other);
}

TEST(attach, another_version_is_named_and_not_read) {
  skua::pool const pool({.workers = 1});
  auto bytes = contents();
  std::uint32_t const other = skua::runtime::shared_pool_version + 1;
  std::memcpy(bytes.data() + offsetof(shared_pool, version), &other, sizeof other);
  std::string const why = refusal_of([&] { attached_pool{forged(bytes).file()}; });
  EXPECT_NE(why.find("in version " + std::to_string(other)), std::string::npos) << why;
}

TEST(attach, what_is_no_pool_is_refused) {
  skua::pool const pool({.workers = 1});
  auto const bytes = contents();
  EXPECT_EQ(refusal_of([&] { attached_pool{forged(bytes).file()}; }), "");
  EXPECT_NE(refusal_of([&] { attached_pool{forged(bytes, false).file()}; }), "") << "it could be cut while we look";
  EXPECT_NE(refusal_of([] { attached_pool{forged({}).file()}; }), "");
  EXPECT_NE(refusal_of([&] { attached_pool{forged({bytes.begin(), bytes.begin() + 4096}).file()}; }), "");
  EXPECT_NE(refusal_of([] { attached_pool{forged(std::vector<std::byte>(1 << 16)).file()}; }), "");
}

TEST(attach, whatever_a_process_writes_a_snapshot_stays_inside_the_memory) {
  skua::pool pool({.workers = 2});
  pool.run([](auto& h) { fib(h, 10); });
  auto const sound = contents();
  unsigned const seed = std::random_device{}();
  std::mt19937 draw(seed);
  auto const dice = [&draw] { return static_cast<std::uint32_t>(draw()); };
  int snapshots = 0;
  for (int round = 0; round < 3000; ++round) {
    auto bytes = sound;
    // Words of the head and of the first record; small, large and random values.
    for (int i = 0; i < 1 + round % 4; ++i) {
      std::size_t const at = 8 + 4 * (dice() % ((sizeof(shared_pool) - 8) / 4));
      std::uint32_t const value = std::array<std::uint32_t, 4>{0, 1U << (dice() % 32), ~0U, dice()}[dice() % 4];
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    forged const memory(bytes);
    std::string const why = refusal_of([&] {
      attached_pool const at(memory.file());
      EXPECT_LE(at.snapshot().workers.size(), bytes.size()) << "seed " << seed;
      ++snapshots;
    });
    EXPECT_TRUE(why.empty() || why.size() > 10) << "seed " << seed;
  }
  EXPECT_GT(snapshots, 100) << "seed " << seed;
}

TEST(processes, one_that_is_not_there_or_belongs_to_another_user_is_named) {
  EXPECT_EQ(refusal_of([] { static_cast<void>(skua::runtime::find_process(99'999'999)); }),
            "there is no process 99999999");
  EXPECT_TRUE(skua::runtime::is_running(self()));
  auto stale = self();
  ++stale.began;
  EXPECT_FALSE(skua::runtime::is_running(stale)) << "another process has the number now";
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a process of another user";
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  pid_t const child = ::fork();
  if (child == 0) {
    bool const is_other = ::setuid(65'534) == 0;
    if (::write(ready[1], &is_other, 1) == 1) ::pause();
    ::_exit(1);
  }
  bool is_other = false;
  EXPECT_EQ(::read(ready[0], &is_other, 1), 1);
  EXPECT_TRUE(is_other);
  std::string const why = refusal_of([&] { static_cast<void>(skua::runtime::find_process(child)); });
  EXPECT_NE(why.find("belongs to user 65534"), std::string::npos) << why;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(processes, one_that_has_ended_is_not_running_before_its_parent_has_waited) {
  std::array<int, 2> done{};
  ASSERT_EQ(::pipe(done.data()), 0);
  pid_t const child = ::fork();
  if (child == 0) {
    ::close(done[1]);
    char end = 0;
    ::_exit(static_cast<int>(::read(done[0], &end, 1)));
  }
  auto const seen = skua::runtime::find_process(child);
  EXPECT_TRUE(skua::runtime::is_running(seen));
  ::close(done[1]);
  while (skua::runtime::is_running(seen)) ::usleep(1000);
  EXPECT_EQ(refusal_of([&] { static_cast<void>(skua::runtime::find_process(child)); }),
            "there is no process " + std::to_string(child));
  ::waitpid(child, nullptr, 0);
  ::close(done[0]);
}

TEST(processes, this_one_is_among_those_with_pools) {
  auto const is_listed = [] {
    auto const all = skua::runtime::processes_with_pools();
    return std::ranges::find(all, self()) != all.end();
  };
  EXPECT_FALSE(is_listed());
  skua::pool const pool({.workers = 1});
  EXPECT_TRUE(is_listed());
  EXPECT_NE(skua::runtime::command_of(self()).find("attach_test"), std::string::npos);
}

}  // namespace
