// SPDX-License-Identifier: MIT
// skynet: a tree of ten children per node and a million leaves, which return their numbers; nodes add. It does nothing but make
// children, by `join_each`, by scopes and by task_groups: what a child costs that is not a fork. Every sum is verified.
#include <array>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;

constexpr std::int64_t leaves = 1'000'000;
constexpr std::int64_t children = 10;
constexpr std::int64_t sum_of_leaves = leaves * (leaves - 1) / 2;
using parts = std::array<std::int64_t, children>;

std::int64_t sum_of(parts const& all) { return std::accumulate(all.begin(), all.end(), std::int64_t{0}); }

std::int64_t by_each(auto& here, std::int64_t first, std::int64_t size) {
  if (size == 1) return first;
  parts all{};
  std::int64_t const part = size / children;
  here.join_each(std::views::iota(std::size_t{0}, all.size()), [&](auto& h, std::size_t i) {
    all[i] = by_each(h, first + static_cast<std::int64_t>(i) * part, part);
  });
  return sum_of(all);
}

std::int64_t by_scope(auto& here, std::int64_t first, std::int64_t size) {
  if (size == 1) return first;
  parts all{};
  std::int64_t const part = size / children;
  here.scope([&](auto& s) {
    for (std::int64_t& sum : all) {
      s.spawn([&sum, first, part](auto& h) { sum = by_scope(h, first, part); });
      first += part;
    }
  });
  return sum_of(all);
}

std::int64_t by_group(std::int64_t first, std::int64_t size) {
  if (size == 1) return first;
  parts all{};
  std::int64_t const part = size / children;
  task_group group;
  for (std::int64_t& sum : all) {
    group.run([&sum, first, part] { sum = by_group(first, part); });
    first += part;
  }
  group.wait();
  return sum_of(all);
}

/// The forms take turns, so that all meet the same machine.
void compare(bench::report& say, std::int64_t rounds, std::uint32_t n) {
  pool workers({.workers = n});
  std::vector<double> each;
  std::vector<double> scopes;
  std::vector<double> groups;
  auto const timed = [&](std::vector<double>& times, auto&& tree) {
    std::int64_t sum = 0;
    times.push_back(bench::ns_of([&] { sum = workers.run(tree); }) / 1e6);
    bench::verify(sum == sum_of_leaves, "the sum of the leaves");
  };
  for (std::int64_t round = -1; round < rounds; ++round) {
    timed(each, [](auto& h) { return by_each(h, 0, leaves); });
    timed(scopes, [](auto& h) { return by_scope(h, 0, leaves); });
    timed(groups, [](auto&) { return by_group(0, leaves); });
    if (round < 0) each.clear(), scopes.clear(), groups.clear();  // it warms up
  }
  std::string const with = ", " + bench::workers_in_words(n);
  say.row("join_each" + with, "ms", each);
  say.row("scopes" + with, "ms", scopes);
  say.row("task_groups" + with, "ms", groups);
  say.row("scopes against join_each" + with, "times", bench::ratios(scopes, each), bench::at_most(1.5));
  say.row("task_groups against join_each" + with, "times", bench::ratios(groups, each), bench::at_most(1.5));
}

}  // namespace

int main(int argc, char** argv) {
  struct : bench::option_table {
    bench::number_option<std::int64_t> rounds{*this, "--rounds", 15, bench::between(1, 1000), "timed rounds"};
  } const o;
  return bench::run("skynet", "trees of ten children per node by join_each, scopes and task_groups", o, argc, argv,
                    [&](bench::report& all) {
                      compare(all, o.rounds, 1);
                      compare(all, o.rounds, 2);
                    });
}
