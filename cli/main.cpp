// SPDX-License-Identifier: MIT
// The `skua` command: parse, carry out one verb, and turn whatever went wrong into one line and an exit code.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/complaint.hpp"
#include "cli/first_mask.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/machine_facts.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

/// One line, whatever the text.
int fail(int code, std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::fputs(fmt::format("skua: {}\n", text).c_str(), stderr);
  return code;
}

/// How the verb ended, as an exit code.
int carry_out(verb const& chosen) {
  try {
    return chosen.carry_out();
  } catch (interruption const&) {
    return exit_interrupted;
  } catch (usage_error const& fault) {
    return fail(exit_misused, fmt::format("{}: {}", chosen.words->get_name(), fault.what()));
  } catch (std::bad_alloc const&) {
    return fail(exit_failed, fmt::format("{}: out of memory", chosen.words->get_name()));
  } catch (std::exception const& fault) {
    return fail(exit_failed, fmt::format("{}: {}", chosen.words->get_name(), fault.what()));
  }
}

int command(int argc, char** argv) {
  install_signal_handlers();
  CLI::App root("Skua runs programs made of many small tasks on all cores.", "skua");
  root.set_version_flag("--version", fmt::format("skua {}", look_at_machine().skua_version),
                        "print the version and exit");
  explain_plainly(root, "VERB");
  root.require_subcommand(1);
  root.footer("Each verb explains itself: skua VERB --help.");
  std::array const verbs{add_doctor(root),  add_topology(root),  add_list(root),
                         add_run(root),     add_compare(root),   add_sim(root),
                         add_profile(root), add_calibrate(root), add_experiment(root)};
  try {
    root.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    write_to_stdout(root.help());
    return exit_done;
  } catch (CLI::CallForVersion const& asked) {
    write_to_stdout(fmt::format("{}\n", asked.what()));
    return exit_done;
  } catch (CLI::ParseError const& fault) {
    return fail(exit_misused, complaint_of(root, fault));
  }
  return carry_out(*std::ranges::find_if(verbs, [](verb const& v) { return v.words->parsed(); }));
}

}  // namespace
}  // namespace skua::cli

int main(int argc, char** argv) {
  try {
    skua::cli::undo_early_binding();
    return skua::cli::command(argc, argv);
  } catch (std::exception const& fault) {
    return skua::cli::fail(skua::cli::exit_failed, fault.what());
  }
}
