// SPDX-License-Identifier: MIT
#include "skua/machine/sim/run_trace.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

namespace skua { inline namespace v0 { namespace sim {

run_trace::run_trace(trace::trace_file& to, std::uint32_t workers, tick ticks_per_ns)
    : file_(to), now_(workers, trace::kind::none), attempts_(workers), ticks_per_ns_(ticks_per_ns) {
  tracks_.reserve(workers);
  for (std::uint32_t w = 0; w < workers; ++w) tracks_.push_back(to.track_of(w));
}

void run_trace::begins(std::string_view policy) noexcept {
  note(0, worker_id{0}, {.what = trace::kind::region_opened, .other = file_.add_name(policy), .value = tracks_.size()});
  for (std::uint32_t w = 0; w < tracks_.size(); ++w) acts(0, worker_id{w}, trace::kind::scheduling);
}

void run_trace::changes_scheduler(tick at, worker_id w, policies::scheduler_note const& done) noexcept {
  note(at, w,
       {.what = trace::kind::scheduler_changed,
        .detail = static_cast<std::uint8_t>(done.is_trial ? 1 : 0),
        .other = file_.add_name(done.scheduler),
        .id = file_.add_name(done.call),
        .value = done.all_lost_ns});
}

void run_trace::ends(tick at, std::span<policies::call_choice const> choices) {
  for (policies::call_choice const& c : choices)
    note(at, worker_id{0}, {.what = trace::kind::call_choice, .other = file_.add_name(policies::text_of(c))});
}

void run_trace::leaf(tick at, worker_id w, task_tree const& program, tree_node_id id) noexcept {
  tree_node const& n = program[id];
  trace::event e{.what = trace::kind::leaf};
  std::uint64_t read = 0;
  for (std::uint32_t t = 0; t < n.touches; ++t) {
    touch const& part = program.touches()[n.first_touch + t];
    if (!part.written) {
      read += part.bytes * part.rows;
      continue;
    }
    if (e.id == 0) e.id = part.address;
    e.value += part.bytes * part.rows;
  }
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  e.other = static_cast<std::uint32_t>(std::min(read, most));
  note(at, w, e);
}

void run_trace::marks_before(tick at, worker_id w, task_tree const& program, tree_node_id id) noexcept {
  auto const all = std::ranges::equal_range(program.marks(), id, {}, &task_tree::mark::before);
  for (task_tree::mark const& m : all)
    note(at, w, {.what = trace::kind::mark, .other = tracks_[index(w)].name(m.name), .value = m.number});
}

}}}  // namespace skua::v0::sim
