// SPDX-License-Identifier: MIT
#include "tests/openmp/random_program.hpp"

#include <link.h>
#include <sched.h>

#include <cstring>
#include <thread>

namespace omp_random {

node generator::for_one(int budget, int level) {
  if (budget <= 0) return {};
  switch (below(13)) {
    case 0: return {};
    case 1: return {node::wait, 1, 0, {}};
    case 2: return {node::task, 1, 0, {for_one(budget - 1, level)}};
    case 3: return {node::undeferred, 1, 0, {for_one(budget - 1, level)}};
    case 4: return {node::included, 1, 0, {for_one(budget - 2, level)}};
    case 5: return {node::group, 1, 0, several(budget - 1, level)};
    case 6: return {node::chain, 2 + below(6), 0, {for_one(0, level)}};
    case 7: return {node::taskloop, 1 + below(20), 0, {for_one(budget - 2, level)}};
    case 8: return {node::cancelled_group, 1 + below(20), below(2), {}};
    case 9: return {node::locked, 1, 0, {}};
    case 10:
      if (level < most_levels) return for_team(budget - 2, level + 1);
      [[fallthrough]];
    default: return {node::sequence, 1, 0, several(budget - 1, level)};
  }
}

node generator::team_part(int budget, int level) {
  node part{static_cast<node::kind>(node::loop + below(8)), 1 + below(40), below(8), {}};
  if (part.what == node::sections) {
    for (int s = 0; s < 3; ++s) part.parts.push_back(for_one(budget - 2, level));
  } else if (part.what <= node::single) {
    part.parts.push_back(for_one(budget - 1, level));
  }
  return part;
}

node generator::for_team(int budget, int level) {
  int const members = 1 + below(level == 1 ? 5 : 3);
  if (below(8) == 0) return {node::cancelled_region, members, below(3), {}};
  if (below(40) == 0) return {node::spinning_region, members, 0, {}};
  node made{node::region, members, 0, {}};
  for (int n = 1 + below(4); n > 0; --n) made.parts.push_back(team_part(budget, level));
  return made;
}

std::vector<node> generator::several(int budget, int level) {
  std::vector<node> made;
  for (int n = 1 + below(3); n > 0; --n) made.push_back(for_one(budget - 1, level));
  return made;
}

bool is_on_skua() {
  auto const has_name = [](dl_phdr_info* info, std::size_t, void*) {
    return std::strstr(info->dlpi_name, "libgomp-skua") != nullptr ? 1 : 0;
  };
  return dl_iterate_phdr(has_name, nullptr) != 0;
}

node program_of(std::uint32_t seed) {
  generator from(seed);
  for (;;) {
    node made = from.for_team(6, 1);
    if (expected(made) <= 200'000) return made;
  }
}

std::uint64_t expected(node const& n) {
  std::uint64_t inside = 0;
  for (node const& p : n.parts) inside += expected(p);
  auto const number = static_cast<std::uint64_t>(n.number);
  switch (n.what) {
    case node::leaf:
    case node::locked: return 1;
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
    default: return inside;  // 0 without parts
  }
}

namespace {

/// Counts what runs inside of a cancelled construct. Nothing does after its end; without OMP_CANCELLATION all of it runs.
struct watched {
  std::atomic<int> begun{0};
  std::atomic<bool> is_over{false};
  void begin(counted& c) {
    ++begun;
    c.wrong += is_over;
  }
  void end(int least, int most, counted& c) {
    is_over = true;
    c.wrong += begun < (omp_get_cancellation() != 0 ? least : most) || begun > most;
  }
};

/// One of the tasks cancels the group; of every second program a child of that task.
void cancel_group(node const& n, counted& c) {
  watched w;
#pragma omp taskgroup
  for (int i = 0; i < n.number; ++i) {
#pragma omp task shared(n, c, w) firstprivate(i)
    {
      w.begin(c);
      if (i == n.number / 2) {
        if (n.schedule == 0) {
#pragma omp cancel taskgroup
        } else {
#pragma omp task
          {
#pragma omp cancel taskgroup
          }
        }
      }
#pragma omp cancellation point taskgroup
      std::this_thread::yield();
    }
  }
  w.end(1, n.number, c);
}

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

void run_group(node const& n, counted& c) {
  std::atomic<int> inside{0};
#pragma omp taskgroup
  {
#pragma omp task shared(inside)
    inside = 1;
    for (node const& p : n.parts) run(p, c);
  }
  c.wrong += inside != 1;
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
    case node::locked: {
      omp_set_lock(&c.lock);
      ++c.in_lock;
      omp_unset_lock(&c.lock);
      break;
    }
    case node::cancelled_group: cancel_group(n, c); break;
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
    case node::group: run_group(n, c); break;
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
    case node::region:
    case node::cancelled_region:
    case node::spinning_region: run_team(n, c); break;
    default: all(); break;
  }
}

void run_loop(node const& n, counted& c) {
  constexpr omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  omp_set_schedule(kinds[n.schedule % 4], n.schedule < 4 ? 0 : 3);
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < n.number; ++i) run(n.parts[0], c);
}

/// By all members: one iteration cancels the loop. `w` is shared.
void cancel_loop(node const& n, counted& c, watched& w) {
  int const last = n.number / 2;
  auto const visit = [&](int i) {
    w.begin(c);
    return i == last;
  };
  if (n.schedule < 4) {
    if (!is_on_skua()) {
#pragma omp barrier  // libgomp cancels the loop before this one, where other members may still be
    }
#pragma omp for schedule(static)
    for (int i = 0; i < n.number; ++i) {
      if (visit(i)) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  } else {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n.number; ++i) {
      if (visit(i)) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
}

void cancel_sections(counted& c, watched& w) {
#pragma omp sections
  {
#pragma omp section
    w.begin(c);
#pragma omp section
    {
      w.begin(c);
#pragma omp cancel sections
    }
#pragma omp section
    {
#pragma omp cancellation point sections
      w.begin(c);
    }
  }
}

/// The last member cancels the region while others are at a barrier, in a loop, or have tasks.
void cancel_region(node const& n, counted& c) {
  watched w;
#pragma omp parallel num_threads(n.number)
  {
    w.begin(c);
    if (omp_get_thread_num() == n.number - 1) {
      if (n.schedule == 2) {
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(c, w)
          c.wrong += w.is_over;
        }
      }
#pragma omp cancel parallel
    }
    if (n.schedule == 1) {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 50; ++i) {
#pragma omp cancellation point for
        c.wrong += w.is_over;
      }
    }
#pragma omp barrier
#pragma omp cancellation point parallel
  }
  w.end(n.number, n.number, c);
}

/// Each member spins until all have begun, without a word to the runtime.
void spin_in_region(node const& n, counted& c) {
  std::atomic<int> begun{0};
#pragma omp parallel num_threads(n.number)
  {
    ++begun;
    while (begun.load(std::memory_order_relaxed) < n.number) {}
  }
  c.wrong += begun != n.number;
}

}  // namespace

void run_team(node const& n, counted& c) {
  if (n.what == node::cancelled_region) return cancel_region(n, c);
  if (n.what == node::spinning_region) return spin_in_region(n, c);
  std::vector<watched> cancelled(n.parts.size());
#pragma omp parallel num_threads(n.number)
  {
    c.wrong += omp_get_num_threads() != n.number;
    for (std::size_t i = 0; i < n.parts.size(); ++i) {
      node const& p = n.parts[i];
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
        case node::cancelled_loop: cancel_loop(p, c, cancelled[i]); break;
        case node::cancelled_sections: cancel_sections(c, cancelled[i]); break;
        case node::critical: {
          if (c.forks_beside) {
            omp_set_lock(&c.lock);
            ++c.in_critical;
            omp_unset_lock(&c.lock);
            break;
          }
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
  for (std::size_t i = 0; i < n.parts.size(); ++i) {
    if (n.parts[i].what == node::cancelled_loop) cancelled[i].end(1, n.parts[i].number, c);
    if (n.parts[i].what == node::cancelled_sections) cancelled[i].end(1, 3, c);
  }
}

}  // namespace omp_random
