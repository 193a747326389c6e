// SPDX-License-Identifier: MIT
// The `skua` command: parses its arguments, executes one subcommand, and turns any error into one line and an exit
// code.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/measure/first_mask.hpp"
#include "cli/probes/machine_facts.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/memory_limits.hpp"

namespace skua::cli { namespace {

int fail(int code, std::string text) {
  write_to_stderr(std::move(text));
  return code;
}

std::string out_of_memory() {
  return fmt::format("out of memory; the limits are the memory, {}", runtime::memory_limits());
}

int execute(subcommand const& chosen) {
  auto const failed = [&](int code, char const* why) {
    return fail(code, fmt::format("{}: {}", chosen.command.name(), why));
  };
  try {
    chosen.command.check_modes();
    return chosen.execute();
  } catch (interruption const&) {
    return exit_code_of_interrupt();
  } catch (usage_error const& fault) {
    return failed(exit_misused, fault.what());
  } catch (std::bad_alloc const&) {
    return failed(exit_failed, out_of_memory().c_str());
  } catch (std::exception const& fault) {
    return failed(exit_failed, fault.what());
  }
}

int parse_and_execute(int argc, char** argv) {
  install_signal_handlers();
  root_parser const root(
      "Skua runs programs made of many small tasks on all cores. Each subcommand has a --help of its own.", "skua");
  root.set_version(fmt::format("skua {}", look_at_machine().skua_version));
  root.require_subcommand();
  std::vector<subcommand> const all = add_subcommands(root);
  if (auto const said = root.parse(argc, argv)) {
    if (said->is_fault) return fail(exit_misused, said->text);
    write_to_stdout(said->text);
    return exit_done;
  }
  return execute(*std::ranges::find_if(all, [](subcommand const& s) { return s.command.is_parsed(); }));
}

}}  // namespace skua::cli

int main(int argc, char** argv) {
  skua::cli::prepare_output();
  try {
    skua::cli::undo_early_binding();
    return skua::cli::parse_and_execute(argc, argv);
  } catch (std::bad_alloc const&) {
    return skua::cli::fail(skua::cli::exit_failed, skua::cli::out_of_memory());
  } catch (std::exception const& fault) {
    return skua::cli::fail(skua::cli::exit_failed, fault.what());
  }
}
