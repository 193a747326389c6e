// SPDX-License-Identifier: MIT
// How fast a pool responds. Asleep: from a caller's fork to the first instruction of the child on a worker that it woke,
// and from the child's last instruction back to the caller. Searching: the same for a call that a worker takes, because
// it never sleeps. And what a sleeping pool costs: nothing.
//
// A round counts only if the workers' own counters agree: asleep means that a worker has slept since the last round,
// searching means that none has. Rounds that do not count are reported. The searching pool has one worker: with more,
// only some search, and the one that finds a task wakes another, so the counters would show both states.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;
using namespace std::chrono_literals;

struct options : bench::option_table {
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 400, bench::between(1, 1'000'000), "calls per state"};
  bench::number_option<std::uint32_t> workers{*this, "--workers", 2, bench::between(2, 1024),
                                              "workers of the sleeping pool"};
  bench::number_option<std::int64_t> idle_ms{*this, "--idle-ms", 2000, bench::between(40, 600'000),
                                             "how long to watch a sleeping pool"};
};

struct trip {
  double there_ns;
  double back_ns;
};

trip call(pool& p, std::int64_t number) {
  bench::clock::time_point began;
  bench::clock::time_point ended;
  auto const start = bench::clock::now();
  std::int64_t const answer = p.run([&](auto&) {
    began = bench::clock::now();
    std::int64_t const next = number + 1;
    ended = bench::clock::now();
    return next;
  });
  auto const stop = bench::clock::now();
  bench::verify(answer == number + 1, "a task's value");
  return {bench::ns_between(start, began), bench::ns_between(ended, stop)};
}

/// The caller forks, and waits until a worker has run the child: it was asleep, so the fork woke it.
trip call_sleeper(pool& p, std::int64_t number) {
  return p.run([number](auto& here) {
    std::atomic<std::int64_t> answer{0};
    bench::clock::time_point began;
    bench::clock::time_point ended;
    auto const start = bench::clock::now();
    here.join(
        [&](auto&) {
          while (answer.load(std::memory_order_acquire) == 0 && bench::seconds_since(start) < 1) runtime::relax();
        },
        [&](auto&) {
          began = bench::clock::now();
          ended = began;
          answer.store(number + 1, std::memory_order_release);
        });
    auto const stop = bench::clock::now();
    bench::verify(answer.load(std::memory_order_acquire) == number + 1, "a task's value");
    return trip{bench::ns_between(start, began), bench::ns_between(ended, stop)};
  });
}

std::uint64_t sleeps(pool const& p) {
  std::uint64_t all = 0;
  for (auto const& w : p.counters()) all += w.sleeps;
  return all;
}

/// A worker counts a sleep when it wakes, so a call to a sleeping pool adds to the count, and no other call does.
void trips(bench::report& say, options const& o, std::string const& state, pool& p, std::chrono::nanoseconds rest,
           bool asleep) {
  std::vector<double> there;
  std::vector<double> back;
  std::int64_t dropped = 0;
  static_cast<void>(call(p, 0));
  for (std::int64_t i = 0; i < o.rounds; ++i) {
    auto const until = bench::clock::now() + rest;
    if (asleep) std::this_thread::sleep_until(until);
    while (bench::clock::now() < until) {}
    std::uint64_t const before = sleeps(p);
    trip const seen = asleep ? call_sleeper(p, i) : call(p, i);
    if ((sleeps(p) > before) != asleep) {
      ++dropped;
      continue;
    }
    there.push_back(seen.there_ns / 1e3);
    back.push_back(seen.back_ns / 1e3);
  }
  if (dropped > 0) say.note(state + ": " + std::to_string(dropped) + " rounds left out, the workers were not");
  if (there.empty()) return;
  say.row(state + (asleep ? ": fork" : ": run") + " to first instruction", "us", there);
  say.row(state + ": last instruction to caller", "us", back);
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto const seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void idle(bench::report& say, options const& o, pool& p) {
  static_cast<void>(call(p, 0));
  std::this_thread::sleep_for(100ms);  // far longer than workers search
  std::vector<double> percent;
  for (int part = 0; part < 4; ++part) {
    double const before = processor_seconds();
    auto const start = bench::clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(o.idle_ms / 4));
    percent.push_back((processor_seconds() - before) / bench::seconds_since(start) * 100);
  }
  say.row("asleep: processor time of the process", "% of core", percent, bench::at_most(1));
}

void run(options const& o, bench::report& say) {
  {
    pool p({.workers = o.workers});
    trips(say, o, "asleep, " + bench::workers_in_words(o.workers), p, 2ms, true);
    idle(say, o, p);
  }
  {
    pool p({.workers = 1, .spin = runtime::spin_forever});
    trips(say, o, "searching, 1 worker", p, 50us, false);
  }
}

}  // namespace

int main(int argc, char** argv) {
  options const o;
  return bench::run("wake_bench", "how long a pool takes to come when called, and what it costs while it sleeps", o,
                    argc, argv, [&](bench::report& say) { run(o, say); });
}
