// SPDX-License-Identifier: MIT
// The command of `make demo`: one subcommand and three apps, because the user waits for the compiler.
#include "apps/app.hpp"
#include "cli/subcommand.hpp"

namespace skua::apps {

std::vector<entry> const& all() {
  static std::vector<entry> const apps{{"uts", make_uts}, {"heat", make_heat}, {"cilksort", make_cilksort}};
  return apps;
}

}  // namespace skua::apps

namespace skua::cli {

std::vector<subcommand> add_subcommands(parser root) { return {add_compare(root)}; }

}  // namespace skua::cli
