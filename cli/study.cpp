// SPDX-License-Identifier: MIT
// skua study: what this machine can do and what Skua makes of it, predicted first and then measured (docs/study.md).
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "apps/timing.hpp"
#include "cli/page/page.hpp"
#include "cli/page/page_sources.hpp"
#include "cli/probes/machine_facts.hpp"
#include "cli/study/child.hpp"
#include "cli/study/conditions.hpp"
#include "cli/study/notebook.hpp"
#include "cli/study/plan.hpp"
#include "cli/study/verdicts.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/command_line.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/skua.hpp"

namespace skua::cli {
namespace {

struct arguments {
  std::string folder = "skua-study";
  std::string minutes = "8";
  std::string workers;
  std::string policies = "random,hierarchical,adws,numa-ws,replay";
  std::optional<std::string> only;
  bool quick = false;
  bool again = false;
};

using apps::seconds_since;

std::string now_in_words() {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::now()));
}

/// Makes the folders.
void prepare_folder(std::string const& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder + "/parts", fault);
  if (fault) throw resource_error(fmt::format("{}/parts: {}", folder, fault.message()));
  require_writable(folder + "/study.json");
  require_writable(folder + "/study.html");
}

constexpr std::size_t most_bytes = std::size_t{64} << 20;  ///< of a part's result or log

/// Empty: it is not there, or cannot be read.
std::string text_of_file(std::string const& path) { return runtime::read_file(path, most_bytes).text; }

/// The last line that the program wrote, which says why it failed.
std::string last_line_of(std::string const& path) {
  std::istringstream in(text_of_file(path));
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of("- ") != std::string::npos) last = line;  // MPI's launchers frame what they say
  }
  return runtime::printable(last, 300);
}

/// Null: the program wrote no JSON there, or was stopped while it did.
json result_in(std::string const& path) {
  json found = json::parse(text_of_file(path));
  return found.is_discarded() ? json() : found;
}

/// Of the copy `number` of a program that ran beside itself.
void add_rows(json& all, json const& others, unsigned number) {
  if (!all.contains("rows") || !others.contains("rows")) return;
  for (json row : others["rows"]) {
    row["runner"] = fmt::format("{} (process {})", row["runner"].get<std::string>(), number);
    all["rows"].push_back(std::move(row));
  }
}

class course {
 public:
  course(arguments const& given, study_wish wish, double budget_s)
      : wish_(std::move(wish)), budget_s_(budget_s), facts_(look_at_machine()),
        notes_(given.folder + "/study.json", identity(given)) {
    if (notes_.found_before() > 0) {
      write_to_stderr(
          fmt::format("study: {} in {}/study.json are kept", in_words(notes_.found_before(), "part"), given.folder));
    } else {
      notes_.set("began", now_in_words());
      notes_.set("doubts", doubts_about_machine(facts_.usable_pus, facts_.load_average));
      notes_.set("machine", to_json(facts_));
    }
    std::vector<unsigned> const counts = study_worker_counts(wish_.workers, wish_.quick);
    notes_.set("worker_counts", counts);
    notes_.set("command", own_command_line());
  }

  void run() {
    std::vector<study_part> const plan = plan_of(wish_);
    for (std::size_t i = 0; i < plan.size() && !interrupted(); ++i) run_part(plan[i], i + 1, plan.size());
    finish_in_spite_of_interrupts();
    notes_.set("ended", now_in_words());
    notes_.set("interrupted", interrupted());
    notes_.set("limits", limits_of(notes_.all()));
    notes_.set("checks", checks());
    notes_.set("summary", summary_of_study(notes_.all()));
    notes_.write();
  }

  [[nodiscard]] json const& found() const noexcept { return notes_.all(); }
  [[nodiscard]] std::size_t done() const noexcept { return done_; }
  [[nodiscard]] std::size_t planned() const { return plan_of(wish_).size(); }

 private:
  json identity(arguments const& given) const {
    return {{"cpu", facts_.cpu},           {"pus", facts_.pus},           {"usable_pus", facts_.usable_pus},
            {"compiler", facts_.compiler}, {"skua", facts_.skua_version}, {"build", facts_.build_type},
            {"workers", wish_.workers},    {"quick", wish_.quick},        {"policies", given.policies}};
  }
  json checks() const {
    json all = json::array();
    for (prediction_check const& c : checks_of(notes_.all())) {
      all.push_back({{"app", c.app},
                     {"runner", c.runner},
                     {"workers", c.workers},
                     {"predicted", c.predicted},
                     {"measured", c.measured},
                     {"error", c.error}});
    }
    return all;
  }
  [[nodiscard]] std::string path_of(study_part const& part, std::string_view ending) const {
    std::string name = part.key;
    std::ranges::replace(name, '/', '-');
    return fmt::format("{}/parts/{}{}", wish_.folder, name, ending);
  }
  /// Why the part cannot or need not run; empty: it can.
  std::string obstacle(study_part const& part) const {
    if (part.kind == part_kind::bench && !std::filesystem::exists(part.words.front()))
      return fmt::format("{} is not there", part.words.front());
    if (part.words.front().empty()) return "there is no MPI: no mpirun in PATH";
    if (part.kind == part_kind::prediction && !std::filesystem::exists(wish_.folder + "/model.toml"))
      return "there is no model of this machine";
    if (part.kind == part_kind::prediction && was_measured())
      return "what it predicts has been measured already (--again begins anew)";
    if (seconds_since(began_) + part.seconds > budget_s_) return "no time was left";
    return "";
  }
  bool was_measured() const {
    for (auto const& [key, part] : notes_.all()["parts"].items()) {
      if (part["kind"].template get<std::string>() == "scaling" && part.value("ended_well", false)) return true;
    }
    return false;
  }
  /// A calibration is tried twice: it fails where another program has taken a processor for a moment.
  child_end run_program(study_part const& part, std::vector<std::string> const& words) {
    for (bool is_second = part.kind != part_kind::calibration;; is_second = true) {
      double const limit = std::max(budget_s_ - seconds_since(began_), 2 * part.seconds);
      child_end end = run_child(words, path_of(part, ".log"), limit);
      if (end.is_good || is_second || interrupted()) return end;
    }
  }
  std::pair<child_end, json> run_alone(study_part const& part, std::vector<std::string> const& words,
                                       std::string const& file) {
    child_end end = run_program(part, words);
    return {std::move(end), part.kind == part_kind::calibration ? json(text_of_file(file)) : result_in(file)};
  }
  /// Runs the copies beside the program, from its beginning to their own end. The result has the rows of all.
  std::pair<child_end, json> run_beside(study_part const& part, std::string const& file) {
    std::vector<child_end> ends(part.copies);
    std::vector<std::string> files;
    for (unsigned i = 0; i < part.copies; ++i) files.push_back(i == 0 ? file : fmt::format("{}.{}", file, i + 1));
    double const limit = std::max(budget_s_ - seconds_since(began_), 2 * part.seconds);
    {
      std::vector<std::jthread> at_once;
      for (unsigned i = 0; i < part.copies; ++i) {
        at_once.emplace_back([&, i] {
          std::vector<std::string> words = part.words;
          std::ranges::replace(words, std::string{"{json}"}, files[i]);
          ends[i] = run_child(words, path_of(part, i == 0 ? ".log" : fmt::format(".{}.log", i + 1)), limit);
        });
      }
    }
    json all = result_in(file);
    for (unsigned i = 1; i < part.copies; ++i) add_rows(all, result_in(files[i]), i + 1);
    auto const bad = std::ranges::find(ends, false, &child_end::is_good);
    return {bad == ends.end() ? ends.front() : *bad, std::move(all)};
  }
  void run_part(study_part const& part, std::size_t number, std::size_t all) {
    if (notes_.has(part)) {
      ++done_;
      return;
    }
    if (std::string const why = obstacle(part); !why.empty()) {
      notes_.leave_out(part, why);
      write_to_stderr(fmt::format("study: {}/{} {}: left out, {}", number, all, part.key, why));
      return;
    }
    write_to_stderr(fmt::format("study: {}/{} {}: {}", number, all, part.key, part.title));
    std::string const file =
        part.kind == part_kind::calibration ? wish_.folder + "/model.toml" : path_of(part, ".json");
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    study_part with_file = part;
    std::ranges::replace(with_file.words, std::string{"{json}"}, file);
    processor_ticks const before = ticks_now();
    auto [end, result] = part.copies > 1 ? run_beside(part, file) : run_alone(part, with_file.words, file);
    if (!end.is_good && end.how != "interrupted") end.how += fmt::format(" ({})", last_line_of(path_of(part, ".log")));
    if (!end.is_good) write_to_stderr(fmt::format("study: {} ended badly: {}", part.key, end.how));
    done_ += end.is_good;
    notes_.add(part, end, std::move(result), conditions_since(before));
  }

  study_wish wish_;
  double budget_s_;
  machine_facts facts_;
  notebook notes_;
  apps::clock::time_point began_ = apps::clock::now();
  std::size_t done_ = 0;
};

int execute(arguments const& given) {
  double const minutes = read_number("--minutes", given.minutes, 0.1, 600, "0.1 .. 600");
  static_cast<void>(policies_in("--policies", given.policies));
  unsigned workers = look_at_machine().usable_pus;
  std::vector<std::string> only;
  if (given.only) only = items_of("--only", *given.only);
  std::vector<std::string_view> const keys = study_keys(given.quick);
  for (std::string const& name : only) {
    if (std::ranges::find(keys, name) == keys.end()) refuse_name("--only", name, keys);
  }
  if (!given.workers.empty()) workers = read_whole_number("--workers", given.workers, 1, 4096);
  std::error_code fault;
  std::string const skua = std::filesystem::read_symlink("/proc/self/exe", fault).string();
  if (fault) throw resource_error(fmt::format("/proc/self/exe: {}", fault.message()));
  if (given.again) {
    std::filesystem::remove(given.folder + "/study.json", fault);
    std::filesystem::remove(given.folder + "/model.toml", fault);
  }
  prepare_folder(given.folder);
  char const* const path = std::getenv("PATH");
  keep_after_interrupts();
  course all(given,
             {.quick = given.quick,
              .workers = workers,
              .skua = skua,
              .programs = std::filesystem::path(skua).parent_path().string(),
              .folder = given.folder,
              .policies = given.policies,
              .only = std::move(only),
              .launcher = launcher_in(path == nullptr ? "" : path)},
             60 * minutes);
  all.run();
  write_to_file(given.folder + "/study.html",
                page_of({.name = "study", .subcommand = "study", .script = page_sources::study_script()}, all.found()));
  std::string text;
  for (json const& line : all.found()["summary"]) text += line.get<std::string>() + "\n";
  write_to_stdout(text +
                  fmt::format("{0}/study.html shows all of it; {0}/study.json has the figures.\n", given.folder));
  return exit_code_after("study", all.done(), all.planned(), "part");
}

}  // namespace

subcommand add_study(parser root) {
  parser const command =
      root.add_subcommand("study", "predict and then measure how Skua and its peers scale on this machine");
  auto const given = std::make_shared<arguments>();
  command.add_option("--output", given->folder, "FOLDER", "where the study is written, and goes on if it is there")
      .shows_default();
  command.add_option("--minutes", given->minutes, "M", "begins nothing that would take longer").shows_default();
  command.add_option("--workers", given->workers, "N", "of the largest pool (default: the usable PUs)");
  command.add_option("--policies", given->policies, "NAMES", "schedulers beside auto").shows_default();
  command.add_option("--only", given->only, "NAMES", "apps and benches, such as heat-640,herd (default: all)");
  command.add_flag("--quick", given->quick, "fewer apps and rounds, in about 90 s");
  command.add_flag("--again", given->again, "from the beginning, whatever is in the folder");
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
