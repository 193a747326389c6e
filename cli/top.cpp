// SPDX-License-Identifier: MIT
// skua top: what the workers of a running program do, while they do it. Nothing is asked of the program: its counters lie in
// memory that it shares with its own user (skua/machine/threads/observe/attach.md).
#include <fmt/format.h>

#include <poll.h>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/terminal.hpp"
#include "cli/top/sample.hpp"
#include "cli/top/screen.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint32_t least_interval_ms = 10;
constexpr std::uint32_t most_interval_ms = 3'600'000;

struct arguments {
  std::string process;
  std::string interval = "1000";
  bool once = false;
  std::string json_path;
};

std::string described(runtime::process_identity const& p) {
  constexpr std::size_t most = 60;
  std::string const command = runtime::command_of(p);
  return fmt::format("{} ({}{})", p.number, command.substr(0, most), command.size() > most ? "..." : "");
}

/// The process that the user names, or the only one that there is. Throws error.
runtime::process_identity choose(std::string const& named) {
  if (!named.empty()) {
    runtime::process_identity const p =
        runtime::find_process(static_cast<int>(read_whole_number("PID", named, 1, 4'194'304)));
    if (runtime::pools_of(p).empty())
      throw error(fmt::format("process {} has no pool of Skua, or shares none", described(p)));
    return p;
  }
  std::vector<runtime::process_identity> const all = runtime::processes_with_pools();
  if (all.empty()) throw error("no running Skua program found");
  if (all.size() == 1) return all.front();
  std::vector<std::string> names;
  for (runtime::process_identity const& p : all) names.push_back(described(p));
  throw error(fmt::format("several Skua programs are running; name one of: {}", fmt::join(names, ", ")));
}

void pause(milliseconds t) {
  ::poll(nullptr, 0, static_cast<int>(t.count()));
  stop_if_interrupted();
}

std::string text_of(top::sample const& s) {
  std::size_t first = 0;
  return fmt::format("{}\n", fmt::join(top::lines_of(s, {.columns = 1000, .rows = 0}, first), "\n"));
}

int show_once(top::observer& of, milliseconds interval, json_target const& target) {
  pause(interval);
  top::sample const seen = of.next();
  if (!runtime::is_running(of.process())) throw error(fmt::format("process {} has ended", of.process().number));
  if (target.wanted()) target.write(json_of(seen));
  if (!target.takes_stdout()) write_to_stdout(text_of(seen));
  return exit_done;
}

/// Where there is no screen: a sample behind the other.
int show_again_and_again(top::observer& of, milliseconds interval) {
  for (;;) {
    pause(interval);
    top::sample const seen = of.next();
    if (!runtime::is_running(of.process())) return exit_done;
    write_to_stdout(text_of(seen) + "\n");
  }
}

/// Until the user quits, or the program ends: then true.
bool show_on_screen(top::observer& of, milliseconds interval) {
  top::screen screen;
  std::size_t first = 0;
  auto due = steady_clock::now() + std::min<milliseconds>(interval, 100ms);  // the first view need not wait for long
  std::optional<top::sample> seen;
  for (;;) {
    auto const left = std::chrono::ceil<milliseconds>(due - steady_clock::now());
    // However long the interval: the end of the program is seen at once.
    top::key const pressed = screen.wait(std::clamp<milliseconds>(left, 0ms, 250ms));
    if (pressed == top::key::quit) return false;
    if (pressed == top::key::up && first > 0) --first;
    if (pressed == top::key::down) ++first;
    if (!runtime::is_running(of.process())) return true;
    bool const is_due = steady_clock::now() >= due;
    if (is_due) {
      seen = of.next();
      due = steady_clock::now() + interval;
    }
    if (seen && (is_due || pressed != top::key::none)) {
      top::screen_size size = screen.size();
      --size.rows;
      auto lines = top::lines_of(*seen, size, first);
      lines.resize(size.rows);
      lines.push_back(std::string("q quits; up and down show more workers").substr(0, size.columns));
      screen.draw(lines);
    }
  }
}

int execute(arguments const& given) {
  json_target const target(given.json_path);
  milliseconds const interval(read_whole_number("--interval", given.interval, least_interval_ms, most_interval_ms));
  top::observer of(choose(given.process));
  if (given.once || target.wanted()) return show_once(of, interval, target);
  if (!stdout_is_terminal()) return show_again_and_again(of, interval);
  end_by_itself_after_interrupts();  // the screen restores the terminal
  if (show_on_screen(of, interval)) write_to_stdout(fmt::format("process {} has ended\n", of.process().number));
  return exit_done;
}

}  // namespace

subcommand add_top(parser root) {
  parser const command = root.add_subcommand("top", "watch the workers of a running program");
  auto const given = std::make_shared<arguments>();
  command.add_option("PID", given->process, "", "the process; default: your only running Skua program");
  command.add_option("--interval", given->interval, "MS", "time between two samples, in milliseconds").shows_default();
  command.add_flag("--once", given->once, "write one sample, and end");
  add_optional_json(command, given->json_path);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
