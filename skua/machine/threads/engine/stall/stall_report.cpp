// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/stall/stall_report.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "skua/machine/threads/engine/callers/guest.hpp"
#include "skua/machine/threads/engine/callers/lent_thread.hpp"
#include "skua/machine/threads/engine/core/marks.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

struct lane_length {
  std::string_view name;
  std::uint64_t entries;
};

std::array<lane_length, 9> lanes_of(worker_slot& s) noexcept {
  return {{{"forks", s.forks_outside().size_hint()},
           {"spawned", s.spawned.outside().size_hint()},
           {"inbox", s.inbox.size_hint()},
           {"local", word_of_another_thread(s.local.published())},
           {"migrated", word_of_another_thread(s.migrated.published())},
           {"mailbox", word_of_another_thread(s.mailbox.published())},
           {"next", word_of_another_thread(s.next.published())},
           {"nodes", word_of_another_thread(s.nodes.published())},
           {"ordered", s.ordered == nullptr ? 0 : s.ordered->size()}}};
}

template <class Visit>
void each_region(pool_core& c, Visit&& visit) {
  open_regions const open(c);
  for (auto const& r : *open) visit(*r);
}

template <class Visit>
void each_worker(pool_core& c, Visit&& visit) {
  for (std::uint32_t w = 0; w < c.workers(); ++w) visit(c.worker_at(worker_id{w}));
}

bool has_caller(worker& w) noexcept { return w.calls().read() % 2 != 0; }

std::string in_words(pool_core& c, worker& w) {
  std::string text =
      "  worker " + std::to_string(index(w.number())) + " (thread " + std::to_string(w.thread_number()) + "): ";
  bool const is_lent = has_caller(w);
  if (is_lent) text += "lent to a call from outside, which ";
  char const* const waits = w.waits_in_place_for();
  if (waits != nullptr) {
    text += std::string("waits without leaving its stack for ") + waits;
  } else if (w.counts().times.current() == activity::working) {
    text += "runs a task";
  } else if (is_lent) {
    text += "finds no task";
  } else {
    text += c.sleep().is_waiting(w.number()) ? "asleep" : "searches for tasks";
  }
  return text + "\n";
}

std::string in_words(frame const& f, std::uint64_t now_ns) {
  region const& in = slot_of(*f.suspended).region;
  std::string text = "  parked for " + std::to_string((now_ns - f.noted.since_ns) / 1'000'000) + " ms: ";
  text += in.is_of_guest() ? "a guest's task" : "a task of region " + std::to_string(in.number());
  if (f.is_tied_to_thread()) {
    text += " (only its thread may continue it)";
  } else if (f.is_tied()) {
    text += " (only its worker may continue it)";
  }
  if (f.noted.waits_for == nullptr || f.noted.waits_for->left_only(0)) return text + " is ready to continue\n";
  text += std::string(" waits for ") + f.noted.reason.text;
  if (f.noted.reason.object != nullptr) {
    std::array<char, 32> at{};
    std::snprintf(at.data(), at.size(), " at 0x%" PRIxPTR, reinterpret_cast<std::uintptr_t>(f.noted.reason.object));
    text += at.data();
  }
  return text + "\n";
}

std::string lanes_in_words(region& r) {
  std::string text;
  for (std::uint32_t w = 0; w < r.workers(); ++w) {
    worker_slot& s = r.slot_of(worker_id{w});
    for (auto const& [name, entries] : lanes_of(s)) {
      if (entries == 0) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(entries) + " in " + std::string(name) + " of worker " +
              std::to_string(index(s.worker.number()));
    }
  }
  auto const also = [&text](std::string_view what) { text += (text.empty() ? "" : ", ") + std::string(what); };
  if (r.has_ready()) also("tasks that are ready to continue");
  if (r.has_injected()) also("tasks from outside");
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::uint64_t marks_of_progress(pool_core& c, parked_frames& parked) {
  digest all;
  all.add(parked.moves());
  each_worker(c, [&](worker& w) { add_marks(all, w); });
  all.add(c.lent() == nullptr ? 0 : c.lent()->ran());
  each_region(c, [&](region& r) {
    all.add(r.guests().in_use());
    ask_to_mark_forks(r);
    for (std::uint32_t w = 0; w < r.workers(); ++w) {
      worker_slot& s = r.slot_of(worker_id{w});
      for (lane_length const& l : lanes_of(s)) all.add(l.entries);
    }
  });
  return all.value();
}

bool has_work(pool_core& c, parked_frames& parked) {
  bool found = false;
  parked.each([&](frame const&) { found = true; });
  each_worker(c, [&](worker& w) { found = found || has_caller(w) || w.counts().times.current() == activity::working; });
  each_region(c, [&](region& r) { found = found || r.guests().in_use() != 0 || !r.holds_nothing(); });
  return found;
}

std::string describe_stall(pool_core& c, parked_frames& parked, std::uint64_t now_ns) {
  std::string text;
  each_worker(c, [&](worker& w) { text += in_words(c, w); });
  constexpr std::uint32_t listed = 100;
  std::uint32_t frames = 0;
  parked.each([&](frame const& f) {
    if (frames++ < listed) text += in_words(f, now_ns);
  });
  if (frames > listed) text += "  and " + std::to_string(frames - listed) + " more that are parked\n";
  if (lent_thread const* const lent = c.lent(); lent != nullptr && (lent->ran() != 0 || lent->runs_one()))
    text += "  a lent thread: has begun " + std::to_string(lent->ran()) + " enqueued tasks, and " +
            (lent->runs_one() ? "runs one\n" : "rests\n");
  each_region(c, [&](region& r) {
    text += "  region " + std::to_string(r.number()) + " (" + std::string(r.policy_name()) +
            "): queued: " + lanes_in_words(r);
    if (std::uint32_t const n = r.guests().in_use(); n != 0)
      text += "; calls that run on their own: " + std::to_string(n);
    text += "\n";
  });
  return text;
}

}}}  // namespace skua::v0::runtime
