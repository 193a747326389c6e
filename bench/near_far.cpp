// SPDX-License-Identifier: MIT
// What distance costs: a cache line that travels between two processors, a steal by a searching worker, a worker that a fork wakes, and a task that
// a policy sends to another worker, for one pair of processors at each distance. The calling thread and the worker are bound, so a round counts only if the other worker took its task.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;
using namespace std::chrono_literals;

struct options : bench::option_table {
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 200, bench::between(1, 1'000'000),
                                            "samples of each figure"};
};

struct pair_of_pus {
  std::uint32_t here;
  std::uint32_t there;
  std::string name;  ///< of the distance: "same L3"
};

/// The first worker, and the first one at each distance from it.
std::vector<pair_of_pus> pairs() {
  topology const machine = topology::machine();
  layout const where(machine, {.workers = static_cast<std::uint32_t>(machine.pus().size())});
  std::vector<pair_of_pus> all;
  std::vector<bool> seen(where.distance_classes());
  for (std::uint32_t w = 1; w < where.workers(); ++w) {
    std::uint32_t const distance = where.distance(worker_id{0}, worker_id{w});
    if (seen[distance]) continue;
    seen[distance] = true;
    all.push_back({where.pu_of(worker_id{0}), where.pu_of(worker_id{w}), where.distance_name(distance)});
  }
  return all;
}

void bind(std::vector<std::uint32_t> const& pus) {
  runtime::cpu_mask mask;
  for (std::uint32_t const pu : pus) mask.insert(pu);
  if (auto const fault = runtime::bind_this_thread(mask))
    throw resource_error("processors " + runtime::to_text(mask) + " cannot be used: " + fault.message());
}

/// Half of the time in which a line goes there and comes back, per sample of 100 trips.
std::vector<double> line_ns(pair_of_pus const& of, std::int64_t rounds) {
  constexpr std::int64_t trips = 100;
  std::int64_t const all = rounds * trips;
  alignas(128) std::atomic<std::int64_t> turn{0};
  std::jthread const other([&] {
    bind({of.there});
    for (std::int64_t i = 0; i < all; ++i) {
      while (turn.load(std::memory_order_acquire) != 2 * i + 1) runtime::relax();
      turn.store(2 * i + 2, std::memory_order_release);
    }
  });
  std::vector<double> seen;
  for (std::int64_t i = 0; i < all;) {
    auto const start = bench::clock::now();
    for (std::int64_t const end = i + trips; i < end; ++i) {
      turn.store(2 * i + 1, std::memory_order_release);
      while (turn.load(std::memory_order_acquire) != 2 * i + 2) runtime::relax();
    }
    seen.push_back(bench::ns_between(start, bench::clock::now()) / trips / 2);
  }
  return seen;
}

/// From a fork to the first instruction of the child on the other worker, and from that child's end until the caller's one knows.
struct visit {
  double there_ns;
  double back_ns;
};

/// Either child may be the one that another worker runs: `random` steals the second. Nothing: nobody came within 0.1 s.
std::optional<visit> visited(pool& p) {
  return p.run([](auto& here) -> std::optional<visit> {
    std::atomic<bool> done{false};
    std::atomic<bool> waits{false};
    bench::clock::time_point began;
    bench::clock::time_point answered;
    bool came = false;
    std::thread::id const callers = std::this_thread::get_id();
    auto const start = bench::clock::now();
    auto const child = [&](auto&) {
      if (std::this_thread::get_id() != callers) {
        began = bench::clock::now();
        return done.store(true, std::memory_order_release);
      }
      if (waits.exchange(true)) return;  // it runs both
      while (!done.load(std::memory_order_acquire) && bench::seconds_since(start) < 0.1) runtime::relax();
      answered = bench::clock::now();
      came = done.load(std::memory_order_acquire);
    };
    here.join(child, child);
    if (!came) return {};
    return visit{bench::ns_between(start, began), bench::ns_between(began, answered)};
  });
}

/// How the other worker gets its task, and what it does until then.
struct way {
  char const* name;
  char const* policy;
  std::chrono::nanoseconds spin;
  std::chrono::nanoseconds rest;  ///< between two rounds
};

/// The pool's two workers are on the two processors; this thread takes the place of one, on its processor.
void visits(bench::report& say, pair_of_pus const& of, way const& w, std::int64_t rounds) {
  bind({of.here, of.there});
  pool p({.workers = 2, .policy = w.policy, .pin = true, .spin = w.spin});
  bind({of.here});
  std::vector<double> there;
  std::vector<double> back;
  for (std::int64_t i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(w.rest);
    if (std::optional<visit> const seen = visited(p)) {
      there.push_back(seen->there_ns);
      back.push_back(seen->back_ns);
    }
  }
  if (there.empty()) return say.note(of.name + ", " + w.name + ": left out, the other worker never came");
  say.row(of.name + ": " + w.name, "ns", there);
  say.row(of.name + ": " + w.name + ", and back", "ns", back);
}

void run(options const& o, bench::report& say) {
  runtime::saved_affinity const restored;
  std::vector<pair_of_pus> const all = pairs();
  if (all.empty()) return say.note("left out: there is one processor");
  for (pair_of_pus const& of : all) {
    bind({of.here});
    say.row(of.name + " (PUs " + std::to_string(of.here) + " and " + std::to_string(of.there) + "): a line's way", "ns",
            line_ns(of, o.rounds));
    for (way const& w : {way{"fork to a searching thief", "random", runtime::spin_forever, 50us},
                         way{"fork to a worker that it wakes", "random", 50us, 2ms},
                         way{"task sent to a searching worker", "adws", runtime::spin_forever, 50us},
                         way{"task sent to a worker that it wakes", "adws", 50us, 2ms}})
      visits(say, of, w, o.rounds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  options const o;
  return bench::run("near_far_bench", "a cache line, a steal and a wake-up between near and far processors", o, argc,
                    argv, [&](bench::report& say) { run(o, say); });
}
