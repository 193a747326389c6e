// SPDX-License-Identifier: MIT
// The engine's notes for a trace, apart from the code that does what is noted.
#include "skua/machine/sim/engine/engine.hpp"

namespace skua { inline namespace v0 { namespace sim {

void engine::write(worker_id w, trace::event const& e) { trace_->note(now_ + spent_, w, e); }

void engine::write_activity(worker_id w, trace::kind activity, tick at) { trace_->acts(at, w, activity); }

void engine::note_begin(worker_id w, item const& it, lane from) {
  acts(w, trace::kind::working, now_ + spent_);
  std::uint64_t const id = run_trace::id_of(it);
  if (it.content == item::kind::frame) return note(w, {.what = trace::kind::resumed, .id = id});
  note(w, {.what = trace::kind::task_began, .detail = static_cast<std::uint8_t>(from), .id = id});
  if (it.team == no_team) return;
  running_team const& t = teams_[it.team];
  hint const& hinted = program_[t.task].hints;
  note(w, {.what = trace::kind::member_began,
           .detail = static_cast<std::uint8_t>(hinted.type.value_or(task_type{0}).number),
           .count = static_cast<std::uint16_t>(t.width),
           .id = hinted.address.value_or(runtime::address{0}).fraction,
           .value = index(t.first)});
}

void engine::note_end(worker_id w, fiber_id f) {
  if (is_member(f)) {
    running_team const& t = teams_[fibers_[f].team];
    tick const took = now_ + spent_ - result_.turns[t.task].begin;
    note(w, {.what = trace::kind::member_ended, .value = t.first == w ? trace_->ns_of(took) : 0});
  }
  note(w, {.what = trace::kind::task_ended});
}

void engine::note_call(worker_id w, tree_node_id id) {
  trace_->marks_before(now_ + spent_, w, program_, id);
  if (program_[id].kind == tree_node_kind::leaf) trace_->leaf(now_ + spent_, w, program_, id);
}

void engine::note_attempt(worker_id w, probe const& p, outcome how, item const* taken) {
  trace_->attempts_steal(w);
  if (how == outcome::lost) note(w, {.what = trace::kind::lost, .other = index(p.victim)});
  if (taken == nullptr) return;
  note(w, {.what = trace::kind::stolen,
           .detail = static_cast<std::uint8_t>(p.lane),
           .count = static_cast<std::uint16_t>(layout_.distance(w, p.victim)),
           .other = index(p.victim),
           .id = run_trace::id_of(*taken)});
}

}}}  // namespace skua::v0::sim
