// SPDX-License-Identifier: MIT
// skua list: the apps and their abilities, the policies that can schedule them, the balancers of task collections, and
// the peers of apps.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/app.hpp"
#include "cli/measure/runner.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/output.hpp"
#include "skua/policy/balance/balancers.hpp"
#include "skua/policy/combined/named_answers.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

/// The abilities of an app besides running on Skua's pools and on its peers.
struct capability {
  std::string_view name;
  std::string_view about;
  bool (*has)(apps::app&);
};
constexpr std::array capabilities{
    capability{"simulation", "skua sim, profile, experiment and run --virtual",
               [](apps::app& a) { return a.simulation() != nullptr; }},
    capability{"maps", "--map and --map-overlap", [](apps::app& a) { return a.maps() != nullptr; }},
    capability{"styles", "peers with a loop style, as tbb:affinity",
               [](apps::app& a) { return a.styles() != nullptr; }},
};

std::vector<std::string_view> capabilities_of(apps::app& a) {
  std::vector<std::string_view> names;
  for (capability const& c : capabilities) {
    if (c.has(a)) names.push_back(c.name);
  }
  return names;
}

json entry_of(apps::entry const& e) {
  auto const app = e.make();
  return {
      {"name", e.name}, {"about", app->about()}, {"peers", peers_of(*app)}, {"capabilities", capabilities_of(*app)}};
}

/// Policies or balancers: both have a name and options.
template <class Entry>
json named(std::span<Entry const> entries) {
  json all = json::array();
  for (Entry const& e : entries) {
    json options = json::array();
    for (policies::known_option const& o : e.options) options.push_back({{"word", o.word}, {"about", o.about}});
    all.push_back({{"name", e.name}, {"about", e.about}, {"options", std::move(options)}});
  }
  return all;
}

table policies_table() {
  table all({{}, {}, {}});
  for (policies::policy_entry const& e : policies::all()) {
    std::string_view const kind = policies::answer_words[static_cast<std::size_t>(e.answers)];
    all.add({std::string(e.name), std::string(kind), std::string(e.about)});
    for (policies::known_option const& o : e.options) all.add({"", "", fmt::format(":{}", o.about)});
  }
  return all;
}

template <class Entry>
table named_table(std::span<Entry const> entries) {
  table all({{}, {}});
  for (Entry const& e : entries) {
    all.add({std::string(e.name), std::string(e.about)});
    for (policies::known_option const& o : e.options) all.add({"", fmt::format(":{}", o.about)});
  }
  return all;
}

json as_json() {
  json all{{"apps", json::array()},
           {"policies", named(policies::all())},
           {"balancers", named(policies::balance::all())},
           {"peers", json::array()}};
  for (apps::entry const& e : apps::all()) all["apps"].push_back(entry_of(e));
  for (peer const& p : peers()) all["peers"].push_back({{"name", p.name}, {"about", p.about}});
  return all;
}

std::string as_text() {
  table all_apps({{}, {}});
  for (apps::entry const& e : apps::all()) all_apps.add({std::string(e.name), std::string(e.make()->about())});
  table offered({{}, {}, {}});
  for (apps::entry const& e : apps::all()) {
    auto const app = e.make();
    offered.add({std::string(e.name), fmt::format("{}", fmt::join(peers_of(*app), ", ")),
                 fmt::format("{}", fmt::join(capabilities_of(*app), ", "))});
  }
  table meanings({{}, {}});
  for (capability const& c : capabilities) meanings.add({std::string(c.name), std::string(c.about)});
  table all_peers({{}, {}});
  for (peer const& p : peers()) all_peers.add({std::string(p.name), std::string(p.about)});
  return fmt::format(
      "Apps (skua run APP; for the options of an app: skua run APP --help)\n{}\n"
      "Policies (--policy NAME or --policy NAME:OPTION,...; the first is the default)\n{}\n"
      "Each is for one kind of task, and the other kinds have theirs by default, auto, strategies and arms: adws is\n"
      "forks=adws,spawned=strategies,nodes=arms. Any answer may be named (plain: treat such tasks as forks are);\n"
      "only:NAME has that policy for every kind of task, as in its paper.\n\n"
      "Balancers (skua balance --how NAME,... or NAME:OPTION,...)\n{}\n"
      "Peers (--peer NAME, --peers NAME,...)\n{}\n"
      "The peers and capabilities of each app\n{}\n{}",
      all_apps.text("  "), policies_table().text("  "), named_table(policies::balance::all()).text("  "),
      all_peers.text("  "), offered.text("  "), meanings.text("  "));
}

}  // namespace

subcommand add_list(parser root) {
  parser const command = root.add_subcommand("list", "list the apps, the policies, the balancers and the peers");
  auto const json_path = std::make_shared<std::string>();
  add_optional_json(command, *json_path);
  return {command, [json_path] {
            json_target const target(*json_path);
            target.write(target.wanted() ? as_json() : json());
            if (!target.takes_stdout()) write_to_stdout(as_text());
            return exit_done;
          }};
}

}  // namespace skua::cli
