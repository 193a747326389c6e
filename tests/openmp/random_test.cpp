// SPDX-License-Identifier: MIT
// Random programs of OpenMP: regions inside of tasks inside of loops inside of regions, and what they count. constructs_test.cpp says on which libraries
// this runs.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

/// What one thread runs, or, of the second kind, what all members of a team run.
struct node {
  enum kind : std::uint8_t {
    leaf,
    sequence,
    task,
    included,
    undeferred,
    group,
    wait,
    chain,
    taskloop,
    region,  // one thread
    loop,
    each,
    single,
    sections,
    critical,
    barrier
  };  // a team
  kind what = leaf;
  int number = 1;  ///< of members, iterations, or tasks of a chain
  int schedule = 0;
  std::vector<node> parts{};
};

constexpr int most_levels = 3;

class generator {
 public:
  explicit generator(std::uint32_t seed) : dice_(seed) {}

  node for_one(int budget, int level) {
    if (budget <= 0) return {};
    switch (below(11)) {
      case 0: return {};
      case 1: return {node::wait, 1, 0, {}};
      case 2: return {node::task, 1, 0, {for_one(budget - 1, level)}};
      case 3: return {node::undeferred, 1, 0, {for_one(budget - 1, level)}};
      case 4: return {node::included, 1, 0, {for_one(budget - 2, level)}};
      case 5: return {node::group, 1, 0, several(budget - 1, level)};
      case 6: return {node::chain, 2 + below(6), 0, {for_one(0, level)}};
      case 7: return {node::taskloop, 1 + below(20), 0, {for_one(budget - 2, level)}};
      case 8:
        if (level < most_levels) return for_team(budget - 2, level + 1);
        [[fallthrough]];
      default: return {node::sequence, 1, 0, several(budget - 1, level)};
    }
  }
  node for_team(int budget, int level) {
    node made{node::region, 1 + below(level == 1 ? 5 : 3), 0, {}};
    for (int n = 1 + below(4); n > 0; --n) {
      node part{static_cast<node::kind>(node::loop + below(6)), 1 + below(40), below(8), {}};
      if (part.what == node::sections) {
        for (int s = 0; s < 3; ++s) part.parts.push_back(for_one(budget - 2, level));
      } else if (part.what != node::critical && part.what != node::barrier) {
        part.parts.push_back(for_one(budget - 1, level));
      }
      made.parts.push_back(std::move(part));
    }
    return made;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(dice_); }
  std::vector<node> several(int budget, int level) {
    std::vector<node> made;
    for (int n = 1 + below(3); n > 0; --n) made.push_back(for_one(budget - 1, level));
    return made;
  }
  std::mt19937 dice_;
};

std::uint64_t expected(node const& n) {
  std::uint64_t inside = 0;
  for (node const& p : n.parts) inside += expected(p);
  auto const number = static_cast<std::uint64_t>(n.number);
  switch (n.what) {
    case node::leaf: return 1;
    case node::chain:
    case node::taskloop:
    case node::loop: return number * inside;
    case node::region: {
      std::uint64_t all = 0;
      for (node const& p : n.parts)
        all += p.what == node::each || p.what == node::critical
                   ? number * (p.what == node::critical ? 1 : expected(p.parts[0]))
                   : expected(p);
      return all;
    }
    case node::barrier: return 0;
    default: return inside;
  }
}

struct counted {
  std::atomic<std::uint64_t> leaves{0};
  std::uint64_t in_critical = 0;
  std::atomic<int> wrong{0};
};

void run_team(node const& n, counted& c);

void run(node const& n, counted& c);

void run_chain(node const& n, counted& c) {
  int link = 0;
  for (int i = 0; i < n.number; ++i) {
#pragma omp task depend(inout : link) shared(n, c, link) firstprivate(i)
    {
      c.wrong += link != i;
      link = i + 1;
      run(n.parts[0], c);
    }
  }
#pragma omp taskwait
  c.wrong += link != n.number;
}

void run(node const& n, counted& c) {
  auto const all = [&] {
    for (node const& p : n.parts) run(p, c);
  };
  switch (n.what) {
    case node::leaf:
      if (c.leaves.fetch_add(1, std::memory_order_relaxed) % 4 == 3) ::sched_yield();  // parks members of nested teams
      break;
    case node::task: {
#pragma omp task shared(n, c)
      run(n.parts[0], c);
      break;
    }
    case node::undeferred: {
#pragma omp task if (0) shared(n, c)
      run(n.parts[0], c);
      break;
    }
    case node::included: {
#pragma omp task final(1) shared(n, c)
      run(n.parts[0], c);
      break;
    }
    case node::group: {
      std::uint64_t before = 0;
      std::atomic<std::uint64_t> inside{0};
#pragma omp taskgroup
      {
#pragma omp task shared(inside)
        inside = 1;
        all();
      }
      before = inside;
      c.wrong += before != 1;
      break;
    }
    case node::wait: {
      int done = 0;
#pragma omp task shared(done)
      done = 1;
#pragma omp taskwait
      c.wrong += done != 1;
      break;
    }
    case node::chain: run_chain(n, c); break;
    case node::taskloop: {
#pragma omp taskloop shared(n, c)
      for (int i = 0; i < n.number; ++i) run(n.parts[0], c);
      break;
    }
    case node::region: run_team(n, c); break;
    default: all(); break;
  }
}

void run_loop(node const& n, counted& c) {
  constexpr omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  omp_set_schedule(kinds[n.schedule % 4], n.schedule < 4 ? 0 : 3);
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < n.number; ++i) run(n.parts[0], c);
}

void run_team(node const& n, counted& c) {
#pragma omp parallel num_threads(n.number)
  {
    c.wrong += omp_get_num_threads() != n.number;
    for (node const& p : n.parts) {
      switch (p.what) {
        case node::loop: run_loop(p, c); break;
        case node::each: run(p.parts[0], c); break;
        case node::single: {
#pragma omp single nowait
          run(p.parts[0], c);
          break;
        }
        case node::sections: {
#pragma omp sections nowait
          {
#pragma omp section
            run(p.parts[0], c);
#pragma omp section
            run(p.parts[1], c);
#pragma omp section
            run(p.parts[2], c);
          }
          break;
        }
        case node::critical: {
#pragma omp critical
          if (++c.in_critical % 4 == 3) ::sched_yield();
          break;
        }
        default: {
#pragma omp barrier
          break;
        }
      }
    }
  }
}

std::uint32_t number_from(char const* name, std::uint32_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

TEST(openmp_random_programs, count_what_they_should) {
  omp_set_max_active_levels(most_levels);
  omp_set_dynamic(0);
  std::uint32_t const first = number_from("SEED", 20261);
  std::uint32_t const programs = number_from("PROGRAMS", 150);
  for (std::uint32_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE("SEED=" + std::to_string(seed) + " PROGRAMS=1");
    node const program = generator(seed).for_team(6, 1);
    if (expected(program) > 200'000) continue;
    for (int repeat = 0; repeat < 3; ++repeat) {
      counted c;
      run_team(program, c);
      ASSERT_EQ(c.leaves + c.in_critical, expected(program));
      ASSERT_EQ(c.wrong, 0);
    }
  }
  omp_set_max_active_levels(1);
}

}  // namespace
