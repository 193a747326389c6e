// SPDX-License-Identifier: MIT
// skua run: one app, one runner; its facts, its times, and whether its answer is right.
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/measure/map.hpp"
#include "cli/measure/measure.hpp"
#include "cli/measure/on_ranks.hpp"
#include "cli/measure/results.hpp"
#include "cli/measure/runner.hpp"
#include "cli/measure/statistics.hpp"
#include "cli/probes/machine_facts.hpp"
#include "cli/simulate/flags.hpp"
#include "cli/simulate/program.hpp"
#include "cli/simulate/virtual_run.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/pool_flags.hpp"
#include "cli/text/progress.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/core_kinds.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

struct arguments {
  explicit arguments(parser command) : app(command) {}

  app_arguments app;
  pool_flags flags;
  std::optional<std::string> peer;
  std::string repeat = "1";
  bool verify = true;
  bool stats = false;
  bool is_virtual = false;
  bool on_ranks = false;
  std::optional<std::string> balance;
  std::optional<std::string> victims;
  std::optional<std::string> checkpoint;
  std::optional<std::string> recover;
  std::optional<std::string> deadline;
  std::optional<std::string> max_memory;
  std::optional<std::string> serve;
  std::optional<std::string> seed;
  std::string map;
  std::string json_path;

  [[nodiscard]] unsigned runs() const { return read_whole_number("--repeat", repeat, 1, 1'000'000); }
};

runner peer_runner(arguments const& given) {
  peer_choice const chosen_peer = peer_choice_of("--peer", *given.peer, given.app.chosen());
  refuse_unused(given.app, {&chosen_peer, 1}, false, "--peer", fmt::format("--peer {}", *given.peer));
  peer const& which = *chosen_peer.which;
  pool_options const chosen = given.flags.options();
  if (which.is_parallel) return runner_of(chosen_peer, layout_of(given.flags.machine(), chosen).workers());
  if (unsigned const workers = chosen.workers.value_or(1); workers != 1)
    refuse("--workers", std::to_string(workers), "1, because --peer serial has one worker");
  return runner_of(chosen_peer, 1);
}

std::string facts_text(json const& facts) {
  table t({{}, {}});
  for (auto const& [key, value] : facts.items()) t.add({key, cell::of(value).text});
  return t.text("  ");
}

std::string text_of(std::string_view app, row const& r) {
  record const& what = *r.what;
  std::string times = in_seconds(what.median_s());
  if (what.times_s.size() > 1) {
    times += fmt::format(", the median of {} runs ({} to {})", what.times_s.size(), in_seconds(what.min_s()),
                         in_seconds(what.max_s()));
  }
  std::string const answer = !what.checked ? "not checked" : what.wrong_answers == 0 ? "right" : "WRONG";
  return fmt::format("{} on {}\n{}  time    {}\n  answer  {}\n", app, r.who->full_name(), facts_text(what.facts), times,
                     answer);
}

int execute_virtually(arguments const& given) {
  unsigned const repeat = given.runs();
  given.app.refuse_unused(apps::ways::simulation, "--virtual", "--peer");
  std::uint32_t const seed = schedule_seed(given.seed, given.app);
  json_target const target(given.json_path);
  pool_options const chosen = given.flags.options();
  runtime::setting<std::string> const policy = effective_settings(chosen).policy;
  policies::check_policy(policy);  // before anything runs
  virtual_run const how{.policy = policy.value,
                        .where = layout_of(given.flags.machine(), chosen),
                        .seed = seed,
                        .repeat = repeat,
                        .verify = given.verify,
                        .options = given.app.given()};
  apps::app& app = given.app.chosen();
  static_cast<void>(simulation_of(app));  // before anything runs
  app.prepare();
  virtual_results const results = run_virtually(app, how);
  target.write(results.document);
  if (!target.takes_stdout()) write_to_stdout(results.text);
  return exit_code_after("run", results.runs, repeat, "run");
}

record measured(apps::app& app, runner const& who, unsigned runs, bool verify) {
  record all;
  progress bar;
  for (unsigned i = 0; i < runs && !interrupted(); ++i) {
    bar.show(i, runs, who.full_name());
    measure_once(app, who, verify, true, all);
    keep_after_interrupts();
  }
  if (all.times_s.empty()) stop_if_interrupted();
  return all;
}

apps::ranks_program& ranks_program_of(apps::app& app) {
  if (app.ranks() != nullptr) return *app.ranks();
  throw usage_error(fmt::format("the app is {}, which does not run on ranks; allowed: {}", app.name(),
                                fmt::join(apps_that([](apps::app& a) { return a.ranks() != nullptr; }), ", ")));
}

/// In MiB. 0: none.
unsigned memory_limit_of(arguments const& given) {
  constexpr unsigned a_pebibyte = 1U << 30;
  return given.max_memory ? read_whole_number("--max-memory", *given.max_memory, 1, a_pebibyte) : 0;
}

/// Empty: no rank took more than --max-memory.
std::string too_much_memory(ranks_outcome const& what, std::uint64_t most_mib) {
  if (most_mib == 0 || what.memory_bytes <= most_mib << 20) return {};
  return fmt::format("run: a rank had {:.1f} MiB resident, more than --max-memory {}",
                     static_cast<double>(what.memory_bytes) / (1 << 20), most_mib);
}

/// What the ranks were and moved, a line each.
std::string ranks_text(ranks_outcome const& what, std::uint32_t ranks) {
  auto const mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  std::string text = fmt::format("  workers {} per rank\n  memory  {:.1f} MiB of the largest rank\n",
                                 what.workers_per_rank(ranks), mib(what.memory_bytes));
  if (what.remote_bytes) text += fmt::format("  moved   {:.1f} MiB between ranks\n", mib(*what.remote_bytes));
  constexpr std::size_t most_rows = 16;
  if (ranks > 1 && !what.by_rank.empty())
    text += fmt::format("  ranks in iteration {}:\n{}", what.by_rank.back().iteration,
                        in_words(what.by_rank.back(), most_rows));
  return text;
}

/// Rank 0, or the next one if it has died.
bool speaks(communicator& world) { return world.rank() == world.first_live(); }

int execute_on(job& all, apps::app& app, apps::ranks_plan const& plan, arguments const& given, unsigned repeat) {
  communicator& world = all.world();
  unsigned const most_mib = memory_limit_of(given);
  std::optional<json_target> target;
  if (speaks(world)) target.emplace(given.json_path);  // throws before the run
  bool const takes_stdout = json_target::takes_stdout(given.json_path);
  app.ranks()->expect_ranks(world, plan);
  app.prepare();
  if (speaks(world) && !takes_stdout)
    write_to_stdout(fmt::format("{} on {}{}, --balance {}\n", app.name(), in_words(world.size(), "rank"),
                                all.mpi().empty() ? "" : " of " + all.mpi(), plan.balance));
  ranks_outcome const what = run_on_ranks(app, world, plan, repeat, given.verify, [&](collection_report const& r) {
    if (!takes_stdout) write_to_stdout(in_a_line(r));
  });
  // From here on no rank handles a signal: what the ranks agree on now stays true until the end.
  finish_in_spite_of_interrupts();
  bool const ended_early = any_interrupted(world);
  record row;
  row.times_s = what.times_s;
  bool const any_run = !row.times_s.empty();
  bool const checked = given.verify && any_run;
  if (speaks(world)) {
    json const verified = checked ? json(what.wrong.empty()) : json();
    json document = document_of("run --ranks", app.name(), given.app.given(), false);
    document["machine"] = to_json(look_at_machine());
    document["rows"] = json::array({{{"runner", plan.balance},
                                     {"workers", what.workers_per_rank(world.size())},
                                     {"median_s", any_run ? json(row.median_s()) : json()},
                                     {"verified", verified},
                                     {"simulated", false},
                                     {"ranks", world.size()},
                                     {"mpi", all.mpi().empty() ? json() : json(all.mpi())},
                                     {"ranks_memory_bytes", what.memory_bytes},
                                     {"remote_bytes", what.remote_bytes ? json(*what.remote_bytes) : json()},
                                     {"times_s", what.times_s},
                                     {"facts", what.facts},
                                     {"iterations", json::array()}}});
    for (std::size_t i = 0; i < what.reports.size(); ++i)
      document["rows"][0]["iterations"].push_back(to_json(what.reports[i], what.by_rank[i]));
    if (!target) target.emplace(given.json_path);
    target->write(document);
    std::string const answer = !checked ? "not checked" : what.wrong.empty() ? "right" : "WRONG";
    if (!takes_stdout) {
      std::string text = facts_text(what.facts) + ranks_text(what, world.size());
      if (any_run) text += fmt::format("  time    {}\n  answer  {}\n", in_seconds(row.median_s()), answer);
      if (ended_early) {
        text += fmt::format("  {}; {} in all\n", interrupt_note(row.times_s.size(), repeat, "run"),
                            in_words(what.reports.size(), "iteration"));
      }
      write_to_stdout(text);
    }
  }
  std::string const fault = what.wrong.empty() ? too_much_memory(what, most_mib) : what.wrong;
  if (fault.empty()) {
    if (!ended_early) return exit_done;
    return speaks(world) ? exit_code_after("run", row.times_s.size(), repeat, "run") : exit_code_of_interrupt();
  }
  if (speaks(world)) write_to_stderr(fault);
  return exit_failed;
}

/// 0: none.
unsigned deadline_of(arguments const& given) {
  constexpr unsigned of_recovery_s = 10;
  if (given.deadline) return read_whole_number("--deadline", *given.deadline, 1, 1'000'000);
  return given.recover ? of_recovery_s : 0;
}

lost_tasks loss_of(arguments const& given) {
  if (!given.recover) return lost_tasks::fail;
  if (*given.recover == "run-again") return lost_tasks::run_again;
  if (*given.recover == "drop") return lost_tasks::drop;
  refuse("--recover", *given.recover, "run-again, drop");
}

/// Throws usage_error before any rank makes a collection.
steal_victims victims_of(arguments const& given) {
  std::string const word = given.victims.value_or("random");
  if (word != "random" && word != "lifelines") refuse("--victims", word, "random, lifelines");
  if (given.victims && given.balance == "none") {
    throw usage_error("--victims is given with --balance none, and no rank steals then; allowed: one of them");
  }
  if (word == "random") return steal_victims::random;
  if (given.recover) {
    throw usage_error(
        "--victims lifelines is given with --recover, which has random victims only; allowed: one of them");
  }
  return steal_victims::lifelines;
}

serving serving_of(std::string const& word) {
  if (word == "between-tasks") return serving::between_tasks;
  if (word == "thread") return serving::server_thread;
  throw usage_error(fmt::format("--serve is '{}'; allowed: between-tasks, thread", word));
}

/// What asks for a run on ranks: --ranks, another option of ranks, or a launcher that started several processes. Empty:
/// nothing.
std::string ranks_asked_by(arguments const& given) {
  if (given.on_ranks) return "--ranks";
  if (given.balance) return "--balance";
  if (given.victims) return "--victims";
  if (given.checkpoint) return "--checkpoint";
  if (given.recover) return "--recover";
  if (given.deadline) return "--deadline";
  if (given.serve) return "--serve";
  if (given.max_memory) return "--max-memory";
  return was_launched_as_a_rank() ? "several ranks" : "";
}

/// Every rank runs this; the lowest one that lives prints.
int execute_on_ranks(arguments const& given) {
  unsigned const repeat = given.runs();
  apps::ranks_plan plan;
  plan.balance = given.balance.value_or(plan.balance);
  plan.checkpoint = given.checkpoint.value_or("");
  plan.on_loss = loss_of(given);
  plan.victims = victims_of(given);
  plan.workers = given.flags.options().workers;
  if (given.serve) plan.serves = serving_of(*given.serve);
  plan.check();
  apps::app& app = given.app.chosen();
  static_cast<void>(ranks_program_of(app));  // throws before any task runs
  given.app.refuse_unused(apps::ways::ranks, ranks_asked_by(given), "--peer");
  // Each rank writes its own trace, and must know that before it knows the other ranks.
  if (auto const trace = given.flags.options().trace) ::setenv("SKUA_TRACE", trace->c_str(), 1);
  std::unique_ptr<job> const all = open_job(deadline_of(given));
  try {
    return execute_on(*all, app, plan, given, repeat);
  } catch (std::exception const& fault) {
    if (all->world().size() == 1) throw;
    // The job ends with the first rank that leaves. Rank 0 prints for all ranks, and its launcher needs a moment to
    // pass that on.
    constexpr std::chrono::milliseconds a_moment(200);
    if (all->world().rank() > 0) std::this_thread::sleep_for(2 * a_moment);
    write_to_stderr(fmt::format("run: rank {}: {}", all->world().rank(), fault.what()));
    if (all->world().rank() == 0) std::this_thread::sleep_for(a_moment);
    throw;
  }
}

int execute(arguments const& given) {
  if (given.is_virtual) return execute_virtually(given);
  unsigned const repeat = given.runs();
  if (!given.map.empty()) refuse_same_file("--map", given.map, "--json", given.json_path);
  json_target const target(given.json_path);
  map_target const picture(given.map);
  apps::app& app = given.app.chosen();
  apps::mapped* const maps = picture.wanted() ? &maps_of(app, "--map") : nullptr;
  machine_facts const machine = look_at_machine();

  std::shared_ptr<pool> workers;
  if (!given.peer) {
    refuse_unused(given.app, {}, true, "--peer", "a pool");
    workers = std::make_shared<pool>(given.flags.options());
  }
  runner const who = given.peer
                         ? peer_runner(given)
                         : runner_of(workers, given.flags.options().policy.value_or(std::string(workers->policy())),
                                     given.stats ? breaking_down::on : breaking_down::off);
  app.prepare();

  std::vector<worker_counters> const before = workers ? workers->counters() : std::vector<worker_counters>{};
  record what = measured(app, who, repeat, given.verify);
  std::optional<statistics> counted;
  if (given.stats) {
    // The worker that finished the last task counts it a moment after the answer is out.
    wait_until_quiet();
    counted.emplace(*workers, before, what.breakdowns);
  }
  if (maps != nullptr && !interrupted()) map_once(app, *maps, who, given.verify, what);
  finish_in_spite_of_interrupts();
  std::string const speeds = workers ? runtime::worker_speeds_text(workers->layout()) : "";
  if (what.map) picture.write(*what.map, app.name(), who, speeds);

  row const only{.who = &who, .what = &what};
  json document = document_of("run", app.name(), given.app.given(), false);
  document["machine"] = to_json(machine);
  document["rows"] = report_of({&only, 1}).rows();
  document["rows"][0]["times_s"] = what.times_s;
  std::string text = text_of(app.name(), only);
  if (interrupted()) text += "  " + interrupt_line(what.times_s.size(), repeat, "run");
  if (what.map) text += picture.to_text(*what.map, speeds);
  if (counted) {
    document["rows"][0]["counters"] = counted->counters();
    document["rows"][0]["choices"] = counted->choices();
    text += counted->as_text();
  }
  target.write(document);
  if (!target.takes_stdout()) write_to_stdout(text);
  int const code = exit_code_after("run", what.times_s.size(), repeat, "run");
  if (what.wrong_answers == 0) return code;
  throw error(wrong_answers({&only, 1}).front());
}

void add_options_of_ranks(parser command, std::shared_ptr<arguments> const& given) {
  command.add_flag("--ranks", given->on_ranks, "run on the ranks that mpirun started; the default under mpirun");
  command
      .add_option("--balance", given->balance, "HOW",
                  "between the iterations on ranks: auto (the default), none, steal, retentive, or a balancer")
      .refuses_empty();
  command
      .add_option(
          "--victims", given->victims, "WORD",
          "of an idle rank: random (the default), or lifelines: it asks a few ranks and then waits until a buddy "
          "sends it tasks")
      .refuses_empty();
  command.add_option("--checkpoint", given->checkpoint, "FOLDER",
                     "on ranks: write a checkpoint after each iteration, and restart from it if it exists");
  command
      .add_flag("--recover{run-again}", given->recover,
                "on ranks: tasks of a rank that dies within an iteration run again on others (--recover=drop: they "
                "are only counted); Open MPI also needs mpirun --enable-recovery")
      .type_name("HOW");
  command.add_option(
      "--deadline", given->deadline, "SECONDS",
      "on ranks: a rank on another node counts as dead after this many seconds without a message (default "
      "with --recover: 10)");
  command.add_option(
      "--serve", given->serve, "HOW",
      "the thread that answers other ranks: between-tasks (the default; a worker) or thread (one that runs "
      "no tasks)");
  command.add_option("--max-memory", given->max_memory, "MIB",
                     "on ranks: fail if a rank had more memory resident at any time");
}

}  // namespace

subcommand add_run(parser root) {
  parser const command = root.add_subcommand("run", "run one app, verify its answer, and time it");
  auto const given = std::make_shared<arguments>(command);
  constexpr auto only_pools_record = "only the workers of a pool record their leaves";
  command.mode("--ranks", [given] { return ranks_asked_by(*given); });
  command
      .add_option("--peer", given->peer, "NAME",
                  "run on a peer instead of Skua: serial, openmp, tbb, tbb:affinity, ...")
      .never_with("--ranks", "peers do not run on ranks")
      .never_with("--virtual", "only Skua's policies run on virtual workers");
  command.add_option("--repeat", given->repeat, "N", "how many times to run (default: 1)");
  command.add_flag("--verify,!--no-verify", given->verify, "verify every answer (the default), or not");
  command
      .add_option("--map", given->map, "FILE",
                  "run once more, draw which worker ran which leaf (.svg, .png), and print the overlap of iterations")
      .never_with("--ranks", only_pools_record)
      .never_with("--virtual", only_pools_record)
      .never_with("--peer", "only Skua's workers record their leaves");
  command.add_flag("--stats", given->stats, "show the counters of each worker")
      .never_with("--ranks", "reports of ranks have their counters already")
      .never_with("--virtual", "virtual workers have no times")
      .never_with("--peer", "only Skua's workers have counters");
  command.add_flag("--virtual", given->is_virtual, "run on virtual workers in one thread: repeatable, for finding bugs")
      .never_with("--ranks", "virtual workers are those of one process");
  add_options_of_ranks(command, given);
  add_seed(command.only_with("--virtual", "runs on threads are not repeatable"), given->seed,
           "of a --virtual run; --repeat continues with the next seeds (default: 1)");
  add_json(command, given->json_path);
  parser const of_pool = command
                             .never_with("--ranks", "the workers of a rank have a pool with the default settings",
                                         {"--workers", "--trace"})
                             .never_with("--virtual", "virtual workers are not threads",
                                         {"--policy", "--workers", "--places", "--synthetic", "--xml", "--scatter"})
                             .never_with("--peer", "only Skua's pools take it", {"--workers"});
  given->flags.add_to(of_pool, {});
  return {command, [given] { return ranks_asked_by(*given).empty() ? execute(*given) : execute_on_ranks(*given); }};
}

}  // namespace skua::cli
