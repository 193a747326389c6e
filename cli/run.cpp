// SPDX-License-Identifier: MIT
// skua run: one app, one runner; its facts, its times, and whether the answer is right.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

#include "cli/app_words.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/machine_facts.hpp"
#include "cli/map_words.hpp"
#include "cli/measure.hpp"
#include "cli/output.hpp"
#include "cli/pool_flags.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/runner.hpp"
#include "cli/sim_flags.hpp"
#include "cli/statistics.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "cli/virtual_run.hpp"
#include "cli/whole_number.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

struct request {
  explicit request(CLI::App& words) : app(words) {}

  app_words app;
  pool_flags flags;
  std::optional<std::string> peer;
  std::string repeat = "1";
  bool verify = true;
  bool stats = false;
  bool is_virtual = false;
  std::optional<std::string> seed;
  std::string map;
  std::string where;
};

runner peer_runner(request const& asked) {
  peer_choice const chosen_peer = peer_choice_of("--peer", *asked.peer, asked.app.chosen());
  peer const& which = *chosen_peer.which;
  if (asked.stats) throw usage_error("--stats and --peer exclude each other: only Skua's workers are counted");
  if (!asked.map.empty())
    throw usage_error("--map and --peer exclude each other: only Skua's workers note their leaves");
  asked.flags.refuse_all_but({"--workers"}, "--peer", "it is for Skua's pools; a peer takes --workers only");
  pool_options const chosen = asked.flags.options();
  if (which.is_parallel) return runner_of(chosen_peer, layout_of(asked.flags.machine(), chosen).workers());
  if (chosen.workers.value_or(1) != 1) {
    throw usage_error(fmt::format("--workers {}: --peer serial has one worker; leave --workers out", *chosen.workers));
  }
  return runner_of(chosen_peer, 1);
}

std::string facts_for_people(nlohmann::json const& facts) {
  table t({{}, {}});
  for (auto const& [key, value] : facts.items())
    t.add({key, value.is_string() ? value.get<std::string>() : value.dump()});
  return t.text("  ");
}

std::string for_people(std::string_view app, row const& r) {
  record const& what = *r.what;
  std::string times = in_seconds(what.median_s());
  if (what.times_s.size() > 1) {
    times += fmt::format(", the median of {} runs ({} to {})", what.times_s.size(), in_seconds(what.min_s()),
                         in_seconds(what.max_s()));
  }
  std::string const answer = !what.checked ? "not checked" : what.wrong_answers == 0 ? "right" : "WRONG";
  return fmt::format("{} on {}\n{}  time    {}\n  answer  {}\n", app, name_of(*r.who), facts_for_people(what.facts),
                     times, answer);
}

int carry_out_virtually(request const& asked) {
  if (asked.peer)
    throw usage_error("--virtual and --peer exclude each other: only Skua's policies play on virtual workers");
  if (!asked.map.empty()) throw usage_error("--virtual and --map exclude each other: maps are drawn of real workers");
  if (asked.stats) throw usage_error("--virtual and --stats exclude each other: there are no times to show");
  asked.flags.refuse_all_but({"--policy", "--workers", "--places", "--synthetic", "--xml", "--scatter"}, "--virtual",
                             "virtual workers are no threads");
  unsigned const repeat = read_whole_number("--repeat", asked.repeat, 1, 1'000'000);
  std::uint32_t const seed = schedule_seed(asked.seed, asked.app);
  json_target const target(asked.where);
  pool_options const chosen = asked.flags.options();
  runtime::setting<std::string> const policy = effective_settings(chosen).policy;
  policies::check_policy(policy);  // what is wrong is said before anything runs
  virtual_run const how{.policy = policy.value,
                        .where = layout_of(asked.flags.machine(), chosen),
                        .seed = seed,
                        .repeat = repeat,
                        .verify = asked.verify,
                        .options = asked.app.given()};
  apps::app& app = asked.app.chosen();
  app.prepare();
  json const document = run_virtually(app, how);
  target.write(document);
  if (!target.takes_stdout()) write_to_stdout(virtual_text(document));
  return exit_done;
}

int carry_out(request const& asked) {
  if (asked.is_virtual) return carry_out_virtually(asked);
  if (asked.seed) throw usage_error("--seed without --virtual: only virtual workers repeat a run");
  unsigned const repeat = read_whole_number("--repeat", asked.repeat, 1, 1'000'000);
  if (!asked.map.empty()) refuse_same_file("--map", asked.map, "--json", asked.where);
  json_target const target(asked.where);
  map_target const picture(asked.map);
  apps::app& app = asked.app.chosen();
  apps::mapped* const maps = picture.wanted() ? &maps_of(app, "--map") : nullptr;
  machine_facts const machine = look_at_machine();

  std::shared_ptr<pool> workers;
  if (!asked.peer) workers = std::make_shared<pool>(asked.flags.options());
  runner const who = asked.peer
                         ? peer_runner(asked)
                         : runner_of(workers, asked.flags.options().policy.value_or(std::string(workers->policy())),
                                     asked.stats ? breaking_down::on : breaking_down::off);
  app.prepare();

  record what;
  std::vector<worker_counters> const before = workers ? workers->counters() : std::vector<worker_counters>{};
  {
    progress bar;
    for (unsigned i = 0; i < repeat; ++i) {
      stop_if_interrupted();
      bar.show(static_cast<double>(i) / repeat, name_of(who));
      measure_once(app, who, asked.verify, true, what);
    }
  }
  stop_if_interrupted();
  std::optional<statistics> counted;
  if (asked.stats) {
    // Who finished the last task counts it a moment after its answer is out.
    settle();
    counted.emplace(*workers, before, what.breakdowns);
  }
  if (maps != nullptr) {
    map_once(app, *maps, who, asked.verify, what);
    stop_if_interrupted();
    picture.write(*what.map, app.name(), who);
  }

  row const only{.who = &who, .what = &what};
  json document = report(app.name(), machine, {&only, 1});
  document["rows"][0]["times_s"] = what.times_s;
  std::string text = for_people(app.name(), only);
  if (maps != nullptr) text += picture.to_text(*what.map);
  if (counted) {
    document["rows"][0]["counters"] = counted->as_json();
    text += counted->as_text();
  }
  target.write(document);
  if (!target.takes_stdout()) write_to_stdout(text);
  if (what.wrong_answers == 0) return exit_done;
  throw error(complaints({&only, 1}).front());
}

}  // namespace

verb add_run(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("run", "run one app, verify its answer, and time it");
  explain_plainly(*words, "APP");
  auto const asked = std::make_shared<request>(*words);
  words->add_option("--peer", asked->peer, "run on a peer instead of Skua: serial, openmp, tbb, tbb:affinity, ..")
      ->type_name("NAME");
  words->add_option("--repeat", asked->repeat, "how many times (default: 1)")->type_name("N");
  words->add_flag("--verify,!--no-verify", asked->verify, "check every answer (the default), or do not");
  words
      ->add_option("--map", asked->map,
                   "run once more, draw which worker ran which leaf, print how much stayed (.svg, .png)")
      ->type_name("FILE");
  refuse_nothing(*words, "--map");
  words->add_flag("--stats", asked->stats, "show what each worker did");
  words->add_flag("--virtual", asked->is_virtual, "on virtual workers of one thread: repeatable, for finding bugs");
  add_seed(*words, asked->seed, "of a --virtual run; --repeat goes on with the next ones (default: 1)");
  add_json(*words, asked->where);
  asked->flags.add_to(*words, {});
  return {words, [asked] { return carry_out(*asked); }};
}

}  // namespace skua::cli
