// SPDX-License-Identifier: MIT
#include "cli/report/constructs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "cli/report/packed.hpp"

namespace skua::cli::traced {
namespace {

using trace::construct;

constexpr std::size_t most_rows = 60;  // of a table

std::uint64_t traced_number(std::uint64_t id) noexcept { return id >> trace::member_bits; }
std::uint32_t member_of(std::uint64_t id) noexcept {
  return static_cast<std::uint32_t>(id & ((std::uint64_t{1} << trace::member_bits) - 1));
}

/// One call of a region.
struct call {
  std::uint32_t name = 0, level = 1, members = 0, pool = 0, rank = 0;
  std::uint64_t from_ns = to_the_end, to_ns = 0;
  std::uint64_t barrier_ns = 0, lock_ns = 0, children_ns = 0, begins_ns = 0, ends_ns = 0;
  std::uint32_t ended = 0;                         ///< members
  std::map<std::uint32_t, std::uint64_t> busy_ns;  ///< by member
  [[nodiscard]] bool is_whole() const noexcept { return ended > 0 && from_ns <= to_ns; }
};

struct loop_run {
  std::uint32_t members = 0, entered = 0;
  std::uint64_t longest_ns = 0, total_ns = 0;
};

class adder {
 public:
  adder(run const& of, history const& h) : run_(of), all_(h.constructs) {}

  openmp_times add() {
    for (finished_construct const& c : all_)
      if (c.what == construct::task) region_of_task_[key(c, traced_number(c.id))] = c.value;
    for (finished_construct const& c : all_) take(c);
    openmp_times times;
    if (calls_.empty()) return times;
    add_regions(times);
    add_loops(times);
    return times;
  }

 private:
  using rank_and_number = std::pair<std::uint32_t, std::uint64_t>;
  [[nodiscard]] rank_and_number key(finished_construct const& c, std::uint64_t number) const noexcept {
    return {run_.workers[c.worker].rank, number};
  }
  /// The region of a member, or of a member that runs a task.
  call& call_of(finished_construct const& c) {
    rank_and_number at = key(c, traced_number(c.id));
    if (auto const task = region_of_task_.find(at); task != region_of_task_.end()) at.second = task->second;
    return calls_[at];
  }

  void take(finished_construct const& c) {
    call& of = call_of(c);
    switch (c.what) {
      case construct::parallel:
        of.name = c.name;
        of.level = static_cast<std::uint32_t>(c.value >> 32);
        of.members = std::max(c.members, 1u);
        of.pool = run_.workers[c.worker].pool;
        of.rank = run_.workers[c.worker].rank;
        of.from_ns = std::min(of.from_ns, c.began_ns);
        of.to_ns = std::max(of.to_ns, c.ended_ns);
        of.begins_ns += c.began_ns;
        of.ends_ns += c.ended_ns;
        ++of.ended;
        break;
      case construct::loop:
      case construct::sections: take_loop(c); break;
      case construct::task: break;
      case construct::barrier: of.barrier_ns += c.own_ns; return;
      case construct::lock:
      case construct::order: of.lock_ns += c.own_ns; return;
      case construct::children: of.children_ns += c.own_ns; return;
      case construct::join:
      case construct::region: return;
    }
    of.busy_ns[member_of(c.id)] += c.own_ns;
  }

  void take_loop(finished_construct const& c) {
    std::uint32_t const turn = loops_met_[{key(c, c.id), c.name}]++;  // of a loop that a member meets several times
    loop_run& of = loop_runs_[{c.name, c.what, key(c, traced_number(c.id)), turn}];
    of.members = std::max(c.members, 1u);
    ++of.entered;
    of.longest_ns = std::max(of.longest_ns, c.own_ns);
    of.total_ns += c.own_ns;
    loop_times& place = loops_[{c.name, c.what}];
    place.iterations += c.iterations;
    place.chunks += c.chunks;
  }

  void add_regions(openmp_times& to) {
    std::map<std::uint32_t, region_times> by_name;
    std::vector<call const*> outer;
    for (auto const& [number, c] : calls_) {
      if (!c.is_whole()) continue;
      auto const [at, is_new] = by_name.try_emplace(c.name);
      region_times& r = at->second;
      r.name = c.name;
      r.level = is_new ? c.level : std::min(r.level, c.level);
      r.members = std::max(r.members, c.members);
      ++r.calls;
      r.total_ns += c.to_ns - c.from_ns;
      r.team_ns += (c.to_ns - c.from_ns) * c.members;
      r.starting_ns += c.begins_ns - c.from_ns * c.ended;
      r.barrier_ns += c.barrier_ns + c.to_ns * c.ended - c.ends_ns;
      r.lock_ns += c.lock_ns;
      r.children_ns += c.children_ns;
      std::uint64_t longest = 0, sum = 0;
      for (auto const& [m, ns] : c.busy_ns) {
        longest = std::max(longest, ns);
        sum += ns;
      }
      r.longest_ns += longest;
      r.mean_ns += sum / c.members;
      if (c.level == 1) outer.push_back(&c);
    }
    add_serial(to, outer, by_name);
    for (auto const& [name, r] : by_name) to.regions.push_back(r);
    std::ranges::stable_sort(to.regions, std::greater{}, &region_times::total_ns);
  }

  void add_serial(openmp_times& to, std::vector<call const*>& outer, std::map<std::uint32_t, region_times>& by_name) {
    std::ranges::sort(outer, {}, &call::from_ns);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last_of_pool;
    std::uint64_t covered_to = 0, covered = 0;
    for (call const* const c : outer) {
      auto const [last, is_first] = last_of_pool.try_emplace({c->rank, c->pool}, c->from_ns);
      if (c->from_ns > last->second) by_name[c->name].serial_before_ns += c->from_ns - last->second;
      last->second = std::max(last->second, c->to_ns);
      std::uint64_t const from = std::max(c->from_ns, covered_to);
      if (c->to_ns > from) covered += c->to_ns - from;
      covered_to = std::max(covered_to, c->to_ns);
    }
    to.known_ns = run_.length_ns;
    if (!run_.is_whole()) to.known_ns = outer.empty() ? 0 : covered_to - outer.front()->from_ns;
    to.serial_ns = to.known_ns - std::min(covered, to.known_ns);
  }

  void add_loops(openmp_times& to) {
    for (auto const& [at, one] : loop_runs_) {
      loop_times& place = loops_[{std::get<0>(at), std::get<1>(at)}];
      ++place.runs;
      place.total_ns += one.total_ns;
      place.longest_ns += one.longest_ns;
      place.mean_ns += one.total_ns / one.members;
    }
    for (auto& [at, place] : loops_) {
      std::tie(place.name, place.what) = at;
      to.loops.push_back(place);
    }
    std::ranges::stable_sort(to.loops, std::greater{}, &loop_times::total_ns);
  }

  run const& run_;
  std::vector<finished_construct> const& all_;
  std::map<rank_and_number, std::uint64_t> region_of_task_;
  std::map<rank_and_number, call> calls_;
  std::map<std::pair<rank_and_number, std::uint32_t>, std::uint32_t> loops_met_;
  std::map<std::tuple<std::uint32_t, construct, rank_and_number, std::uint32_t>, loop_run> loop_runs_;
  std::map<std::pair<std::uint32_t, construct>, loop_times> loops_;
};

double share(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string place_name(run const& of, std::uint32_t name) {
  return of.names[name].empty() ? std::string("(unknown place)") : of.names[name];
}

}  // namespace

openmp_times openmp_times_of(run const& of, history const& h) { return adder(of, h).add(); }

json openmp_json(run const& of, history const& h) {
  openmp_times const all = openmp_times_of(of, h);
  if (all.regions.empty()) return {};
  json regions = json::array(), loops = json::array();
  for (region_times const& r : all.regions) {
    if (regions.size() == most_rows) break;
    regions.push_back({{"place", place_name(of, r.name)},
                       {"level", r.level},
                       {"calls", r.calls},
                       {"members", r.members},
                       {"total_s", seconds(r.total_ns)},
                       {"mean_s", rounded(seconds(r.total_ns) / static_cast<double>(r.calls))},
                       {"imbalance", rounded(r.imbalance())},
                       {"starting", rounded(share(r.starting_ns, r.team_ns))},
                       {"at_barriers", rounded(share(r.barrier_ns, r.team_ns))},
                       {"at_locks", rounded(share(r.lock_ns, r.team_ns))},
                       {"for_tasks", rounded(share(r.children_ns, r.team_ns))},
                       {"serial_before_s", seconds(r.serial_before_ns)}});
  }
  for (loop_times const& l : all.loops) {
    if (loops.size() == most_rows) break;
    loops.push_back({{"place", place_name(of, l.name)},
                     {"kind", l.what == construct::sections ? "sections" : "loop"},
                     {"runs", l.runs},
                     {"iterations", l.iterations},
                     {"chunks", l.chunks},
                     {"total_s", seconds(l.total_ns)},
                     {"imbalance", rounded(l.imbalance())}});
  }
  return {{"places", all.regions.size()},
          {"serial_s", seconds(all.serial_ns)},
          {"serial", rounded(share(all.serial_ns, all.known_ns))},
          {"regions", std::move(regions)},
          {"loops", std::move(loops)}};
}

}  // namespace skua::cli::traced
