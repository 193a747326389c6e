// SPDX-License-Identifier: MIT
#include "cli/report/again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/text/command_line.hpp"

namespace skua::cli::traced {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// How a program takes settings: an option of `run` or `sim`, or a variable.
struct dialect {
  std::string_view policy, workers, trace;
  bool has_options = false;
};

std::optional<dialect> dialect_of(start_of_run const& how) {
  std::vector<std::string> const& arguments = how.arguments;
  if (how.is_openmp) return dialect{.policy = "SKUA_POLICY", .workers = "OMP_NUM_THREADS", .trace = "SKUA_TRACE"};
  if (arguments.size() < 2 || file_name(arguments[0]) != "skua")
    return dialect{.policy = "SKUA_POLICY", .workers = "SKUA_WORKERS", .trace = "SKUA_TRACE"};
  if (arguments[1] == "run")
    return dialect{.policy = "--policy", .workers = "--workers", .trace = "--trace", .has_options = true};
  if (arguments[1] == "sim")
    return dialect{.policy = "--policies", .workers = "--workers", .trace = "--trace", .has_options = true};
  return std::nullopt;
}

std::vector<std::string> without_option(std::vector<std::string> const& all, std::string_view option) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == option) {
      ++i;  // and its value
    } else if (!all[i].starts_with(fmt::format("{}=", option))) {
      kept.push_back(all[i]);
    }
  }
  return kept;
}

void drop_variable(std::vector<std::string>& all, std::string_view name) {
  std::erase_if(all, [&](std::string const& v) { return v.starts_with(fmt::format("{}=", name)); });
}

/// A file of another name than the trace that the report is about.
std::string another_name(std::string const& wanted, std::string const& taken) {
  std::string_view const stem = std::string_view(wanted).substr(0, wanted.rfind('.'));
  std::string free = wanted;
  for (int i = 2; file_name(taken) == free; ++i) free = fmt::format("{}{}.trace", stem, i);
  return free;
}

}  // namespace

std::string command_again(start_of_run const& how, setting what, std::string const& value, std::string const& name) {
  std::optional<dialect> const by = dialect_of(how);
  if (!by || (how.ranks > 1 && what != setting::none)) return "";
  std::string const& from = what == setting::policy ? how.policy_from : how.workers_from;
  if (!by->has_options && !how.is_openmp && (how.trace_from == "code" || (what != setting::none && from == "code")))
    return "";
  std::string_view const changed = what == setting::policy ? by->policy : what == setting::workers ? by->workers : "";
  std::string const trace = another_name(name, how.trace);
  std::vector<std::string> variables = how.variables;
  for (char const* const v :
       {"SKUA_TRACE", what == setting::policy ? "SKUA_POLICY" : "", what == setting::workers ? "SKUA_WORKERS" : "",
        what == setting::workers && how.is_openmp ? "OMP_NUM_THREADS" : ""})
    drop_variable(variables, v);
  std::vector<std::string> words = how.arguments.empty() ? std::vector<std::string>{"PROGRAM"} : how.arguments;
  if (by->has_options) {
    words = without_option(words, by->trace);
    if (what != setting::none) {
      words = without_option(words, changed);
      words.insert(words.end(), {std::string(changed), value});
    }
    words.insert(words.end(), {std::string(by->trace), trace});
  } else {
    if (what != setting::none) variables.push_back(fmt::format("{}={}", changed, value));
    variables.push_back(fmt::format("{}={}", by->trace, trace));
  }
  std::string all;
  for (std::string const& v : variables) all += quoted_variable_for_shell(v) + " ";
  if (how.ranks > 1) all += fmt::format("mpirun -n {} ", how.ranks);
  if (how.is_openmp) all += "skua omp -- ";
  for (std::string const& word : words) all += quoted_for_shell(word) + " ";
  return all + fmt::format("&& skua report {} {} -o report.html", quoted_for_shell(how.trace), trace);
}

}  // namespace skua::cli::traced
