// SPDX-License-Identifier: MIT
// skua list: the apps, the policies that can schedule them, and the peers that they are compared with.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "apps/app.hpp"
#include "cli/measure/runner.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/output.hpp"
#include "cli/text/usage.hpp"
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
  table all_apps({{}, {}});
  for (apps::entry const& e : apps::all()) all_apps.add({std::string(e.name), std::string(e.make()->about())});
  table all_policies({{}, {}});
  for (policies::policy_entry const& p : policies::all()) {
    all_policies.add({std::string(p.name), std::string(p.about)});
    for (policies::policy_option const& o : p.options) all_policies.add({"", fmt::format(":{}", o.about)});
  }
  table all_peers({{}, {}});
  for (peer const& p : peers()) all_peers.add({std::string(p.name), std::string(p.about)});
  return fmt::format(
      "Apps (skua run APP; for the options of an app: skua run APP --help)\n{}\n"
      "Policies (--policy NAME or --policy NAME:OPTION,...; the first is the default)\n{}\n"
      "Peers (--peer NAME, --peers NAME,...)\n{}",
      all_apps.text("  "), all_policies.text("  "), all_peers.text("  "));
}

}  // namespace

subcommand add_list(CLI::App& root) {
  CLI::App* const command = root.add_subcommand("list", "list the apps, the policies and the peers");
  explain_plainly(*command, "APP");
  auto const json_path = std::make_shared<std::string>();
  add_optional_json(*command, *json_path);
  return {command, [json_path] {
            json_target const target(*json_path);
            target.write(target.wanted() ? as_json() : json());
            if (!target.takes_stdout()) write_to_stdout(as_text());
            return exit_done;
          }};
}

}  // namespace skua::cli
