// SPDX-License-Identifier: MIT
#include "cli/sim_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "cli/names.hpp"
#include "cli/policy_list.hpp"
#include "cli/whole_number.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"

namespace skua::cli {

namespace {
constexpr auto group = "Simulation";
}

void add_seed(CLI::App& words, std::optional<std::string>& value, char const* about) {
  words.add_option("--seed,--schedule-seed", value, about)->group(group)->type_name("N");
}

std::uint32_t schedule_seed(std::optional<std::string> const& given, app_words const& app) {
  if (given) return read_whole_number("--seed", *given, 0, 0xffff'ffff);
  json const of_app = app.given();
  if (!of_app.contains("seed")) return 1;
  return static_cast<std::uint32_t>(std::strtoull(of_app["seed"].get<std::string>().c_str(), nullptr, 10));
}

void sim_flags::add_to(CLI::App& words) {
  auto const add = [&](char const* name, auto& value, char const* kind, char const* about) {
    words.add_option(name, value, about)->group(group)->type_name(kind);
  };
  add("--machine", machine_, "NAME|FILE", "a machine model, shipped or your own file (default: xeon-6130-4s)");
  add("--policies", policies_, "LIST", "the schedulers (default: random,hierarchical,adws,numa-ws)");
  add("--workers", workers_, "LIST", "as 1,2,4; at most as many as the machine has (default: 1,2,4,... to all)");
  add("--placement", placement_, "WHERE", "of pages: first-touch (default), interleave or bind:N");
  add_seed(words, seed_, "of everything that is drawn (default: 1); --schedule-seed: not of the app's input");
  add("--seeds", seeds_, "K", "so many seeds from --seed on; the median run is shown (default: 1)");
  add("--task-ns", task_ns_, "N", "of a task of an app without leaves, or a leaf without flops (default: measured)");
  add("--noise", noise_, "RATE:TIME", "the system takes each core away so often a second, for so long, e.g. 100:20us");
  words
      .add_flag("--measured-leaves", measure_leaves_,
                "every leaf takes what it takes in a serial run here, whatever it says of its arithmetic")
      ->group(group);
  words.add_flag("--live", live_, "run the program itself in virtual time")->group(group);
  words.add_flag("--recorded", recorded_, "play the tree of a serial run (the default where the tree never differs)")
      ->group(group);
}

sim::machine_model sim_flags::model() const { return sim::machine_model::load(machine_); }

std::vector<std::string> sim_flags::policies() const {
  std::vector<std::string> all = policies_in("--policies", policies_);
  if (all.empty()) throw usage_error("--policies none: there is nothing to simulate; name at least one, e.g. adws");
  return all;
}

std::vector<std::uint32_t> sim_flags::workers(sim::machine_model const& on) const {
  auto const most = static_cast<std::uint32_t>(on.tree().pus().size());
  std::vector<std::uint32_t> all;
  if (workers_) {
    for (std::string const& item : items_of("--workers", *workers_)) {
      std::uint32_t const count = read_whole_number("--workers", item, 1, 65536);
      if (count > most) {
        throw usage_error(fmt::format("--workers {}: the machine model {} has {} processors; allowed is 1 to {}", count,
                                      on.name(), most, most));
      }
      add_once(all, count);
    }
  } else {
    for (std::uint32_t count = 1; count < most; count *= 2) all.push_back(count);
    all.push_back(most);
  }
  std::ranges::sort(all);
  return all;
}

sim::cost_options sim_flags::costs(app_words const& app) const {
  sim::cost_options all{.pages = sim::page_placement::read("--placement", placement_), .seed = seed(app)};
  if (noise_) {
    auto const colon = noise_->find(':');
    if (colon == std::string::npos)
      throw usage_error(fmt::format("--noise \"{}\": allowed is RATE:TIME, e.g. 100:20us", *noise_));
    all.noise.per_second = read_whole_number("--noise RATE", noise_->substr(0, colon), 1, 1'000'000);
    all.noise.duration_ns =
        static_cast<double>(read_duration("--noise TIME", std::string_view(*noise_).substr(colon + 1)).count());
  }
  return all;
}

std::uint32_t sim_flags::seed(app_words const& app) const { return schedule_seed(seed_, app); }
std::uint32_t sim_flags::seeds() const { return read_whole_number("--seeds", seeds_, 1, 10'000); }

sim_way sim_flags::way(apps::app const& of) const {
  if (live_ && recorded_) throw usage_error("--live and --recorded exclude each other");
  if (live_) return sim_way::live;
  if (recorded_) return sim_way::recorded;
  return of.depends_on_schedule() ? sim_way::live : sim_way::recorded;
}

sim_times sim_flags::times() const {
  sim_times all{.given_ns = {}, .measure_leaves = measure_leaves_};
  if (task_ns_) all.given_ns = read_whole_number("--task-ns", *task_ns_, 0, 1'000'000'000);
  if (measure_leaves_ && task_ns_) throw usage_error("--measured-leaves and --task-ns exclude each other");
  return all;
}

}  // namespace skua::cli
