// SPDX-License-Identifier: MIT
#include "skua/policy/registry.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/policy/adws/adws.hpp"
#include "skua/policy/arms/arms.hpp"
#include "skua/policy/automatic/automatic.hpp"
#include "skua/policy/combined/combined.hpp"
#include "skua/policy/combined/named_answers.hpp"
#include "skua/policy/hierarchical.hpp"
#include "skua/policy/named_options.hpp"
#include "skua/policy/numa_ws.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/random.hpp"
#include "skua/policy/replay/replay.hpp"
#include "skua/policy/strategies.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

constexpr option_owner of(std::string_view policy_name) noexcept { return {"policy", policy_name}; }

std::unique_ptr<policy> make_random(policy_setup const& from) {
  return std::make_unique<random_stealing>(from.layout, from.seed);
}

std::unique_ptr<policy> make_hierarchical(policy_setup const& from) {
  std::uint32_t patience = 1;
  for (chosen_option const& o : from.options) patience = whole_number(of("hierarchical"), o, 1, 1000);
  return std::make_unique<hierarchical_stealing>(from.layout, from.seed, patience);
}

std::unique_ptr<policy> make_adws(policy_setup const& from) {
  adws_options options;
  for (chosen_option const& o : from.options) {
    if (o.word == "no-steal") options.steal = false;
    if (o.word == "paper") {
      options.widen = widening::never;
      options.delays_steals = options.by_speed = false;
    }
    if (o.word == "widen") options.widen = widening::always;
    if (o.word == "equal") options.by_speed = false;
  }
  return std::make_unique<almost_deterministic>(from.layout, from.seed, options);
}

std::unique_ptr<policy> make_numa_ws(policy_setup const& from) {
  numa_ws_options options;
  for (chosen_option const& o : from.options) {
    if (o.word == "threshold") options.threshold = whole_number(of("numa-ws"), o, 0, 1000);
    if (o.word == "bias") options.bias = whole_number(of("numa-ws"), o, 1, 100);
    if (o.word == "as-released") options.as_released = true;
    if (o.word == "local") options.local = true;
  }
  return std::make_unique<numa_aware_stealing>(from.layout, from.seed, options);
}

constexpr std::array numa_ws_options_known{
    policy_option{"threshold", "threshold=K: a task is pushed home at most K + 1 times (0 .. 1000, default 4)"},
    policy_option{"bias", "bias=B: near victims B, local ones B * B times as likely as far ones (1 .. 100, default 4)"},
    policy_option{"as-released",
                  "as-released: try a victim's mailbox first, without a coin, as the published code does", true},
    policy_option{"local", "local: no steals from other places", true},
};

std::unique_ptr<policy> make_replay(policy_setup const& from) {
  replay_options options;
  for (chosen_option const& o : from.options) {
    if (o.word == "relaxed") options.relaxed = whole_number(of("replay"), o, 0, 1'000'000);
    if (o.word == "groups") options.groups = whole_number(of("replay"), o, 0, 60'000);
    if (o.word == "detail") options.detail = whole_number(of("replay"), o, 1, 20);
    if (o.word == "watch") options.watch = whole_number(of("replay"), o, 1, 1'000'000);
    if (o.word == "near-first") options.near_first = true;
    if (o.word == "paper") options.refines = false;
  }
  return std::make_unique<replaying>(from.layout, from.seed, options);
}

constexpr std::array replay_options_known{
    policy_option{"relaxed", "relaxed=K: K iterations after the first follow the record and still steal (default 5)"},
    policy_option{"groups", "groups=K: K joins of the root are an iteration; 0: every root is one (default 1)"},
    policy_option{
        "detail",
        "detail=B: record steals down to the depth with 2^B branches (1 .. 20, default: 32 branches per worker)"},
    policy_option{"watch", "watch=K: check the tree for changes in every Kth strict iteration (default 64)"},
    policy_option{"paper", "paper: strict iterations repeat the record as it is, as in the papers", true},
    policy_option{"near-first", "near-first: steal as hierarchical does instead of as random does", true},
};

constexpr std::array adws_options_known{
    policy_option{"no-steal", "no-steal: every task runs on the worker that its work hints select", true},
    policy_option{"paper", "paper: an idle worker steals at once, and in its own group only, as in the paper", true},
    policy_option{"widen",
                  "widen: an idle worker whose group has no tasks steals in the enclosing groups, even while pages are "
                  "touched for the first time",
                  true},
    policy_option{"equal", "equal: all workers get the same work, also those on slow cores", true},
};

constexpr std::array hierarchical_options{
    policy_option{"patience", "patience=K: leave a ring of n workers after K * n misses (1 .. 1000, default 1)"},
};

strategies_options strategies_options_from(std::span<chosen_option const> chosen) {
  strategies_options options;
  for (chosen_option const& o : chosen) {
    if (o.word == "lifo") options.lifo = true;
    if (o.word == "urgency") options.urgency_us = whole_number(of("strategies"), o, 0, 1'000'000);
  }
  return options;
}

std::unique_ptr<policy> make_strategies(policy_setup const& from) {
  return std::make_unique<configurable_strategies>(from.layout, from.seed, strategies_options_from(from.options));
}

constexpr std::array strategies_options_known{
    policy_option{"lifo", "lifo: ignore strategies; newest first, thieves oldest first, no spawn is a call", true},
    policy_option{
        "urgency",
        "urgency=T: look every T us for a more urgent task of another worker (0 .. 1000000, default 20; 0: never)"},
};

std::unique_ptr<adaptive_moldable> make_arms(policy_setup const& from, bool nodes_only) {
  constexpr std::array<std::string_view, 3> costs{"product", "time", "idle"};  // in the order of arms::cost
  constexpr std::array<std::string_view, 2> models{"history", "power"};        // in the order of arms_model
  constexpr std::array<std::string_view, 2> measures{"team", "leader"};        // in the order of arms::measure
  constexpr std::array<std::string_view, 2> off_or_on{"off", "on"};
  arms_options options;
  options.nodes_only = nodes_only;
  options.derives = !nodes_only;  // in a combined policy what a program does not say costs nothing
  for (chosen_option const& o : from.options) {
    if (o.word == "width") options.width = static_cast<std::uint16_t>(whole_number(of("arms"), o, 1, 65'535));
    if (o.word == "cost") options.cost = static_cast<arms::cost>(word_of(of("arms"), o, costs));
    if (o.word == "model") options.model = static_cast<arms_model>(word_of(of("arms"), o, models));
    if (o.word == "measure") options.measure = static_cast<arms::measure>(word_of(of("arms"), o, measures));
    if (o.word == "idle-tries") options.idle_tries = whole_number(of("arms"), o, 0, 1'000'000);
    if (o.word == "threshold") options.threshold = whole_number(of("arms"), o, 0, 1'000'000);
    if (o.word == "derive") options.derives = true;
    if (o.word == "critical") options.critical = word_of(of("arms"), o, off_or_on) == 1;
  }
  auto made = from.partitions != nullptr
                  ? std::make_unique<adaptive_moldable>(from.layout, *from.partitions, from.seed, options)
                  : std::make_unique<adaptive_moldable>(from.layout, from.seed, options);
  made->remember(from.known);
  return made;
}

std::unique_ptr<policy> make_auto_forks(policy_setup const& from) {
  automatic_options options;
  for (chosen_option const& o : from.options) {
    if (o.word == "explain") options.explains = true;
    if (o.word == "no-trials") options.tries = false;
  }
  auto made = std::make_unique<automatic_policy>(from.layout, from.seed, options);
  made->remember(from.known);
  return made;
}

constexpr std::array auto_options_known{
    policy_option{"explain", "explain: say at the end what was chosen for which call, and why", true},
    policy_option{"no-trials", "no-trials: choose by rules only, and measure nothing", true},
};

std::unique_ptr<policy> make_whole_arms(policy_setup const& from) { return make_arms(from, false); }

constexpr std::array arms_options_known{
    policy_option{"width", "width=K: no task runs on more than K workers; 1: ARMS-1 (1 .. 65535)"},
    policy_option{"cost",
                  "cost=idle|product|time: the minimised cost: time * busy members (default), time * width, time"},
    policy_option{"model", "model=history|power: each width has measured times, or times follow a power of the width"},
    policy_option{"measure",
                  "measure=team|leader: time from the choice to the last member's end (default), or the leader's part"},
    policy_option{"idle-tries",
                  "idle-tries=K: failed steals from neighbours before one from a distant worker (default 10)"},
    policy_option{"threshold", "threshold=K: rejected far steals before the thief takes any task (default 4)"},
    policy_option{"critical",
                  "critical=off|on: nodes on a flow's critical path go to the best partition at once (default off)"},
    policy_option{"derive",
                  "derive: regular flows without addresses get some by depth and breadth; only:arms always does so",
                  true},
};

constexpr std::array entries{
    policy_entry{"auto", "how forks travel is found out", answer_word::forks, auto_options_known, make_auto_forks},
    policy_entry{"random",
                 "one victim at a time, uniformly at random (Blumofe, Leiserson 1999)",
                 answer_word::forks,
                 {},
                 make_random},
    policy_entry{"hierarchical", "near before far: rings of the topology, widened after misses (HotSLAW, 2011)",
                 answer_word::forks, hierarchical_options, make_hierarchical},
    policy_entry{"adws", "tasks spread by their work hints, stealing inside the group's range (ADWS, 2019)",
                 answer_word::forks, adws_options_known, make_adws},
    policy_entry{"numa-ws", "stolen tasks are pushed to the place of their hint, near victims first (NUMA-WS, 2018)",
                 answer_word::forks, numa_ws_options_known, make_numa_ws},
    policy_entry{"replay", "iterations repeat the steals of the first ones (constrained work stealing, 2013, 2014)",
                 answer_word::forks, replay_options_known, make_replay},
    policy_entry{"strategies",
                 "tasks of finish regions in the order of their strategies, half the work is stolen (2013)",
                 answer_word::spawned, strategies_options_known, make_strategies},
    policy_entry{"arms", "tasks start near their data, with a width chosen by their past times (ARMS, 2021)",
                 answer_word::nodes, arms_options_known, make_whole_arms},
};

policy_entry const& entry_of(std::string_view name) {
  auto const found = std::ranges::find(entries, name, &policy_entry::name);
  if (found != entries.end()) return *found;
  std::vector<std::string_view> known(entries.size());
  std::ranges::transform(entries, known.begin(), &policy_entry::name);
  throw usage_error(unknown_name("policy", name, known));
}

/// A name with its options.
struct chosen_policy {
  policy_entry const& entry;
  std::vector<chosen_option> options;
};

chosen_policy chosen_from(std::string_view name_with_options) {
  std::size_t const colon = name_with_options.find(':');
  policy_entry const& entry = entry_of(name_with_options.substr(0, colon));
  if (colon == std::string_view::npos) return {entry, {}};
  return {entry, chosen_options(of(entry.name), entry.options, name_with_options.substr(colon + 1))};
}

policy_setup with(policy_setup const& from, chosen_policy const& chosen) {
  return {from.layout, from.seed, chosen.options, from.partitions, from.known};
}

constexpr std::string_view checked_prefix = "checked:";
constexpr std::string_view only_prefix = "only:";
constexpr std::string_view plain =
    "plain";  ///< treated as forks are: strategies, or addresses and widths, have no effect
constexpr std::array<std::string_view, 6> for_forks{"auto", "random", "hierarchical", "adws", "numa-ws", "replay"};
constexpr std::array<std::string_view, 2> for_spawned{"strategies", plain};
constexpr std::array<std::string_view, 2> for_nodes{"arms", plain};

/// `typed`, or the first of the allowed names if nothing was typed.
std::string_view answer(std::string_view word, std::string_view typed, std::span<std::string_view const> allowed) {
  if (typed.data() == nullptr) return allowed.front();
  std::string_view const name = typed.substr(0, typed.find(':'));
  if (std::ranges::find(allowed, name) != allowed.end()) {
    if (name == plain && typed != plain)
      static_cast<void>(chosen_options({"answer", plain}, {}, typed.substr(plain.size() + 1)));
    return typed;
  }
  throw usage_error(
      unknown_name("answer for " + std::string(word) + " of a policy", name, {allowed.begin(), allowed.end()}));
}

/// A policy that treats every kind of task itself, under a name that says so.
class only_policy final : public policy {
 public:
  explicit only_policy(std::unique_ptr<policy> inner)
      : inner_(std::move(inner)), name_("only:" + std::string(inner_->name())) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] policy_needs needs() const noexcept override { return inner_->needs(); }
  worker_policy& of_worker(worker_id w) noexcept override { return inner_->of_worker(w); }
  void watch(machine_view const& machine) noexcept override { inner_->watch(machine); }
  [[nodiscard]] std::string report() const override { return inner_->report(); }
  [[nodiscard]] std::vector<call_choice> choices() const override { return inner_->choices(); }
  [[nodiscard]] std::vector<known_time> known() const override { return inner_->known(); }

 private:
  std::unique_ptr<policy> const inner_;
  std::string const name_;
};

std::unique_ptr<policy> combined_from(named_answers const& typed, policy_setup const& from, bool is_abbreviation) {
  chosen_policy const forks = chosen_from(answer("forks", typed.forks, for_forks));
  std::string_view const spawned = answer("spawned", typed.spawned, for_spawned);
  std::string_view const nodes = answer("nodes", typed.nodes, for_nodes);
  answers all{.forks = forks.entry.make(with(from, forks)), .spawned = {}, .nodes = {}};
  if (spawned != plain) all.spawned = strategies_options_from(chosen_from(spawned).options);
  if (nodes != plain) all.nodes = make_arms(with(from, chosen_from(nodes)), true);
  if (!all.spawned && !all.nodes) return std::make_unique<only_policy>(std::move(all.forks));
  if (is_abbreviation) {
    if (typed.forks.data() != nullptr) all.name = all.forks->name();
    if (typed.spawned.data() != nullptr) all.name = all.spawned->lifo ? "strategies:lifo" : "strategies";
    if (typed.nodes.data() != nullptr) all.name = all.nodes->name();
  }
  return std::make_unique<combined_policy>(from.layout, from.seed, std::move(all));
}

/// A name answers its question; the other answers are those by default.
named_answers abbreviated(policy_entry const& entry, std::string_view typed) {
  named_answers all;
  switch (entry.answers) {
    case answer_word::forks: all.forks = typed; break;
    case answer_word::spawned: all.spawned = typed; break;
    case answer_word::nodes: all.nodes = typed; break;
  }
  return all;
}

}  // namespace

std::span<policy_entry const> all() noexcept { return entries; }

std::string_view without_prefixes(std::string_view name) noexcept {
  for (std::string_view const prefix : {checked_prefix, only_prefix}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return name;
}

std::unique_ptr<policy> make_policy(std::string_view name_with_options, policy_setup const& from) {
  if (name_with_options.starts_with(checked_prefix)) {
    auto made = make_policy(name_with_options.substr(checked_prefix.size()), from);
    return std::make_unique<protocol_checker>(std::move(made), from.layout.workers());
  }
  if (name_with_options.starts_with(only_prefix)) {
    chosen_policy const chosen = chosen_from(name_with_options.substr(only_prefix.size()));
    return std::make_unique<only_policy>(chosen.entry.make(with(from, chosen)));
  }
  if (auto const typed = answers_in(name_with_options)) return combined_from(*typed, from, false);
  policy_entry const& entry = entry_of(name_with_options.substr(0, name_with_options.find(':')));
  return combined_from(abbreviated(entry, name_with_options), from, true);
}

std::unique_ptr<policy> make_policy(std::string_view name_with_options, layout const& where, std::uint64_t seed) {
  return make_policy(name_with_options, {where, seed});
}

policy_factory policy_named(std::string_view name_with_options) {
  return [name = std::string(name_with_options)](policy_setup const& from) { return make_policy(name, from); };
}

void check_policy(runtime::setting<std::string> const& chosen) {
  try {
    static_cast<void>(make_policy(chosen.value, layout::flat(1), 0));
  } catch (usage_error const& wrong) {
    if (!chosen.chosen() || chosen.source == "code") throw;
    throw usage_error(chosen.source + ": " + wrong.what());
  }
}

}}}  // namespace skua::v0::policies
