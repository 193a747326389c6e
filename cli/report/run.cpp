// SPDX-License-Identifier: MIT
#include "cli/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cli/text/short_name.hpp"
#include "cli/text/source_places.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli::traced {
namespace {

/// The description of one file, or an empty object: a damaged one costs the names of things, not the report.
json description_of(trace::trace_data const& file) {
  json parsed = json::parse(file.description);
  return parsed.is_object() ? parsed : json::object();
}

void take_text(json const& from, char const* key, std::string& to) {
  if (auto const found = from.find(key); found != from.end() && found->is_string() && to.empty())
    to = runtime::printable(found->get<std::string>());
}

std::int64_t number_in(json const& from, char const* key) {
  auto const found = from.find(key);
  return found != from.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
}

/// Adds files to a run one by one.
class merger {
 public:
  explicit merger(run& to) : to_(to) {}

  void add(trace::trace_data file, std::uint64_t offset_ns) {
    json const about = description_of(file);
    take_text(about, "program", to_.program);
    take_text(about, "command", to_.command);
    take_text(about, "host", to_.host);
    take_text(about, "policy", to_.policy);
    take_text(about, "version", to_.version);
    take_text(about, "machine", to_.machine);
    take_start(about);
    if (auto const o = about.find("options"); o != about.end() && o->is_object()) to_.options.update(*o);
    take_distances(about);
    to_.complete = to_.complete && file.is_complete;
    to_.cut_bytes += file.cut_bytes;
    to_.ranks = std::max(to_.ranks, file.ranks);
    first_ = static_cast<std::uint32_t>(to_.workers.size());
    workers_ = workers_in(about, file.tracks.size());
    if (file.ranks > 1) workers_ = without_silent_ones(workers_, file);
    names_.clear();
    for (std::size_t w = 0; w < file.tracks.size(); ++w) {
      traced_worker& added = w < workers_ ? to_.workers.emplace_back() : to_.outside.emplace_back();
      added.rank = file.rank;
      added.pool = pool_;
      describe(added, about, w);
      added.lost = file.tracks[w].lost;
      added.missing = file.tracks[w].missing;
      added.known_to_ns = known_to(file, w, offset_ns);
      if (added.lost > 0) may_begin_ns_ = std::min(may_begin_ns_, offset_ns);
      if (added.known_to_ns != to_the_end) may_end_ns_ = std::max(may_end_ns_, offset_ns + file.ended_ns);
      added.events = std::move(file.tracks[w].events);
      for (event& e : added.events) refer(e, file, offset_ns);
    }
    ++pool_;
    first_flow_ += std::exchange(flows_, 0);
  }

  /// Overwritten events may reach back to here, and missing ones up to here.
  [[nodiscard]] std::uint64_t may_begin_ns() const noexcept { return may_begin_ns_; }
  [[nodiscard]] std::uint64_t may_end_ns() const noexcept { return may_end_ns_; }

 private:
  /// How the first file says that the program was started. Older traces have the command as one text.
  void take_start(json const& about) {
    start_of_run& how = to_.how;
    if (!how.arguments.empty()) return;
    how.arguments = texts_in(about, "arguments");
    how.variables = texts_in(about, "variables");
    if (auto const by = about.find("chosen_by"); by != about.end() && by->is_object()) {
      take_text(*by, "policy", how.policy_from);
      take_text(*by, "workers", how.workers_from);
      take_text(*by, "trace", how.trace_from);
    }
    if (!how.arguments.empty()) return;
    std::istringstream words(to_.command.empty() ? to_.program : to_.command);
    for (std::string word; words >> word;) how.arguments.push_back(word);
  }

  static std::vector<std::string> texts_in(json const& about, char const* key) {
    std::vector<std::string> all;
    auto const found = about.find(key);
    if (found == about.end() || !found->is_array()) return all;
    for (json const& one : *found)
      if (one.is_string()) all.push_back(one.get<std::string>());
    return all;
  }

  /// A worker goes on with what its last event says until its process ends the trace; if nothing says when that was, it
  /// was there at least until the last event of the file.
  static std::uint64_t known_to(trace::trace_data const& file, std::size_t w, std::uint64_t offset_ns) {
    trace::track_events const& track = file.tracks[w];
    if (track.is_cut) return track.events.empty() ? 0 : offset_ns + track.events.back().ticks;
    return file.is_complete ? to_the_end : offset_ns + file.ended_ns;
  }

  /// Files number their distances as they like: those of pools follow the machine, and a rank's know two.
  void take_distances(json const& about) {
    classes_.clear();
    if (auto const d = about.find("distances"); d != about.end() && d->is_array()) {
      for (json const& name : *d)
        classes_.push_back(
            class_named(name.is_string() ? runtime::printable(name.get<std::string>()) : unnamed(classes_.size())));
    }
    std::int64_t const of_ranks = number_in(about, "distance_of_ranks");
    if (of_ranks >= 0 && static_cast<std::size_t>(of_ranks) < classes_.size())
      to_.distance_of_ranks = classes_[static_cast<std::size_t>(of_ranks)];
  }
  static std::string unnamed(std::size_t in_file) { return fmt::format("distance {}", in_file); }
  std::uint16_t class_named(std::string const& name) {
    auto const found = std::ranges::find(to_.distances, name);
    auto const at = found - to_.distances.begin();
    if (found == to_.distances.end()) to_.distances.push_back(name);
    return static_cast<std::uint16_t>(at);
  }

  /// The tracks behind those of the workers belong to threads outside.
  static std::uint32_t workers_in(json const& about, std::size_t tracks) {
    auto const all = about.find("workers");
    bool const is_known = all != about.end() && all->is_array() && !all->empty() && all->size() < tracks;
    return static_cast<std::uint32_t>(is_known ? all->size() : tracks);
  }

  /// A rank's file has tracks for more workers than it may get: the last ones that wrote nothing are none.
  static std::uint32_t without_silent_ones(std::uint32_t workers, trace::trace_data const& file) {
    auto const is_silent = [&](trace::track_events const& t) { return t.events.empty() && !t.is_cut; };
    while (workers > 1 && is_silent(file.tracks[workers - 1])) --workers;
    return workers;
  }

  void describe(traced_worker& to, json const& about, std::size_t w) {
    auto const all = about.find("workers");
    if (all == about.end() || !all->is_array() || w >= all->size() || !(*all)[w].is_object()) return;
    json const& one = (*all)[w];
    to.processor = number_in(one, "processor");
    auto const speed = one.find("speed");
    double const said = speed != one.end() && speed->is_number() ? speed->get<double>() : 1;
    to.speed = said > 0 && said < 1 ? said : 1;
    // A place or a node of another rank is another one.
    auto const own = [&](char const* key) {
      std::int64_t const n = number_in(one, key);
      if (n < 0) return n;
      auto const [found, is_new] = places_.try_emplace({key, to.rank, n}, static_cast<std::int64_t>(counts_[key]));
      if (is_new) ++counts_[key];
      return found->second;
    };
    to.place = own("place");
    to.node = own("node");
  }

  void refer(event& e, trace::trace_data const& file, std::uint64_t offset_ns) {
    e.ticks += offset_ns;
    switch (e.what) {
      case kind::stolen:
        e.count = e.count < classes_.size() ? classes_[e.count] : class_named(unnamed(e.count));
        e.other = to_.is_from_rank(e) ? std::min(e.other, to_.ranks - 1) : worker_of(e.other);
        break;
      case kind::lost:
      case kind::sent:
      case kind::moved: e.other = worker_of(e.other); break;
      case kind::member_began:
      case kind::task_began:
      case kind::called:
      case kind::region_opened:
      case kind::mark: e.other = name_of(file, e.other); break;
      case kind::construct_began: to_.how.is_openmp = true; [[fallthrough]];
      case kind::call_choice: e.other = text_of(file, e.other); break;
      case kind::scheduler_changed:
        e.other = name_of(file, e.other);
        e.id = name_of(file, static_cast<std::uint32_t>(e.id));
        break;
      case kind::node_began: e.other = name_of(file, e.other); [[fallthrough]];
      case kind::node_ended:
      case kind::released:
      case kind::flow_began:
      case kind::flow_ended:
        flows_ = std::max(flows_, e.id >> 32);  // numbered from 1
        e.id += first_flow_ << 32;
        break;
      default: break;
    }
  }

  [[nodiscard]] std::uint32_t worker_of(std::uint32_t in_file) const noexcept {
    return first_ + std::min(in_file, workers_ - 1);
  }

  std::uint32_t name_of(trace::trace_data const& file, std::uint32_t at) {
    auto const [found, is_new] = names_.try_emplace(at, 0);
    if (is_new) found->second = added(short_name(file.name(at)));
    return found->second;
  }
  /// A text for people, which is no name that a compiler made.
  std::uint32_t text_of(trace::trace_data const& file, std::uint32_t at) { return added(std::string(file.name(at))); }

  std::uint32_t added(std::string name) {
    auto const [known, is_new] =
        known_names_.try_emplace(std::move(name), static_cast<std::uint32_t>(to_.names.size()));
    if (is_new) to_.names.push_back(known->first);
    return known->second;
  }

  run& to_;
  std::uint32_t first_ = 0, workers_ = 1, pool_ = 0;
  std::uint64_t may_begin_ns_ = to_the_end, may_end_ns_ = 0;
  std::uint64_t first_flow_ = 0, flows_ = 0;                ///< flows of earlier files, and of this one
  std::vector<std::uint16_t> classes_;                      ///< of this file's distances
  std::unordered_map<std::uint32_t, std::uint32_t> names_;  ///< of this file
  std::unordered_map<std::string, std::uint32_t> known_names_;
  std::map<std::tuple<std::string, std::uint32_t, std::int64_t>, std::int64_t> places_;
  std::map<std::string, std::size_t> counts_;
};

/// Lets the run begin with its first event, or where the first one that was overwritten may have been.
void begin_at_first_event(run& all, std::uint64_t first, std::uint64_t last) {
  for (std::vector<traced_worker> const* group : {&all.workers, &all.outside}) {
    for (traced_worker const& w : *group) {
      if (w.events.empty()) continue;
      first = std::min(first, w.events.front().ticks);
      last = std::max(last, w.events.back().ticks);
    }
  }
  if (first > last) return;
  for (std::vector<traced_worker>* group : {&all.workers, &all.outside}) {
    for (traced_worker& w : *group) {
      for (event& e : w.events) e.ticks -= first;
      if (w.known_to_ns != to_the_end) w.known_to_ns -= std::min(first, w.known_to_ns);
    }
  }
  all.length_ns = last - first;
}

void cut(traced_worker& w, std::uint64_t from_ns, std::uint64_t to_ns) {
  std::vector<event> kept;
  event last_state;
  bool const is_known_before = !w.events.empty() && w.events.front().ticks <= from_ns;
  for (event& e : w.events) {
    if (e.ticks >= to_ns) break;
    if (e.ticks < from_ns) {
      bool const is_state = e.what >= kind::working && e.what <= kind::sleeping;
      if (is_state) last_state = e;
      continue;
    }
    e.ticks -= from_ns;
    kept.push_back(e);
  }
  if (last_state.what != kind::none) {
    last_state.ticks = 0;
    kept.insert(kept.begin(), last_state);
  }
  w.events = std::move(kept);
  if (is_known_before) w.lost = 0;  // the part begins later
  if (w.known_to_ns >= to_ns) {
    w.known_to_ns = to_the_end;
    w.missing = 0;
  } else {
    w.known_to_ns -= std::min(from_ns, w.known_to_ns);
  }
}

}  // namespace

std::uint64_t run::events() const noexcept {
  return std::accumulate(workers.begin(), workers.end(), std::uint64_t{0},
                         [](std::uint64_t n, traced_worker const& w) { return n + w.events.size(); });
}

std::uint64_t run::lost() const noexcept {
  return std::accumulate(workers.begin(), workers.end(), std::uint64_t{0},
                         [](std::uint64_t n, traced_worker const& w) { return n + w.lost; });
}

bool run::is_whole() const noexcept { return complete && cut_bytes == 0 && lost() == 0; }

run merge(std::string label, std::vector<trace::trace_data> files) {
  run all;
  all.label = std::move(label);
  if (files.empty()) return all;
  all.simulated = files.front().is_virtual;
  std::uint64_t began = std::numeric_limits<std::uint64_t>::max();
  for (trace::trace_data const& f : files) {
    if (f.is_virtual != all.simulated)
      throw usage_error(fmt::format("trace '{}' has files of a simulated run and of a measured one", all.label));
    began = std::min(began, f.began_ns);
  }
  merger to(all);
  for (trace::trace_data& f : files) {
    constexpr std::uint64_t most = 4'000'000'000'000'000'000;  // of a damaged header: no sum overflows
    std::uint64_t const offset = std::min(f.began_ns - began, most);
    to.add(std::move(f), offset);
  }
  all.how.trace = all.label;
  all.how.ranks = all.ranks;
  begin_at_first_event(all, to.may_begin_ns(), to.may_end_ns());
  return all;
}

run cut(run whole, std::uint64_t from_ns, std::uint64_t to_ns) {
  to_ns = std::min(to_ns, whole.length_ns);
  from_ns = std::min(from_ns, to_ns);
  for (traced_worker& w : whole.workers) cut(w, from_ns, to_ns);
  for (traced_worker& w : whole.outside) cut(w, from_ns, to_ns);
  whole.length_ns = to_ns - from_ns;
  auto const is_known = [](traced_worker const& w) { return w.known_to_ns == to_the_end; };
  if (std::ranges::all_of(whole.workers, is_known)) whole.cut_bytes = 0;  // of what comes later
  return whole;
}

std::vector<run> read_runs(std::string const& base) {
  std::vector<trace::trace_data> files;
  for (std::string const& path : trace::files_of_trace(base)) files.push_back(trace::read_trace(path));
  name_source_places(files);
  return runs_of(base, std::move(files));
}

std::vector<run> runs_of(std::string const& base, std::vector<trace::trace_data> files) {
  // A job is known by its number of ranks; of several processes of one rank, the first ones are a job, then the second ones.
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<trace::trace_data>> jobs;
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  std::map<std::pair<std::uint32_t, std::size_t>, std::string> names;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::string>> of_rank;
  for (trace::trace_data& f : files) {
    json const about = description_of(f);
    std::string host;
    take_text(about, "host", host);
    std::string const process =
        fmt::format("process {}{}{}", number_in(about, "process"), host.empty() ? "" : " on ", host);
    std::vector<std::string>& known = of_rank[{f.ranks, f.rank}];
    auto const at = static_cast<std::size_t>(std::ranges::find(known, process) - known.begin());
    if (at == known.size()) known.push_back(process);
    auto const key = std::pair(f.ranks, at);
    if (!jobs.contains(key)) {
      order.push_back(key);
      names[key] = f.ranks > 1 ? fmt::format("{}, {} with rank {} of {}", base, process, f.rank, f.ranks)
                               : fmt::format("{}, {}", base, process);
    }
    jobs[key].push_back(std::move(f));
  }
  std::vector<run> all;
  for (auto const& key : order) {
    all.push_back(merge(order.size() > 1 ? names[key] : base, std::move(jobs[key])));
    all.back().how.trace = base;
  }
  return all;
}

}  // namespace skua::cli::traced
