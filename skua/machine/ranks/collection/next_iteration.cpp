// SPDX-License-Identifier: MIT
// What a collection does between two process(): where its tasks start next. collection.md has the states.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "skua/machine/ranks/collection/balance_plan.hpp"
#include "skua/machine/ranks/collection/collection_core.hpp"
#include "skua/machine/ranks/collection/distributed_balancing.hpp"
#include "skua/machine/ranks/collection/near_owners.hpp"
#include "skua/machine/ranks/collection/task_work.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/balancers.hpp"
#include "skua/policy/balance/on_rank.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

using policies::balance::next_start;
using policies::balance::start_of_tasks;

/// Unset: auto. Throws usage_error.
std::optional<next_start> start_named(std::string_view how) {
  if (how == "none") return next_start{start_of_tasks::retained, false};
  if (how == "steal") return next_start{start_of_tasks::original, true};
  if (how == "retentive") return next_start{start_of_tasks::retained, true};
  if (how == "auto") return {};
  try {
    static_cast<void>(policies::balance::make_balancer(how));
  } catch (usage_error const& e) {
    throw usage_error(std::string("restore: ") + e.what() + "; or none, steal, retentive, auto");
  }
  return next_start{start_of_tasks::balanced, false};
}

/// A checkpoint may have times whose sum is above what 64 bits hold.
std::uint64_t whole_ns(double load) noexcept {
  return load < 0x1p64 ? static_cast<std::uint64_t>(load) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

/// Counts the time of a call of the program.
class collection_core::balancing_clock {
 public:
  explicit balancing_clock(collection_core& of) noexcept : of_(of), began_ns_(of.network_.now_ns()) {}
  balancing_clock(balancing_clock const&) = delete;
  balancing_clock& operator=(balancing_clock const&) = delete;
  ~balancing_clock() { of_.balancing_cost_.ns += of_.network_.now_ns() - began_ns_; }

 private:
  collection_core& of_;
  std::uint64_t const began_ns_;
};

void collection_core::restore(placement_of_tasks where) {
  expect_at_rest("restore");
  balancing_clock const counted(*this);
  seed_record(where);
}

void collection_core::seed_record(placement_of_tasks where) {
  if (where == placement_of_tasks::original) {
    std::vector<move_order> home;
    for (std::uint64_t e = 0; e < record_.size(); ++e) {
      std::uint32_t const origin = shape_.mark_of(record_.slot(e)).origin;
      std::uint32_t const to = core_.live().is_live(origin) ? origin : core_.live().after(origin);
      if (to != rank()) home.push_back({static_cast<std::uint32_t>(e), to});
    }
    move(call(operation::restore), home);
  }
  if (record_.size() > 0) seeded_.seed(record_.times_ns());
  // The rank may have executed more tasks than may wait on it: it took them one after the other.
  queue_.admit(queue_.size() + record_.size());
  restored_ += record_.size();
  // The queue returns the newest first: pushed in reverse, tasks run in the order of the record.
  for (; record_.size() > 0; record_.release_last()) queue_.push(record_.slot(record_.size() - 1));
  state_ = collection_state::seeding;
}

void collection_core::restore_as(std::string_view how) {
  expect_at_rest("restore");
  std::optional<next_start> const named = start_named(how);
  balancing_clock const counted(*this);
  collective_call const call = this->call(operation::restore_as, how);
  expect_everywhere(call, "restore", needs::a_record);
  if (!named && is_measured_) static_cast<void>(choice_.next(summary(call)));
  next_start const next = named ? *named : is_measured_ ? choice_.chosen() : next_start{};
  start_ = named ? std::string(how) : choice_.reason();
  balance_ns_ = 0;
  if (next.from == start_of_tasks::balanced) {
    std::uint64_t const began_ns = network_.now_ns();
    collective_call by = call;
    if (!named) by.detail = "hierarchical";
    balance(by);
    balance_ns_ = network_.now_ns() - began_ns;
  } else if (next.from == start_of_tasks::retained && how != "none") {
    relocate(call);
  }
  engine_.stealing(next.steals);
  seed_record(next.from == start_of_tasks::original ? placement_of_tasks::original : placement_of_tasks::retained);
}

/// Of the last process(), the same numbers on every rank. Collective.
policies::balance::iteration_summary collection_core::summary(collective_call const& call) {
  auto const times = record_.times_ns();
  auto const [differs_ns, then_ns] = seeded_.compare(times);
  // The ranks count themselves: some may have heard already of a rank that all lose in the next step.
  std::array<std::uint64_t, 6> sums{
      workers_.counted().executed, workers_.busy_ns(), workers_.count(), differs_ns, then_ns, 1};
  std::array<std::uint64_t, 4> most{wall_ns_, workers_.busy_ns() / workers_.count(),
                                    times.empty() ? 0 : *std::ranges::max_element(times), balance_ns_};
  sum_elements(core_.all(), call, std::span(sums));
  max_elements(core_.all(), call, std::span(most));
  return {.ranks = static_cast<std::uint32_t>(sums[5]),
          .tasks = sums[0],
          .wall_ns = most[0],
          .mean_ns = sums[1] / sums[2],
          .most_ns = most[1],
          .longest_ns = most[2],
          .balance_ns = most[3],
          .change =
              sums[4] > 0 ? std::optional(static_cast<double>(sums[3]) / static_cast<double>(sums[4])) : std::nullopt};
}

/// Collective: sends entries of the record away, and appends the entries that other ranks send.
void collection_core::move(collective_call const& call, std::vector<move_order> const& orders) {
  std::vector<std::uint64_t> messages_to(ranks(), 0);
  for (move_order const& o : orders) messages_to[o.receiver] = 1;
  sum_elements(core_.all(), call, std::span(messages_to));
  move_from(messages_to[rank()], orders);
}

/// The same where this rank knows how many others send it entries.
void collection_core::move_from(std::uint64_t givers, std::vector<move_order> const& orders) {
  std::vector<collectives::addressed> out;
  std::vector<bool> leaves(record_.size(), false);
  std::map<rank_number, std::vector<std::uint64_t>> parts;
  for (move_order const& o : orders) {
    leaves[o.entry] = true;
    parts[o.receiver].push_back(o.entry);
  }
  for (auto const& [to, entries] : parts) out.push_back({to, encode_with_footprints(record_, entries)});
  record_.remove(leaves);
  for (auto const& of : out) balancing_cost_.sent += of.body.size();
  for (auto const& in : core_.all().send_and_receive(std::move(out), givers)) {
    balancing_cost_.received += in.body.size();
    decode(in.body, record_);
  }
}

void collection_core::rebalance(std::string_view how) {
  collective_call const call = this->call(operation::rebalance, how);
  expect_at_rest("rebalance");
  balancing_clock const counted(*this);
  balance(call, choose_balanced(call, "rebalance"));
}

double collection_core::own_load() const {
  if (state_ != collection_state::executed) return workers_.sum_of_works();
  auto const times = record_.times_ns();
  return std::accumulate(times.begin(), times.end(), 0.0,
                         [](double sum, std::uint64_t ns) { return sum + static_cast<double>(ns); });
}

collection_core::choice collection_core::choose_balanced(collective_call const& call, char const* name) {
  bool const recorded = state_ == collection_state::executed;
  bool const weighed = workers_.are_weighed();
  // Doubles of at least 0 have the order of their bits, so one reduction does for all.
  std::array<std::uint64_t, 5> largest{recorded ? 0U : 1U, recorded || (waiting() > 0 && !weighed) ? 1U : 0U,
                                       weighed ? 1U : 0U, std::bit_cast<std::uint64_t>(workers_.largest_work()),
                                       std::bit_cast<std::uint64_t>(own_load())};
  max_elements(core_.all(), call, std::span(largest));
  balanced const what = balanced_by({largest[0], largest[1], largest[2]});
  if (what == balanced::nothing) {
    refuse_if_hindered(name, static_cast<std::uint64_t>(obstacle::nothing_to_balance));
  }
  return {what, std::bit_cast<double>(largest[3]), std::bit_cast<double>(largest[4])};
}

void collection_core::balance(collective_call const& call, choice const& chosen) {
  chosen.what == balanced::record ? balance(call) : balance_waiting(call, chosen.largest_work);
}

/// Before the first process(): the tasks that wait are a record for a while, with their works for times.
void collection_core::balance_waiting(collective_call const& call, double largest_work) {
  workers_.record_waiting(largest_work);
  try {
    balance(call);
  } catch (...) {
    seed_weighed(largest_work);
    throw;
  }
  seed_weighed(largest_work);
}

/// The record waits again, and is weighed. Tasks that never ran belong to the rank where they wait.
void collection_core::seed_weighed(double largest_work) {
  queue_.admit(queue_.size() + record_.size());
  for (; record_.size() > 0; record_.release_last()) {
    std::uint64_t const last = record_.size() - 1;
    record_.set_origin(last, rank());
    workers_.prepare_weighing();
    queue_.push(record_.slot(last));
    workers_.weigh(work_of(record_.times_ns()[last], largest_work));
  }
}

void collection_core::balance(collective_call const& call) {
  auto const chosen = policies::balance::make_balancer(call.detail);  // throws on every rank, before any message
  if (policies::balance::has_no_centre(chosen)) {
    balanced_share const share = balance_by_messages(core_.all(), rank(), record_.times_ns(), chosen);
    times_heard_ = share.times_heard;
    if (prefers_owners()) return move(call, near_owners(share.gives));
    move_from(share.givers, share.gives);
  } else {
    central_orders const orders = orders_of(core_.all(), rank(), record_.times_ns(), chosen);
    times_heard_ = orders.times_heard;
    move(call, prefers_owners() ? near_owners(orders.gives) : orders.gives);
  }
}

/// The same on every rank.
bool collection_core::prefers_owners() const noexcept {
  return meter_ != nullptr && is_measured_ && state_ == collection_state::executed && core_.live().size() > 1;
}

/// These orders, or others after which the next process() moves fewer bytes of matrices (policy/balance/locality.md). Within a collective call.
std::vector<move_order> collection_core::near_owners(std::span<move_order const> orders, bool is_retained) {
  start_of_record const start{orders, is_retained, last_.got + last_.put + last_.accumulated};
  near_orders near = orders_near_owners(core_.all(), rank(), record_, start, options_.footprint_tolerance);
  times_heard_ += near.times_heard;
  relocation_.looked(near.gains);
  return std::move(near.gives);
}

/// Of a retained start: tasks stay where they ran, but for those that should run where more of what they need lies. Within a collective call.
void collection_core::relocate(collective_call const& call) {
  if (!prefers_owners() || !relocation_.is_due()) return;
  times_heard_ = 0;
  move(call, near_owners({}, true));
}

/// The same on every rank.
bool collection_core::is_due(choice const& chosen, double mean) {
  if (chosen.what == balanced::waiting) {
    return policies::balance::when_to_balance::is_due_at_first(chosen.largest_load, mean);
  }
  balancing_.predict(whole_ns(chosen.largest_load), whole_ns(mean));
  return balancing_.is_due();
}

bool collection_core::rebalance_if_due(std::string_view how) {
  expect_at_rest("rebalance_if_due");
  balancing_clock const counted(*this);
  collective_call const call = this->call(operation::rebalance_if_due, how);
  std::array<double, 2> sums{own_load(), 1};  // the ranks count themselves, as in summary
  sum_elements(core_.all(), call, std::span(sums));
  choice const chosen = choose_balanced(call, "rebalance_if_due");
  if (!is_due(chosen, sums[0] / sums[1])) return false;
  std::uint64_t const began_ns = network_.now_ns();
  balance(call, chosen);
  std::uint64_t cost_ns = network_.now_ns() - began_ns;
  max_elements(core_.all(), call, std::span(&cost_ns, 1));
  balancing_.balanced(cost_ns);
  return true;
}

}}}  // namespace skua::v0::ranks
