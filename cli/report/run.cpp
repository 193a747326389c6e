// SPDX-License-Identifier: MIT
#include "cli/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cli/text/short_name.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli::traced {
namespace {

/// The description of one file, or an empty object: a damaged one costs the names of things, not the report.
json description_of(trace::trace_data const& file) {
  json parsed = json::parse(file.description);
  return parsed.is_object() ? parsed : json::object();
}

void take_text(json const& from, char const* key, std::string& to) {
  if (auto const found = from.find(key); found != from.end() && found->is_string() && to.empty())
    to = found->get<std::string>();
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
    if (auto const o = about.find("options"); o != about.end() && o->is_object()) to_.options.update(*o);
    take_distances(about);
    to_.complete = to_.complete && file.is_complete;
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
      added.events = std::move(file.tracks[w].events);
      for (event& e : added.events) refer(e, file, offset_ns);
    }
    ++pool_;
    first_flow_ += std::exchange(flows_, 0);
  }

 private:
  /// Files number their distances as they like: those of pools follow the machine, and a rank's know two.
  void take_distances(json const& about) {
    classes_.clear();
    if (auto const d = about.find("distances"); d != about.end() && d->is_array()) {
      for (json const& name : *d)
        classes_.push_back(class_named(name.is_string() ? name.get<std::string>() : unnamed(classes_.size())));
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
    while (workers > 1 && file.tracks[workers - 1].events.empty()) --workers;
    return workers;
  }

  void describe(traced_worker& to, json const& about, std::size_t w) {
    auto const all = about.find("workers");
    if (all == about.end() || !all->is_array() || w >= all->size() || !(*all)[w].is_object()) return;
    json const& one = (*all)[w];
    to.processor = number_in(one, "processor");
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
  std::uint64_t first_flow_ = 0, flows_ = 0;                ///< flows of earlier files, and of this one
  std::vector<std::uint16_t> classes_;                      ///< of this file's distances
  std::unordered_map<std::uint32_t, std::uint32_t> names_;  ///< of this file
  std::unordered_map<std::string, std::uint32_t> known_names_;
  std::map<std::tuple<std::string, std::uint32_t, std::int64_t>, std::int64_t> places_;
  std::map<std::string, std::size_t> counts_;
};

/// Lets the run begin with its first event.
void begin_at_first_event(run& all) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = 0;
  for (std::vector<traced_worker> const* group : {&all.workers, &all.outside}) {
    for (traced_worker const& w : *group) {
      if (w.events.empty()) continue;
      first = std::min(first, w.events.front().ticks);
      last = std::max(last, w.events.back().ticks);
    }
  }
  if (first > last) return;
  for (std::vector<traced_worker>* group : {&all.workers, &all.outside})
    for (traced_worker& w : *group)
      for (event& e : w.events) e.ticks -= first;
  all.length_ns = last - first;
}

void cut(traced_worker& w, std::uint64_t from_ns, std::uint64_t to_ns) {
  std::vector<event> kept;
  event last_state;
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
    std::uint64_t const offset = f.began_ns - began;
    to.add(std::move(f), offset);
  }
  begin_at_first_event(all);
  return all;
}

run cut(run whole, std::uint64_t from_ns, std::uint64_t to_ns) {
  to_ns = std::min(to_ns, whole.length_ns);
  from_ns = std::min(from_ns, to_ns);
  for (traced_worker& w : whole.workers) cut(w, from_ns, to_ns);
  for (traced_worker& w : whole.outside) cut(w, from_ns, to_ns);
  whole.length_ns = to_ns - from_ns;
  return whole;
}

run read_run(std::string const& base) {
  std::vector<trace::trace_data> files;
  for (std::string const& path : trace::files_of_trace(base)) files.push_back(trace::read_trace(path));
  return merge(base, std::move(files));
}

}  // namespace skua::cli::traced
