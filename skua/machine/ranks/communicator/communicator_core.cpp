// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/communicator_core.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/machine/ranks/communicator/sent_values.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

// The kind of the error whose text travels to other ranks.
constexpr char usage_mark = 'u';
constexpr char resource_mark = 'r';

/// The body of kind::dead: the ranks that have died, and why the last one has.
using told_loss = std::pair<std::vector<rank_number>, std::string>;

constexpr std::uint64_t look_beside_every_ns = 500'000'000;
constexpr std::uint64_t gone_for_ns = 2'000'000'000;

}  // namespace

communicator_core::~communicator_core() {
  progress_.reset();
  transfers_->share(nullptr);
  bool const is_whole = !broken_ && live_.size() == live_.ranks();
  try {
    if (is_whole) transfers_->finish();
  } catch (std::exception const&) {}  // nobody waits for it
  transfers_->end(std::make_exception_ptr(
      usage_error("a distributed matrix after the end of its communicator; allowed: before it")));
  if (is_whole) {
    windows_->end();
  } else {
    windows_->abandon();
  }
}

/// The rank waits for a transfer: it answers others, and yields its processor.
void communicator_core::wait_for_window(std::uint32_t rounds) {
  constexpr std::uint32_t longest = 80;  // transport::rest sleeps only after more
  if (poll_in_task()) return;
  if (rounds % 1024 == 1023) look_beside(network_->now_ns());
  network_->rest(std::min(rounds, longest));
}

/// A rank has died, and its part of every matrix with it.
void communicator_core::lose_windows() noexcept {
  rank_number const dead = broken_ ? broken_->rank() : live_.dead().back();
  std::string const why = broken_ ? broken_->what() : "rank " + std::to_string(dead) + " died";
  transfers_->end(std::make_exception_ptr(rank_lost(dead, why + "; its part of the distributed matrices is lost")));
}

void communicator_core::agree(collective_call const& call, std::string const& what, std::string const& mine) {
  all_.meet(call);
  auto const texts = all_.gather(bytes_of(std::as_bytes(std::span(mine))));
  std::string verdict;
  for (rank_number r = 1; r < texts.size() && verdict.empty(); ++r) {
    if (!live_.is_live(r) || texts[r] == texts[0]) continue;
    verdict = what + " differs between ranks: rank 0 has " + text_of(texts[0]) + ", rank " + std::to_string(r) +
              " has " + text_of(texts[r]);
  }
  throw_everywhere(call, verdict.empty() ? verdict : usage_mark + verdict);
}

void communicator_core::set_clocks_of_traces() {
  std::uint64_t traced = trace_ == nullptr ? 0 : 1;
  max_elements(all_, {.what = operation::start}, std::span(&traced, 1));
  if (traced == 0) return;
  clock_offset const measured = all_.measure_clock();
  // The ranks of one node have one clock.
  if (trace_ != nullptr) trace_->correct_clock(network_->node().first == 0 ? 0 : measured.ns);
}

std::string communicator_core::fault_of(std::function<void()> const& f) {
  try {
    f();
    return {};
  } catch (usage_error const& e) {
    return std::string(1, usage_mark) + e.what();
  } catch (std::exception const& e) {
    return std::string(1, resource_mark) + e.what();
  }
}

void communicator_core::throw_everywhere(collective_call const& call, std::string fault) {
  bytes const heard = all_.broadcast(call, bytes_of(std::as_bytes(std::span(fault))));
  if (heard.empty()) return;
  std::string const text = text_of(heard);
  order_.note_failure({.reporter = 0, .text = text.substr(1)});
  if (text.front() == usage_mark) throw usage_error(text.substr(1));
  throw resource_error(text.substr(1));
}

void communicator_core::watch(double deadline_s) {
  auto const ns = static_cast<std::uint64_t>(deadline_s * 1e9);
  if (watch_ && deadline_ns_ <= ns) return;
  deadline_ns_ = ns;
  watch_.emplace(*network_, ns);
}

void communicator_core::on_message(message const& m) {
  if (m.head.kind == kind::alive) {
    if (watch_ && live_.is_live(m.head.sender)) watch_->heard(m.head.sender, network_->now_ns());
    if (!live_.is_live(m.head.sender)) send_broken(m.head.sender);
    return;
  }
  if (m.head.kind == kind::broken) {
    if (!broken_) broken_.emplace(static_cast<rank_number>(m.head.a), text_of(m.body));
    return;
  }
  if (m.head.kind == kind::dead) return hear_dead(m);
  if (m.head.kind == kind::differ) return order_.hear(m);
  all_.on_message(m);
}

/// Without memory or threads for it the rank does without.
void communicator_core::start_progress_thread() {
  may_have_progress_thread_ = false;
  if (network_->ranks() == 1 || !network_->allows_any_thread() || !progress_thread::is_wanted()) return;
  try {
    progress_ = std::make_unique<progress_thread>(lock_, [this] { return look_in_task_(); });
    transfers_->share(&lock_);
  } catch (std::bad_alloc const&) {
  } catch (std::system_error const&) {}
}

void communicator_core::enter(std::uint32_t collection, process_engine& engine, std::function<bool()> look) {
  if (look && may_have_progress_thread_) start_progress_thread();
  look_in_task_ = std::move(look);
  if (look_in_task_ && progress_ != nullptr) progress_->begin();
  processing_ = &engine;
  recovers_since_ns_ = 0;
  office_.open(collection, engine);
}

void communicator_core::leave(std::uint32_t collection) noexcept {
  processing_ = nullptr;
  office_.close(collection);
}

void communicator_core::throw_broken() {
  lose_windows();
  order_.note_failure({.reporter = broken_->rank() == 0 ? 1U : 0U, .text = broken_->what(), .is_death = true});
  throw rank_lost(*broken_);
}

void communicator_core::wait_for_the_end() {
  if (watch_) watch_->wait_for_the_end();
  all_.meet({.what = operation::end});
}

void communicator_core::look_beside(std::uint64_t now_ns) {
  if (watch_) return;
  if (now_ns - looked_beside_ns_ < look_beside_every_ns) return;
  looked_beside_ns_ = now_ns;
  auto const node = network_->node();
  rank_number const next = network_->rank() + 1 == node.last ? node.first : network_->rank() + 1;
  bool const is_gone = network_->life_of(next) == transport::life::ended;
  gone_since_ns_ = !is_gone ? 0 : gone_since_ns_ == 0 ? now_ns : gone_since_ns_;
  // Messages of a process that has left in order are still on their way.
  if (!is_gone || now_ns - gone_since_ns_ < gone_for_ns) return;
  network_->abandon(next);
  give_up(next, "rank " + std::to_string(next) + " died: its process has ended");
  throw_broken();
}

void communicator_core::look() {
  if (broken_) throw_broken();
  std::uint64_t const now_ns = network_->now_ns();
  for (liveness::death const& d : watch_->look(now_ns, live_)) lose(d);
  bool const recovers = processing_ != nullptr && processing_->is_recovering();
  if (!recovers) {
    recovers_since_ns_ = 0;
  } else if (recovers_since_ns_ == 0) {
    recovers_since_ns_ = now_ns;
  } else if (network_->rank() == 0 && now_ns - recovers_since_ns_ > 4 * deadline_ns_) {
    give_up("a rank died, and not all others answered in time to mend that");
  }
  if (broken_) throw_broken();
}

void communicator_core::lose(liveness::death const& d) {
  std::string const what = "rank " + std::to_string(d.rank) + " died: " + d.reason;
  if (network_->rank() != 0) {
    if (!broken_) broken_.emplace(d.rank, what + "; without rank 0 the job cannot go on");
    return;
  }
  live_.remove(d.rank);
  network_->abandon(d.rank);
  lose_windows();
  if (goes_on_) all_.send_last_result();
  bool const mends = processing_ != nullptr && processing_->lose(d.rank);
  if (!mends && !tell_loss(d.rank, what)) give_up(d.rank, what);
}

/// Rank 0 is in a step, and every live rank has left the one before, or leaves it with the result that rank 0 has: all throw in this step, which
/// none can leave without rank 0. False: the ranks could throw in different calls, or something is lost that no copy has.
bool communicator_core::tell_loss(rank_number dead, std::string const& why) {
  bool const is_late = processing_ != nullptr && processing_->end().left();
  bool const recovers = processing_ == nullptr || processing_->recovers();
  if (!goes_on_ || !recovers || windows_->is_used() || order_.is_part() || order_.what() == operation::end)
    return false;
  std::uint32_t const step = order_.step() + (is_late ? 1 : 0);
  losses_.push_back({step, rank_lost(dead, why, true)});
  auto const dead_ones = live_.dead();
  bytes const body = written(told_loss{{dead_ones.begin(), dead_ones.end()}, why});
  message_header h;
  h.kind = kind::dead;
  h.a = step;
  h.b = dead;
  live_.each([&](rank_number r) {
    if (r != network_->rank()) network_->send(r, h, body);
  });
  return true;
}

void communicator_core::hear_dead(message const& m) {
  auto const [dead, why] = read_value<told_loss>(m.body);
  for (rank_number const d : dead) {
    if (live_.remove(d)) network_->abandon(d);
  }
  lose_windows();
  losses_.push_back({static_cast<std::uint32_t>(m.head.a), rank_lost(static_cast<rank_number>(m.head.b), why, true)});
}

void communicator_core::throw_loss_of_this_step(std::uint64_t now_ns) {
  std::erase_if(losses_, [&](loss const& l) { return call_order::is_before(l.step, order_.step()); });
  if (losses_.empty()) return;
  auto const at = std::ranges::find(losses_, order_.step(), &loss::step);
  if (at != losses_.end()) {
    loss const found = *at;
    std::erase_if(losses_, [&](loss const& l) { return l.step == order_.step(); });
    order_.note_failure({.reporter = 0, .text = found.what.what(), .is_death = true});
    throw rank_lost(found.what);
  }
  // The others have left this part of a call: what is still missing is the dead rank's.
  stuck_since_ns_ = !order_.is_part() ? 0 : stuck_since_ns_ == 0 ? now_ns : stuck_since_ns_;
  if (stuck_since_ns_ == 0 || now_ns - stuck_since_ns_ < gone_for_ns) return;
  give_up(losses_.front().what.rank(),
          std::string(losses_.front().what.what()) + "; it was in a call that others had left");
  throw_broken();
}

void communicator_core::expect_no_loss_in_next_step(collective_call const& call) {
  if (std::ranges::find(losses_, order_.step() + 1, &loss::step) == losses_.end()) return;
  order_.begin(call);
  expect_no_loss();
}

void communicator_core::mended(live_ranks const& live) {
  for (rank_number const d : live.dead()) {
    if (live_.remove(d)) network_->abandon(d);
  }
  lose_windows();
}

void communicator_core::give_up(std::string const& why) {
  give_up(live_.dead().empty() ? 0 : live_.dead().back(), why);
}

void communicator_core::cannot_mend(std::string const& why) {
  if (!tell_loss(live_.dead().back(), why)) give_up(why);
}

void communicator_core::end_by_loss(rank_number dead, std::string const& why) {
  if (!broken_) broken_.emplace(dead, why);
  throw_broken();
}

void communicator_core::give_up(rank_number dead, std::string const& why) {
  if (broken_) return;
  broken_.emplace(dead, why);
  live_.each([&](rank_number r) { send_broken(r); });
}

/// Tells a rank that was given up, and sends messages all the same, that the job is broken. Sends nothing to this rank
/// itself.
void communicator_core::send_broken(rank_number to) {
  if (to == network_->rank()) return;
  message_header h;
  h.kind = kind::broken;
  h.a = broken_ ? broken_->rank() : to;
  std::string const why =
      broken_ ? broken_->what() : "this rank was silent for too long, and the others go on without it";
  network_->send(to, h, std::as_bytes(std::span(why)));
}

}}}  // namespace skua::v0::ranks
