// SPDX-License-Identifier: MIT
#include "skua/policy/balance/balancers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

constexpr option_owner of(std::string_view name) noexcept { return {"balancer", name}; }

constexpr known_option donate_option{"donate",
                                     "donate=C: a rank offers its shortest tasks while its load is above C times the "
                                     "average (1 .. 1000, default 1.003)"};
constexpr known_option binned_option{"binned", "binned: times of tasks in bins, within 5 %, instead of exact ones",
                                     true};

balancer make_none(std::span<chosen_option const> /*chosen*/) { return no_balancing{}; }

balancer make_centralised(std::span<chosen_option const> chosen) {
  centralised_options options;
  for (chosen_option const& o : chosen) {
    if (o.word == "donate") options.donate = number(of("centralised"), o, 1, 1000);
    if (o.word == "binned") options.loads = load_database::detail::binned;
  }
  return options;
}

constexpr std::array centralised_known{donate_option, binned_option};

balancer make_hierarchical(std::span<chosen_option const> chosen) {
  hierarchical_options options;
  for (chosen_option const& o : chosen) {
    if (o.word == "arity") options.arity = whole_number(of("hierarchical"), o, 2, 1'000'000);
    if (o.word == "donate") options.donate = number(of("hierarchical"), o, 1, 1000);
    if (o.word == "fill") options.fill = number(of("hierarchical"), o, 0, 1000);
    if (o.word == "sweeps") options.sweeps = whole_number(of("hierarchical"), o, 1, 16);
    if (o.word == "as-published") {
      options.sweeps = 1;
      options.fits = false;
    }
    if (o.word == "binned") options.loads = load_database::detail::binned;
  }
  return options;
}

constexpr std::array hierarchical_known{
    known_option{"arity", "arity=N: a node of the tree has N children (2 .. 1000000, default 3)"},
    donate_option,
    known_option{"fill", "fill=D: a node fills its children up to D times the average (0 .. 1000, default 1.003)"},
    known_option{"sweeps",
                 "sweeps=S: long tasks go through the tree before short ones, in S steps (1 .. 16, default 3)"},
    known_option{
        "as-published",
        "as-published: one sweep, and a child below D times the average gets the longest task, however long it is",
        true},
    binned_option,
};

balancer make_tempered(std::span<chosen_option const> chosen) {
  constexpr std::array<std::string_view, 3> orders{"fewest", "shortest", "longest"};  // of transfer_order
  constexpr option_owner self = of("tempered");
  tempered_options options;
  for (chosen_option const& o : chosen) {
    if (o.word == "fanout") options.gossip.fanout = whole_number(self, o, 1, 1000);
    if (o.word == "rounds") options.gossip.rounds = whole_number(self, o, 1, 1000);
    if (o.word == "known") options.gossip.known = whole_number(self, o, 1, 1'000'000);
    if (o.word == "iterations") options.iterations = whole_number(self, o, 0, 1000);
    if (o.word == "exchanges") options.exchanges = whole_number(self, o, 0, 1000);
    if (o.word == "partners") options.partners = whole_number(self, o, 1, 1000);
    if (o.word == "trials") options.trials = whole_number(self, o, 1, 1000);
    if (o.word == "order") options.order = static_cast<transfer_order>(word_of(self, o, orders));
    if (o.word == "goal") options.goal = number(self, o, 1, 1000);
  }
  return options;
}

constexpr std::array tempered_known{
    known_option{"fanout", "fanout=F: in a round of gossip a rank tells F others (1 .. 1000, default 4)"},
    known_option{"rounds", "rounds=K: rounds of gossip (1 .. 1000, default: as many as are useful)"},
    known_option{"known", "known=N: a rank remembers N underloaded ranks (1 .. 1000000, default 32)"},
    known_option{"iterations", "iterations=I: gossip and transfers, I times (0 .. 1000, default 8)"},
    known_option{"exchanges",
                 "exchanges=E: then gossip and exchanges, up to E times; 0: as published (0 .. 1000, default 16)"},
    known_option{"partners",
                 "partners=N: a rank asks N others for an exchange after each gossip (1 .. 1000, default 2)"},
    known_option{"trials", "trials=T: all of it T times, the best counts (1 .. 1000, default 1)"},
    known_option{"order",
                 "order=fewest|shortest|longest: which tasks are tried first; fewest: few migrations (default)"},
    known_option{"goal", "goal=G: ends once no load is above G times the average (1 .. 1000, default 1.003)"},
};

constexpr std::array entries{
    balancer_entry{"none", "every task starts where it ran last", {}, make_none},
    balancer_entry{"centralised", "one rank assigns the tasks that overloaded ranks donate (persistence-based, 2012)",
                   centralised_known, make_centralised},
    balancer_entry{"hierarchical", "a tree fills underloaded ranks, near ones first (persistence-based, 2012)",
                   hierarchical_known, make_hierarchical},
    balancer_entry{"tempered", "ranks find partners by gossip, several rounds before any task moves (TemperedLB, 2021)",
                   tempered_known, make_tempered},
};

/// One function per alternative of `balancer`.
struct rebalancing {
  machine_loads const& loads;
  std::uint64_t seed;

  balance_plan operator()(no_balancing const&) const { return plan_of(loads, {}, hierarchical_options{}.arity); }
  balance_plan operator()(centralised_options const& o) const { return centralised(loads, o); }
  balance_plan operator()(hierarchical_options const& o) const { return hierarchical(loads, o); }
  balance_plan operator()(tempered_options const& o) const { return tempered(loads, o, seed); }
};

}  // namespace

std::span<balancer_entry const> all() noexcept { return entries; }

balancer make_balancer(std::string_view name_with_options) {
  std::size_t const colon = name_with_options.find(':');
  std::string_view const name = name_with_options.substr(0, colon);
  auto const found = std::ranges::find(entries, name, &balancer_entry::name);
  if (found == entries.end()) {
    std::vector<std::string_view> known(entries.size());
    std::ranges::transform(entries, known.begin(), &balancer_entry::name);
    throw usage_error(unknown_name("balancer", name, known));
  }
  if (colon == std::string_view::npos) return found->make({});
  return found->make(chosen_options(of(found->name), found->options, name_with_options.substr(colon + 1)));
}

balance_plan rebalance(machine_loads const& loads, balancer const& chosen, std::uint64_t seed) {
  return std::visit(rebalancing{loads, seed}, chosen);
}

}}}}  // namespace skua::v0::policies::balance
