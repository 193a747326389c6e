// SPDX-License-Identifier: MIT
// The runners of regions_bench on Skua.
#include <cstdlib>
#include <string>

#include "apps/fib/problem.hpp"
#include "bench/regions.hpp"
#include "skua/conventional.hpp"
#include "skua/skua.hpp"

namespace skua::bench::regions {
namespace {

struct interruptions {
  double revocations = 0;
  double heavy_fences = 0;
};

interruptions interruptions_of(pool const& p) {
  interruptions all;
  for (auto const& w : p.counters()) {
    all.revocations += static_cast<double>(w.revocations);
    all.heavy_fences += static_cast<double>(w.heavy_fences);
  }
  return all;
}

/// measure() and how often per second the pool's thieves interrupted its owners meanwhile.
template <class Measure>
void add(figures& all, pool const& p, std::string const& key, Measure const& measure) {
  interruptions const before = interruptions_of(p);
  auto const start = clock::now();
  all.emplace_back(key, measure());
  double const seconds = seconds_since(start);
  interruptions const after = interruptions_of(p);
  all.emplace_back(key + "_revocations", (after.revocations - before.revocations) / seconds);
  all.emplace_back(key + "_heavy_fences", (after.heavy_fences - before.heavy_fences) / seconds);
}

struct face {
  using task_group = skua::task_group;
  template <class Index, class Body>
  static void parallel_for(Index first, Index last, Body const& body) {
    skua::parallel_for(first, last, body);
  }
  template <class F, class G>
  static void parallel_invoke(F const& f, G const& g) {
    skua::parallel_invoke(f, g);
  }
};

}  // namespace

void on_skua(figures& all, setting const& s, std::string const& policy) {
  pool p({.workers = static_cast<std::uint32_t>(s.workers), .policy = policy});
  p.run([&](auto& here) {
    for (std::int64_t us : lengths_us) {
      loop l(s, us);
      std::size_t const middle = l.size() / 2;
      add(all, p, key_of("loop", us), [&] {
        return l.us_per_region([&] { for_each(here, std::size_t{0}, l.size(), [&l](std::size_t i) { l.index(i); }); });
      });
      loop halves(s, us);
      add(all, p, key_of("join", us), [&] {
        return halves.us_per_region([&] {
          here.join([&halves, middle](auto&) { halves.piece(0, middle); },
                    [&halves, middle](auto&) { halves.piece(middle, halves.size()); });
        });
      });
    }
  });
}

void fib_on_skua(figures& all, std::int64_t workers) {
  pool p({.workers = static_cast<std::uint32_t>(workers), .policy = "random"});
  p.run([&](auto& here) {
    for (int n : fib_numbers) {
      bool right = true;
      auto const region = [&] { right = apps::fib::program(here, n) == apps::fib::answer(n) && right; };
      warm_up(region);
      add(all, p, key_of("fib", n), [&] { return us_per_call(100, region); });
      verify(right, "fib(" + std::to_string(n) + ")");
    }
  });
}

void from_main_on_skua(figures& all, setting const& s) {
  setenv("SKUA_WORKERS", std::to_string(s.workers).c_str(), 1);  // before the first call makes the default pool
  from_main<face>(all);
  all.emplace_back("run", us_of("pool.run", 1, 100, [](auto body) { default_pool().run([body](auto&) { body(); }); }));
}

}  // namespace skua::bench::regions
