// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/balance_time.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <ranges>
#include <utility>
#include <variant>
#include <vector>

#include "skua/machine/ranks/simulated/balance_messages.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/policy/balance/donors.hpp"
#include "skua/policy/balance/on_rank.hpp"

namespace skua { inline namespace v0 { namespace ranks {
namespace {

namespace balance = policies::balance;
using message_kind = balance_message::kind;

constexpr std::uint64_t description_bytes = sizeof(balance::donated_task);

double in_seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// Calls f(first, last) for each run of equal key(*it).
template <class F, class K>
void each_run(std::vector<balance::migration> const& all, K key, F f) {
  for (auto first = all.begin(); first != all.end();) {
    auto const last = std::find_if(first, all.end(), [&](auto const& m) { return key(m) != key(*first); });
    f(first, last);
    first = last;
  }
}

/// Every rank sends to rank 0, which tells donors and receivers.
class centralised_balancing {
 public:
  centralised_balancing(cluster const& where, balance::machine_loads const& loads, double donate,
                        balance::load_database::detail how, std::uint64_t task_bytes)
      : ranks_(static_cast<std::uint32_t>(loads.size())), messages_(where, ranks_), task_bytes_(task_bytes),
        donations_(balance::donations_of(loads, how, donate)) {
    messages_.reduce();
    time_.reduction_s = in_seconds(messages_.now_ns());
    for (std::uint32_t r = 0; r < ranks_; ++r) messages_.work(r, donations_[r].tasks.size());
  }

  balance_time run() {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (r != 0) time_.most_times += donations_[r].tasks.size();
      messages_.send({.purpose = message_kind::up,
                      .sender = r,
                      .receiver = 0,
                      .bytes = sizeof(std::uint64_t) + donations_[r].tasks.size() * description_bytes});
    }
    messages_.run(
        [this](balance_message const& m) {
          if (m.purpose == message_kind::up && ++heard_ == ranks_) decide();
          if (m.purpose == message_kind::down) instructed(m);
        },
        [](balance_message const&) {});
    time_.seconds = in_seconds(messages_.now_ns());
    time_.messages = messages_.sent();
    time_.most_messages = ranks_;
    return time_;
  }

 private:
  void decide() {
    std::vector<balance::donated_task> pool;
    std::vector<balance::load_ns> kept;
    for (balance::donation const& d : donations_) {
      pool.insert(pool.end(), d.tasks.begin(), d.tasks.end());
      kept.push_back(d.kept);
    }
    messages_.work(0, pool.size());
    std::vector<std::uint64_t> lines(ranks_);  // that each rank is told
    for (balance::assignment const& a : balance::assign_longest_to_least(std::move(pool), kept)) {
      if (a.task.donor == a.receiver) continue;
      moves_.push_back({a.task.donor, a.task.task, a.receiver});
      ++lines[a.task.donor];
      ++lines[a.receiver];
    }
    std::ranges::sort(moves_, [](auto const& a, auto const& b) {
      return a.donor != b.donor ? a.donor < b.donor : a.receiver < b.receiver;
    });
    // A scatter: every rank gets a message, even if it has nothing to move.
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      messages_.send(
          {.purpose = message_kind::down, .sender = 0, .receiver = r, .bytes = lines[r] * description_bytes});
    }
  }

  void instructed(balance_message const& m) {
    time_.decided_s = in_seconds(messages_.now_ns());
    auto const [first, last] = std::ranges::equal_range(moves_, m.receiver, {}, &balance::migration::donor);
    std::vector<balance::migration> const own(first, last);
    each_run(
        own, [](auto const& x) { return x.receiver; },
        [&](auto a, auto b) {
          // The donor sends its tasks for this rank in one message.
          auto const tasks = static_cast<std::uint64_t>(b - a);
          messages_.send({.purpose = message_kind::tasks,
                          .sender = m.receiver,
                          .receiver = a->receiver,
                          .bytes = tasks * task_bytes_});
          time_.migrations += tasks;
        });
  }

  std::uint32_t ranks_;
  balance_messages messages_;
  std::uint64_t task_bytes_;
  std::vector<balance::donation> donations_;
  balance_time time_;
  std::uint32_t heard_ = 0;
  std::vector<balance::migration> moves_;  ///< by donor and receiver
};

/// Each rank runs its own part of a balancer that has no centre.
class balancing_on_ranks {
 public:
  balancing_on_ranks(cluster const& where, balance::machine_loads const& loads, balance::balancer const& by,
                     std::uint64_t seed, std::uint64_t task_bytes, std::function<void()> const& interruption_point)
      : messages_(where, static_cast<std::uint32_t>(loads.size())), task_bytes_(task_bytes),
        interruption_point_(interruption_point) {
    for (std::uint32_t r = 0; r < loads.size(); ++r) {
      rank& added = ranks_.emplace_back(messages_, r, static_cast<std::uint32_t>(loads.size()));
      added.steps.emplace(balance::balance_on_rank(added.mail, loads[r], by, seed));
    }
  }

  balance_time run() {
    for (rank& r : ranks_) {
      r.steps->start();
      go_on(r);
    }
    std::uint32_t until_next_look = looks_every;
    messages_.run(
        [&](balance_message m) {
          if (--until_next_look == 0) {
            interruption_point_();
            until_next_look = looks_every;
          }
          if (m.purpose != message_kind::content) return;
          rank& to = ranks_[m.receiver];
          to.mail.deliver(std::move(m.content));
          go_on(to);
        },
        [this](balance_message const& m) { fetch_early(ranks_[m.receiver]); });
    runtime::expects(ended_ == ranks_.size(), "time_to_balance: every rank ends");
    time_.seconds = in_seconds(messages_.now_ns());
    time_.messages = messages_.sent();
    return time_;
  }

 private:
  static constexpr std::uint32_t looks_every = 100'000;

  struct rank final : balance::mail_carrier {
    rank(balance_messages& by, std::uint32_t number, std::uint32_t count) : messages(by), mail(*this, number, count) {}
    void send(std::uint32_t to, balance::rank_message m) override {
      std::uint64_t const bytes = m.bytes();
      messages.send({.purpose = message_kind::content,
                     .sender = mail.rank(),
                     .receiver = to,
                     .bytes = bytes,
                     .content = std::move(m)});
    }
    void work(std::uint64_t looks) override { messages.work(mail.rank(), looks); }

    balance_messages& messages;
    balance::rank_mail mail;
    std::optional<balance::rank_steps<balance::rank_share>> steps;
  };

  /// Once it has decided, the rank sends its tasks.
  void go_on(rank& r) {
    if (!r.steps || !r.steps->is_done()) return;
    balance::rank_share const share = r.steps->take();
    r.steps.reset();
    ++ended_;
    time_.decided_s = std::max(time_.decided_s, in_seconds(messages_.now_ns()));
    time_.most_messages = std::max(time_.most_messages, r.mail.messages_heard());
    time_.most_times = std::max(time_.most_times, r.mail.times_heard());
    time_.migrations += share.gives.size();
    each_run(
        share.gives, [](auto const& m) { return m.receiver; },
        [&](auto first, auto last) {
          messages_.send({.purpose = message_kind::tasks,
                          .sender = r.mail.rank(),
                          .receiver = first->receiver,
                          .bytes = static_cast<std::uint64_t>(last - first) * task_bytes_});
        });
  }

  balance_messages messages_;
  std::deque<rank> ranks_;
  std::uint64_t task_bytes_;
  std::function<void()> const& interruption_point_;
  std::uint32_t ended_ = 0;
  balance_time time_;
};

}  // namespace

balance_time time_to_balance(cluster const& where, balance::machine_loads const& loads, balance::balancer const& by,
                             std::uint64_t seed, std::uint64_t task_bytes,
                             std::function<void()> const& interruption_point) {
  if (loads.empty() || std::holds_alternative<balance::no_balancing>(by)) return balance_time{};
  if (auto const* o = std::get_if<balance::centralised_options>(&by)) {
    return centralised_balancing(where, loads, o->donate, o->loads, task_bytes).run();
  }
  return balancing_on_ranks(where, loads, by, seed, task_bytes, interruption_point).run();
}

}}}  // namespace skua::v0::ranks
