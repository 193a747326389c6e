// SPDX-License-Identifier: MIT
// Each day: how much rain stays on which field, and which fields to drain. Ranks share the forecasts and the search.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <ranges>

#include "skua/mpi.hpp"
#include "skua/rank_pool.hpp"
#include "skua/skua.hpp"

constexpr std::size_t fields = 24, days = 5, steps = 8, stride = 1024;
constexpr int budget = 6000;
std::size_t rows_of(std::size_t field) { return 224 + 32 * (field * 7 % fields); }

/// Two states of a triangle: row r has r cells, from column 1 on, amid zeros. Each 32 rows lie on the next place.
struct water {
  std::uint32_t places;
  skua::page_array<double> even{stride * stride}, odd{stride * stride};
  double* row(std::size_t step, std::size_t r) { return (step % 2 == 0 ? even : odd).data() + r * stride; }
  skua::at home(std::size_t r) const { return skua::at{skua::place_id(static_cast<std::uint32_t>(r / 32) % places)}; }
};

void advance(auto& here, water& w, std::size_t step, std::size_t r, std::size_t seed) {  // row r; step 0 is the rain
  double const *own = w.row(step + 1, r), *above = own - stride, *below = own + stride;
  double* const to = w.row(step, r);
  here.leaf(skua::reads{above, 8 * r, 3, 8 * stride}, skua::writes{to, 8 * r}, skua::flops{6. * double(r)}, [=] {
    for (std::size_t c = 1; c <= r; ++c) {
      to[c] = step == 0 ? double((r * 7 + c * 13) * seed % 17)
                        : own[c] / 2 + (own[c - 1] + own[c + 1] + above[c] + below[c]) / 8;
    }
  });
}

/// The water that stays on a field. 64 rows are a node, which waits for the last step of the nodes above and below.
double forecast(auto& here, water& w, std::size_t field, std::size_t day) {
  std::size_t const rows = rows_of(field);
  skua::flow graph(here);
  for (std::size_t step = 0; step <= steps; ++step) {
    std::fill_n(w.row(step, rows + 1), rows + 2, 0.0);
    auto const reads = [&](std::size_t row) { return skua::reads{w.row(step + 1, row), 1}; };
    for (std::size_t first = 1; first <= rows; first += 64) {
      graph.add_team(skua::address::of(first, rows + 1), skua::task_type{1}, reads(first > 64 ? first - 64 : first),
                     reads(first), reads(first + 64), skua::writes{w.row(step, first), 1},
                     [&, step, first](auto& team) {
                       auto const [begin, end] = team.share(std::min<std::size_t>(64, rows + 1 - first));
                       auto const hint_of = [&w](std::size_t r) { return skua::work{double(r)} | w.home(r); };
                       team.here().join_each(std::views::iota(first + begin, first + end), hint_of,
                                             [&](auto& h, std::size_t r) { advance(h, w, step, r, field + day); });
                     });
    }
  }
  graph.run(here);
  double left = 0;
  for (std::size_t r = 1; r <= rows; ++r)
    for (std::size_t c = 1; c <= r; ++c) left += w.row(steps, r)[c];
  return left;
}

/// A field's forecast or, if there is no such field, a plan of which `at` choices have been made.
struct job {
  std::size_t field, at;
  double gain, known;  // known: the best gain that its rank has heard of
  int money;
};
using choice = std::pair<double, int>;  // gain and cost

/// A strategy: the plans that promise most come first, and those that promise no more than a known one need not run.
struct by_promise {
  std::atomic<double> const* best;
  double bound;
  double key(skua::strategies::requester const&) const { return -bound; }
  bool is_dead() const { return bound <= *best; }
};

/// Calls spawn(order, next) for what may come next.
void branch(std::vector<choice> const& all, std::atomic<double>& best, job const& p, auto const& spawn) {
  double const heard = std::max(p.gain, p.known);
  for (double known = best; known < heard && !best.compare_exchange_weak(known, heard);) continue;
  if (p.at == fields) return;
  auto const [gain, cost] = all[p.at];
  for (int const taken : {0, 1}) {
    job const next{fields, p.at + 1, p.gain + taken * gain, best, p.money - taken * cost};
    by_promise const order{&best, next.gain + gain * next.money / cost};  // no later choice gains more for its cost
    if (next.money >= 0 && !order.is_dead()) spawn(order, next);
  }
}

void search(auto& region, std::vector<choice> const& all, std::atomic<double>& best, job const& p) {
  branch(all, best, p, [&](by_promise const& order, job const& next) {
    region.spawn(order, [&all, &best, next](auto& r) { search(r, all, best, next); });
  });
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  skua::pool pool;
  skua::rank_pool const workers(world, pool);
  std::vector<water> own;
  while (own.size() < world.workers()) {
    water& w = own.emplace_back(pool.places());
    for (auto* state : {&w.even, &w.odd}) distribute_cyclic(*state, 32 * stride * sizeof(double), pool.layout());
  }
  std::size_t day = 0, chosen = 0;
  std::vector left(days + 1, std::vector<double>(fields));  // by day; the first is a guess
  for (std::size_t f = 0; f < fields; ++f) left[0][f] = 4. * double(rows_of(f) * rows_of(f));
  std::vector<choice> all(fields);
  std::atomic<double> best{0};  // gain of the plans that this rank has heard of
  skua::task_collection<job> jobs(world, {.name = "floods"}, [&](auto& site, job const& j) {
    if (j.field < fields) {
      left[day][j.field] = pool.run([&](auto& here) { return forecast(here, own[site.worker()], j.field, day); });
    } else if (j.at < 4) {
      branch(all, best, j, [&](auto&, job const& next) { site.spawn(next); });
    } else {
      pool.run([&](auto& here) { here.finish([&](auto& region) { search(region, all, best, j); }); });
    }
  });
  for (std::size_t f = 0; world.rank() == 0 && f <= fields; ++f) jobs.add({f, 0, 0, 0, budget});
  skua::serial here;
  bool right = true;
  for (day = 1; day <= days; ++day) {
    best = 0;  // all ranks begin with yesterday's plan
    for (std::size_t f = 0; f < fields; ++f) {
      // A whole number with a bit for the field: so there is one best plan, and its gain tells which.
      double const gain = std::round(left[day - 1][f] / 1000) * (1 << fields) + (1 << f);
      all[f] = {gain, static_cast<int>(rows_of(f) * rows_of(f) / 1024 + f % 3)};
      if ((chosen >> f & 1) != 0) best = best + gain;
    }
    std::ranges::sort(all, [](choice a, choice b) { return a.first * b.second > b.first * a.second; });
    jobs.process();
    world.sum(left[day]);
    double const gain = world.max(best);
    chosen = static_cast<std::size_t>(gain) % (1 << fields);
    skua::collection_report const report = jobs.report();
    if (world.rank() == 0) std::printf("%.3f s, plan %06zx, %s\n", report.seconds, chosen, in_words(report).c_str());
    if (day == 1) jobs.rebalance("hierarchical");
    jobs.restore();  // a job starts where it ran yesterday
    for (std::size_t f = world.rank(); f < fields; f += world.size())
      right = right && left[day][f] == forecast(here, own[0], f, day);
    std::vector<double> most(budget + 1);  // by dynamic programming
    for (auto const& [value, cost] : all)
      for (int b = budget; b >= cost; --b) most[b] = std::max(most[b], most[b - cost] + value);
    right = right && gain == most[budget];
  }
  right = world.max(right ? 0. : 1.) == 0;
  if (world.rank() == 0) std::printf("%s under %s\n", right ? "right" : "wrong", std::string(pool.policy()).c_str());
  return right ? 0 : 1;
}
