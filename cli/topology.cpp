// SPDX-License-Identifier: MIT
// skua topology: the machine as Skua sees it, or another one, and where workers would sit.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/pool_flags.hpp"
#include "cli/topology_view.hpp"
#include "cli/verb.hpp"

namespace skua::cli {
namespace {

struct request {
  pool_flags flags;
  std::string where;
};

int carry_out(request const& asked) {
  json_target const target(asked.where);
  pool_options const chosen = asked.flags.options();
  topology const machine = asked.flags.machine();
  layout const map = layout_of(machine, chosen);
  if (target.wanted()) target.write(topology_json(machine, map));
  if (target.takes_stdout()) return exit_done;

  std::string text = fmt::format("{}\n{}", tree_text(machine, map), places_text(map));
  if (!machine.remarks().empty()) text += "\n";
  for (std::string const& remark : machine.remarks()) text += fmt::format("note: {}\n", remark);
  write_to_stdout(text);
  return exit_done;
}

}  // namespace

verb add_topology(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("topology", "the machine as a tree, and where workers sit");
  explain_plainly(*words, "APP");
  auto const asked = std::make_shared<request>();
  asked->flags.add_to(*words, {.policy = false, .running = false});
  add_optional_json(*words, asked->where);
  return {words, [asked] { return carry_out(*asked); }};
}

}  // namespace skua::cli
