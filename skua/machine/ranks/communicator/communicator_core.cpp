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
  rank_number const first = all_.first();
  auto const texts = all_.gather(bytes_of(std::as_bytes(std::span(mine))));
  std::string verdict;
  for (rank_number r = first + 1; r < texts.size() && verdict.empty(); ++r) {
    if (!live_.is_live(r) || texts[r] == texts[first]) continue;
    verdict = what + " differs between ranks: rank " + std::to_string(first) + " has " + text_of(texts[first]) +
              ", rank " + std::to_string(r) + " has " + text_of(texts[r]);
  }
  throw_everywhere(first, call, verdict.empty() ? verdict : usage_mark + verdict);
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

void communicator_core::throw_everywhere(rank_number of, collective_call const& call, std::string fault) {
  bytes const heard = all_.broadcast(call, bytes_of(std::as_bytes(std::span(fault))), of);
  if (heard.empty()) return;
  std::string const text = text_of(heard);
  order_.note_failure({.reporter = of, .text = text.substr(1)});
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
  bool const counts = heard_.is_live(m.head.sender);
  if (m.head.kind == kind::alive || m.head.kind == kind::ask) {
    if (!counts || !live_.is_live(m.head.sender)) return send_broken(m.head.sender);
    if (m.head.kind == kind::ask) return hear_question(m);
    if (!watch_) return;
    watch_->heard(m.head.sender, network_->now_ns());
    return watch_->answer(m.head.sender, live_);
  }
  if (!counts) [[unlikely]]
    return;
  switch (m.head.kind) {
    case kind::broken:
      if (!broken_) broken_.emplace(static_cast<rank_number>(m.head.a), text_of(m.body));
      return;
    case kind::dead: return hear_dead(m);
    case kind::known: return hear_answer(m);
    case kind::differ: return order_.hear(m);
    default: return all_.on_message(m);
  }
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

void communicator_core::leave(std::uint32_t collection) {
  if (processing_ != nullptr && processing_->end().left()) all_.note_result(result_of(*processing_));
  processing_ = nullptr;
  office_.close(collection);
}

void communicator_core::throw_broken() {
  lose_windows();
  rank_number const first = live_.at(0);
  bool const is_of_first = broken_->rank() == first && live_.size() > 1;
  order_.note_failure({.reporter = is_of_first ? live_.at(1) : first, .text = broken_->what(), .is_death = true});
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

}}}  // namespace skua::v0::ranks
