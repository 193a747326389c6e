// SPDX-License-Identifier: MIT
// skua export: traces for other people's viewers and for data frames.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/export/formats.hpp"
#include "cli/export/stays.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress.hpp"
#include "cli/text/source_places.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

struct arguments {
  std::vector<std::string> traces;
  std::string target;
  std::string format;
};

enum class format { perfetto, json, csv, otf2 };
struct known_format {
  std::string_view name;
  std::string_view ending;
  format is;
};
constexpr std::array known_formats{
    known_format{"perfetto", ".pftrace", format::perfetto},
    known_format{"perfetto", ".perfetto-trace", format::perfetto},
    known_format{"json", ".json", format::json},
    known_format{"csv", ".csv", format::csv},
    known_format{"otf2", ".otf2", format::otf2},
};

format format_of(arguments const& given) {
  if (!given.format.empty()) {
    auto const found = std::ranges::find(known_formats, given.format, &known_format::name);
    if (found != known_formats.end()) return found->is;
    refuse_name("--format", given.format, {"perfetto", "json", "csv", "otf2"});
  }
  auto const found =
      std::ranges::find_if(known_formats, [&](known_format const& f) { return given.target.ends_with(f.ending); });
  if (found != known_formats.end()) return found->is;
  refuse("-o", given.target, "a name that ends in .pftrace, .json, .csv or .otf2, or any name with --format");
}

/// All files of each run, each once, whatever a pattern of the shell has listed.
std::vector<trace::trace_data> read_all(arguments const& given) {
  std::vector<std::string> paths;
  for (std::string const& base : given.traces) {
    for (std::string& path : trace::files_of_trace(base)) add_once(paths, std::move(path));
  }
  std::vector<trace::trace_data> all;
  progress bar("trace");
  for (std::string const& path : paths) {
    stop_if_interrupted();
    bar.show(static_cast<double>(all.size()), static_cast<double>(paths.size()), path);
    refuse_same_file("-o", given.target, "the trace", path);
    all.push_back(trace::read_trace(path));
  }
  name_source_places(all);
  return all;
}

std::string summary(std::span<trace::trace_data const> traces, std::string const& target) {
  std::uint64_t events = 0, lost = 0, workers = 0, cut_bytes = 0;
  std::size_t cut = 0;
  for (trace::trace_data const& t : traces) {
    workers += workers_of(t);
    cut += t.is_complete ? 0 : 1;
    cut_bytes += t.cut_bytes;
    for (trace::track_events const& track : t.tracks) {
      events += track.events.size();
      lost += track.lost;
    }
  }
  std::string text = fmt::format("{}: {} of {}", target, in_words(events, "event"), in_words(workers, "worker"));
  if (lost > 0) text += fmt::format("; {} before them were overwritten", lost);
  if (cut > 0) text += fmt::format("; {} of {} not ended by its process", cut, in_words(traces.size(), "trace"));
  if (cut_bytes > 0) text += fmt::format("; cut short: {} bytes that headers state are missing", cut_bytes);
  return text + "\n";
}

int execute(arguments const& given) {
  format const as = format_of(given);
  if (as == format::otf2) {
    write_otf2(timeline_of(read_all(given)), given.target);
    return exit_done;
  }
  text_target const target(given.target);
  std::vector<trace::trace_data> const traces = read_all(given);
  std::string const text = as == format::csv        ? csv_of(traces)
                           : as == format::perfetto ? perfetto_of(timeline_of(traces))
                                                    : chrome_json_of(timeline_of(traces));
  stop_if_interrupted();
  target.write(text);
  if (!target.takes_stdout()) write_to_stdout(summary(traces, given.target));
  return exit_done;
}

}  // namespace

subcommand add_export(parser root) {
  parser const command = root.add_subcommand("export", "write traces for Perfetto, Chrome, OTF2 tools or as CSV");
  auto const given = std::make_shared<arguments>();
  command
      .add_option("TRACE", given->traces, "",
                  "the value of SKUA_TRACE; the traces of all pools and ranks of a run go into one file")
      .required();
  command.add_option("-o,--output", given->target, "FILE|-", "where to; - is standard output").required();
  command
      .add_option("--format", given->format, "FORMAT",
                  fmt::format("perfetto (.pftrace), json (.json: Chrome's), csv (.csv) or otf2 (a folder .otf2{}); "
                              "default: by FILE's ending",
                              has_otf2() ? "" : ", which this build cannot write"))
      .refuses_empty();
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
