// SPDX-License-Identifier: MIT
#include "cli/experiment/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"

namespace skua::cli {
namespace {

struct quantity_entry {
  quantity what;
  std::string_view name;
  std::string_view unit;
};
constexpr std::array quantities{
    quantity_entry{quantity::time, "time", "s"},
    quantity_entry{quantity::speed_up, "speed-up", ""},
    quantity_entry{quantity::scalability, "scalability", ""},
    quantity_entry{quantity::gflops, "GFLOPS", "GFLOPS"},
    quantity_entry{quantity::work, "work", "s"},
    quantity_entry{quantity::scheduling, "scheduling", "s"},
    quantity_entry{quantity::idle, "idle", "s"},
    quantity_entry{quantity::inflation, "inflation", ""},
    quantity_entry{quantity::width, "width", ""},
    quantity_entry{quantity::width_share, "width share", ""},
    quantity_entry{quantity::alone_share, "share alone", ""},
    quantity_entry{quantity::core_gflops, "GFLOPS per core", "GFLOPS"},
    quantity_entry{quantity::misses, "misses", "B"},
    quantity_entry{quantity::roof_share, "share of the roof", ""},
    quantity_entry{quantity::fact, "fact", ""},
};

constexpr std::size_t longest_file_bytes = std::size_t{1} << 20;

std::string content_of(std::string const& path) {
  runtime::file_text file = runtime::read_file(path, longest_file_bytes);
  std::string const why = file.wrong == std::errc::file_too_large ? "larger than 1 MiB"
                          : file.wrong                            ? file.wrong.message()
                          : file.text.empty()                     ? "empty"
                                                                  : "";
  if (!why.empty())
    throw usage_error(
        fmt::format("experiment is '{}' ({}); allowed: the path of a file of up to 1 MiB that can be read", path, why));
  return std::move(file.text);
}

}  // namespace

std::string_view name_of(quantity q) noexcept { return std::ranges::find(quantities, q, &quantity_entry::what)->name; }
std::string_view unit_of(quantity q) noexcept { return std::ranges::find(quantities, q, &quantity_entry::what)->unit; }

std::string const& label_of(experiment_panel const& p, bool quick) noexcept { return quick ? p.quick_name : p.name; }

app_command command_of(experiment const& of, experiment_panel const& p, experiment_series const& s, double x,
                       bool quick) {
  app_command all{.app = s.run.app.empty() ? p.run.app : s.run.app};
  auto const options = [quick](experiment_run const& r) { return quick && !r.quick.empty() ? r.quick : r.options; };
  all.options = s.run.app.empty() ? options(p.run) : "";
  if (std::string const own = options(s.run); !own.empty()) all.options += " " + own;
  if (!of.x.option.empty()) all.options += fmt::format(" {} {}", of.x.option, x);
  return all;
}

experiment load_experiment(std::string const& name_or_path, std::optional<std::string> const& machine) {
  if (name_or_path.ends_with(".toml")) {
    return parse_experiment(content_of(name_or_path), "own/" + name_or_path.substr(name_or_path.rfind('/') + 1),
                            name_or_path, machine);
  }
  for (shipped_file const& f : shipped_experiment_files()) {
    if (f.name == name_or_path)
      return parse_experiment(f.text, f.name, fmt::format("experiments/{}.toml", f.name), machine);
  }
  refuse_name("experiment", name_or_path, shipped_experiments());
}

experiment with_panels(experiment whole, std::vector<std::string> const& names) {
  if (names.empty()) return whole;
  std::vector<std::string_view> known;
  for (experiment_panel const& p : whole.panels) known.push_back(p.name);
  for (std::string const& n : names) {
    if (std::ranges::find(known, n) == known.end()) refuse_name("panel", n, known);
  }
  auto const is_other = [&](std::string const& panel) {
    return !panel.empty() && std::ranges::find(names, panel) == names.end();
  };
  std::erase_if(whole.expected, [&](expectation const& e) { return is_other(e.panel); });
  std::erase_if(whole.stated, [&](stated_value const& v) { return is_other(v.panel); });
  std::erase_if(whole.panels, [&](experiment_panel const& p) { return is_other(p.name); });
  return whole;
}

std::vector<std::string_view> shipped_experiments() {
  std::vector<std::string_view> names;
  for (shipped_file const& f : shipped_experiment_files()) names.push_back(f.name);
  return names;
}

std::vector<std::string_view> quantity_names() {
  std::vector<std::string_view> names;
  for (quantity_entry const& q : quantities) names.push_back(q.name);
  return names;
}

}  // namespace skua::cli
