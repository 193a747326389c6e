// SPDX-License-Identifier: MIT
// skua list: what can be run, and by whom.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "apps/app.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/runner.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

json as_json() {
  json all{{"apps", json::array()}, {"policies", json::array()}, {"peers", json::array()}};
  for (apps::entry const& e : apps::all()) all["apps"].push_back({{"name", e.name}, {"about", e.make()->about()}});
  for (policies::policy_entry const& p : policies::all()) {
    json options = json::array();
    for (policies::policy_option const& o : p.options) options.push_back({{"word", o.word}, {"about", o.about}});
    all["policies"].push_back({{"name", p.name}, {"about", p.about}, {"options", std::move(options)}});
  }
  for (peer const& p : peers()) all["peers"].push_back({{"name", p.name}, {"about", p.about}});
  return all;
}

std::string as_text() {
  table known_apps({{}, {}});
  for (apps::entry const& e : apps::all()) known_apps.add({std::string(e.name), std::string(e.make()->about())});
  table known_policies({{}, {}});
  for (policies::policy_entry const& p : policies::all()) {
    known_policies.add({std::string(p.name), std::string(p.about)});
    for (policies::policy_option const& o : p.options) known_policies.add({"", fmt::format(":{}", o.about)});
  }
  table known_peers({{}, {}});
  for (peer const& p : peers()) known_peers.add({std::string(p.name), std::string(p.about)});
  return fmt::format(
      "Apps (skua run APP; its options: skua run APP --help)\n{}\nPolicies (--policy NAME or NAME:OPTION; the "
      "first is the default)\n{}\nPeers (--peer, --peers)\n{}",
      known_apps.text("  "), known_policies.text("  "), known_peers.text("  "));
}

}  // namespace

verb add_list(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("list", "the apps, the policies and the peers");
  explain_plainly(*words, "APP");
  auto const where = std::make_shared<std::string>();
  add_optional_json(*words, *where);
  return {words, [where] {
            json_target const target(*where);
            target.write(target.wanted() ? as_json() : json());
            if (!target.takes_stdout()) write_to_stdout(as_text());
            return exit_done;
          }};
}

}  // namespace skua::cli
