// SPDX-License-Identifier: MIT
#include "cli/simulate/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/text/option_values.hpp"
#include "skua/parts/base/options.hpp"

namespace skua::cli {

namespace {
constexpr auto heading = "Simulation";
}

std::string_view name_of(sim::deque_kind k) {
  switch (k) {
    case sim::deque_kind::biased: break;
    case sim::deque_kind::thief_fences: return "thief-fences";
    case sim::deque_kind::owner_fences: return "owner-fences";
  }
  return "biased";
}

void add_seed(parser command, std::optional<std::string>& value, char const* about) {
  command.in_group(heading).add_option("--seed,--schedule-seed", value, "N", about);
}

std::uint32_t schedule_seed(std::optional<std::string> const& given, app_arguments const& app) {
  if (given) return read_whole_number("--seed", *given, 0, 0xffff'ffff);
  json const of_app = app.given();
  if (!of_app.contains("seed")) return 1;
  return static_cast<std::uint32_t>(std::strtoull(of_app["seed"].get<std::string>().c_str(), nullptr, 10));
}

void sim_flags::add_to(parser command) {
  command = command.in_group(heading);
  command.add_option(
      "--machine", machine_, "NAME|FILE",
      "a machine model, shipped or in a file, or a real machine's XML from lstopo (default: xeon-6130-4s)");
  command.add_option("--policies", policies_, "LIST", "the schedulers (default: auto,random,adws,numa-ws)");
  command.add_option("--workers", workers_, "LIST",
                     "e.g. 1,2,4; at most as many as the machine has PUs (default: 1,2,4,... to all)");
  command.add_option(
      "--placement", placement_, "WHERE",
      "of pages: first-touch (default), interleave, prepared (by one thread), places (of their owners) or bind:N");
  add_seed(command, seed_, "of every random choice (default: 1); --schedule-seed leaves the app's input alone");
  command.add_option("--seeds", seeds_, "K", "run with K seeds from --seed on and show the median run (default: 1)");
  command.add_option("--warm-up", warm_up_, "K",
                     "whole runs before the one that counts, with the same policy and caches (default: 0)");
  command.add_option("--task-ns", task_ns_, "N",
                     "duration of a task in an app without leaves, and of a leaf without flops (default: measured)");
  command.add_option("--noise", noise_, "RATE:TIME",
                     "the system interrupts each core RATE times a second for TIME, e.g. 100:20us");
  command.add_option("--deques", deques_, "KIND",
                     "the fences of steals: biased (default), thief-fences (a heavy one per attempt) or owner-fences");
  command.add_flag(
      "--measured-leaves", measure_leaves_,
      "every leaf, and the code between leaves, takes as long as in a serial run here, whatever flops leaves declare");
  command.add_flag("--live", live_, "run the program itself in virtual time");
  command.add_flag("--recorded", recorded_,
                   "simulate the task tree of a serial run (the default if the tree does not depend on the schedule)");
}

sim::machine_model sim_flags::model() const { return sim::machine_model::load(machine_.value_or("xeon-6130-4s")); }

std::vector<std::string> sim_flags::policies() const {
  std::vector<std::string> all = policies_in("--policies", policies_);
  if (all.empty()) refuse("--policies", policies_, "at least one policy, such as adws; there is nothing to simulate");
  return all;
}

std::vector<std::uint32_t> sim_flags::workers(sim::machine_model const& on) const {
  auto const most = static_cast<std::uint32_t>(on.tree().pus().size());
  std::vector<std::uint32_t> all;
  if (workers_) {
    for (std::string const& item : items_of("--workers", *workers_)) {
      std::uint32_t const count = read_whole_number("--workers", item, 1, 65536);
      if (count > most)
        refuse("--workers", item, fmt::format("1 to {}, the PUs of the machine model {}", most, on.name()));
      add_once(all, count);
    }
  } else {
    for (std::uint32_t count = 1; count < most; count *= 2) all.push_back(count);
    all.push_back(most);
  }
  std::ranges::sort(all);
  return all;
}

sim::cost_options sim_flags::costs(app_arguments const& app) const {
  sim::cost_options all{.pages = sim::page_placement::read("--placement", placement_), .seed = seed(app)};
  if (noise_) {
    auto const colon = noise_->find(':');
    if (colon == std::string::npos) refuse("--noise", *noise_, "RATE:TIME, e.g. 100:20us");
    all.noise.per_second = read_whole_number("RATE of --noise", noise_->substr(0, colon), 1, 1'000'000);
    std::string const time = noise_->substr(colon + 1);
    all.noise.duration_ns = static_cast<double>(runtime::read_duration("TIME of --noise", time).count());
    if (!(all.noise.duration_ns > 0)) refuse("TIME of --noise", time, "a time above 0, such as 20us");
  }
  return all;
}

std::uint32_t sim_flags::seed(app_arguments const& app) const { return schedule_seed(seed_, app); }
std::uint32_t sim_flags::warm_up() const { return read_whole_number("--warm-up", warm_up_, 0, 10'000); }
std::uint32_t sim_flags::seeds() const { return read_whole_number("--seeds", seeds_, 1, 10'000); }

sim_way sim_flags::way(apps::app& of) const {
  apps::simulable const& program = simulation_of(of);
  if (live_ && recorded_) refuse_together("--live", "--recorded", "they are the two ways to simulate");
  if (live_) return sim_way::live;
  if (recorded_ && !program.can_be_recorded()) {
    throw usage_error(fmt::format(
        "--recorded is given with {}; allowed: --live, because a tree cannot express its dependences", of.name()));
  }
  if (recorded_) return sim_way::recorded;
  return program.depends_on_schedule() ? sim_way::live : sim_way::recorded;
}

sim::deque_kind sim_flags::deques() const {
  for (auto const kind : {sim::deque_kind::biased, sim::deque_kind::thief_fences, sim::deque_kind::owner_fences}) {
    if (deques_ == name_of(kind)) return kind;
  }
  refuse("--deques", deques_, "biased, thief-fences or owner-fences");
}

sim_times sim_flags::times() const {
  sim_times all{.given_ns = {}, .measure_leaves = measure_leaves_};
  if (task_ns_) all.given_ns = read_whole_number("--task-ns", *task_ns_, 0, 1'000'000'000);
  if (measure_leaves_ && task_ns_) refuse_together("--measured-leaves", "--task-ns", "both set how long leaves take");
  return all;
}

}  // namespace skua::cli
