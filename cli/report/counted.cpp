// SPDX-License-Identifier: MIT
#include "cli/report/counted.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace skua::cli::traced {
namespace {

bool begins_something(kind k) noexcept {
  return k == kind::task_began || k == kind::member_began || k == kind::node_began || k == kind::called;
}
bool ends_something(kind k) noexcept {
  return k == kind::task_ended || k == kind::member_ended || k == kind::node_ended || k == kind::left;
}

/// What a worker does after this event; nothing if the event does not say.
std::optional<kind> state_after(kind k) noexcept {
  if (k >= kind::working && k <= kind::sleeping) return k;
  if (k == kind::left) return kind::sleeping;
  return begins_something(k) || k == kind::resumed ? std::optional(kind::working) : std::nullopt;
}

/// Puts the events of one track that lie in the parts one behind the other.
class joiner {
 public:
  std::vector<event> operator()(std::vector<event> const& all, std::vector<part> const& parts) {
    auto e = all.begin();
    for (part const& p : parts) {
      for (; e != all.end() && e->ticks < p.from_ns; ++e) take_outside(*e);
      open_ = open_outside_ = 0;
      if (state_ != kind::none) kept_.push_back({.ticks = now_ns_, .what = state_, .value = attempts_});
      for (; e != all.end() && e->ticks < p.to_ns; ++e) take_inside(*e, p);
      now_ns_ += p.to_ns - p.from_ns;
    }
    for (; e != all.end(); ++e) take_outside(*e);
    return std::move(kept_);
  }

 private:
  void follow(event const& e) {
    if (auto const next = state_after(e.what)) state_ = *next;
    if (e.what >= kind::working && e.what <= kind::sleeping) attempts_ = e.value;
  }
  void take_inside(event e, part const& p) {
    follow(e);
    if (begins_something(e.what)) ++open_;
    if (ends_something(e.what) && open_ > 0) --open_;
    e.ticks = e.ticks - p.from_ns + now_ns_;
    kept_.push_back(e);
  }
  void take_outside(event const& e) {
    follow(e);
    if (e.what == kind::call_choice) return keep_now(e);  // auto says at the very end what it chose
    if (begins_something(e.what)) ++open_outside_;
    if (!ends_something(e.what)) return;
    if (open_outside_ > 0) {
      --open_outside_;
    } else if (open_ > 0) {  // a worker notes the end of its last task a moment after the answer is out
      --open_;
      keep_now(e);
    }
  }
  void keep_now(event e) {
    e.ticks = now_ns_;
    kept_.push_back(e);
  }

  std::vector<event> kept_;
  std::uint64_t now_ns_ = 0;  ///< length of the parts that are over
  kind state_ = kind::none;
  std::uint64_t attempts_ = 0;
  std::size_t open_ = 0, open_outside_ = 0;  ///< tasks that began in the last part, and since
};

std::uint64_t length_of(std::vector<part> const& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, part const& p) { return sum + p.to_ns - p.from_ns; });
}

/// How much of the parts lies before that moment.
std::uint64_t counted_before(std::vector<part> const& parts, std::uint64_t at_ns) {
  std::uint64_t sum = 0;
  for (part const& p : parts) sum += std::clamp(at_ns, p.from_ns, p.to_ns) - p.from_ns;
  return sum;
}

void keep(traced_worker& w, std::vector<part> const& parts) {
  if (!w.events.empty() && w.events.front().ticks <= parts.front().from_ns) w.lost = 0;  // the parts begin later
  w.events = joiner()(w.events, parts);
  if (w.known_to_ns >= parts.back().to_ns) {
    w.known_to_ns = to_the_end;
    w.missing = 0;
  } else {
    w.known_to_ns = counted_before(parts, w.known_to_ns);
  }
}

}  // namespace

std::vector<part> counted_parts(run const& of) {
  std::vector<std::pair<std::uint64_t, bool>> marks;  // when, and whether a run begins then
  for (std::vector<traced_worker> const* group : {&of.workers, &of.outside}) {
    for (traced_worker const& w : *group) {
      for (event const& e : w.events) {
        if (e.what != kind::mark) continue;
        std::string const& name = of.names[e.other];
        if (name == mark_of_begin || name == mark_of_end) marks.emplace_back(e.ticks, name == mark_of_begin);
      }
    }
  }
  std::ranges::sort(marks);
  std::vector<part> all;
  std::size_t running = 0;
  for (auto const& [at_ns, begins] : marks) {
    if (begins && running++ == 0) all.push_back({at_ns, of.length_ns});
    if (begins) continue;
    if (all.empty()) all.push_back({0, at_ns});  // its beginning was overwritten
    if (running > 0 && --running == 0) all.back().to_ns = at_ns;
  }
  return length_of(all) > 0 ? all : std::vector<part>{};
}

run counted(run whole) {
  std::vector<part> const parts = counted_parts(whole);
  if (parts.empty()) return whole;
  for (traced_worker& w : whole.workers) keep(w, parts);
  for (traced_worker& w : whole.outside) keep(w, parts);
  std::uint64_t const length_ns = length_of(parts);
  whole.uncounted_ns = whole.length_ns - length_ns;
  whole.length_ns = length_ns;
  auto const is_known = [](traced_worker const& w) { return w.known_to_ns == to_the_end; };
  if (std::ranges::all_of(whole.workers, is_known)) whole.cut_bytes = 0;  // of what comes later
  return whole;
}

}  // namespace skua::cli::traced
