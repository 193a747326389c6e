// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/balance_time.hpp"

#include <ranges>
#include <type_traits>
#include <variant>

#include "skua/machine/ranks/simulated/balance_messages.hpp"
#include "skua/policy/balance/donors.hpp"
#include "skua/policy/balance/tree_node.hpp"

namespace skua { inline namespace v0 { namespace ranks {
namespace {

namespace balance = policies::balance;
using message_kind = balance_message::kind;

constexpr std::uint64_t description_bytes = sizeof(balance::donated_task);

double in_seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The common part of both balancers: the average, the donations, and the tasks' way from donor to receiver.
class balancing {
 public:
  balancing(cluster const& where, balance::machine_loads const& loads, double donate,
            balance::load_database::detail how, std::uint64_t task_bytes)
      : ranks_(static_cast<std::uint32_t>(loads.size())), messages_(where, ranks_), task_bytes_(task_bytes),
        donations_(balance::donations_of(loads, how, donate)) {
    messages_.reduce();
    time_.reduction_s = in_seconds(messages_.now_ns());
    for (std::uint32_t r = 0; r < ranks_; ++r) messages_.work(r, donations_[r].tasks.size());
  }

 protected:
  ~balancing() = default;

  /// The donor sends its tasks for this rank, in one message.
  void send_tasks(std::uint32_t donor, std::uint32_t to, std::size_t tasks) {
    messages_.send({.purpose = message_kind::tasks, .sender = donor, .receiver = to, .bytes = tasks * task_bytes_});
    time_.migrations += tasks;
  }
  void knows() { time_.decided_s = in_seconds(messages_.now_ns()); }
  balance_time finished() {
    time_.seconds = in_seconds(messages_.now_ns());
    time_.messages = messages_.sent();
    return time_;
  }

  std::uint32_t ranks_;
  balance_messages messages_;
  std::uint64_t task_bytes_;
  std::vector<balance::donation> donations_;
  balance_time time_;
};

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
class centralised_balancing final : balancing {
 public:
  using balancing::balancing;

  balance_time run() {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      messages_.send({.purpose = message_kind::up,
                      .sender = r,
                      .receiver = 0,
                      .bytes = sizeof(std::uint64_t) + donations_[r].tasks.size() * description_bytes});
    }
    messages_.run([this](balance_message const& m) {
      if (m.purpose == message_kind::up && ++heard_ == ranks_) decide();
      if (m.purpose == message_kind::down) instructed(m);
    });
    return finished();
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
    knows();
    auto const [first, last] = std::ranges::equal_range(moves_, m.receiver, {}, &balance::migration::donor);
    std::vector<balance::migration> const own(first, last);
    each_run(
        own, [](auto const& x) { return x.receiver; },
        [&](auto a, auto b) { send_tasks(m.receiver, a->receiver, static_cast<std::size_t>(b - a)); });
  }

  std::uint32_t heard_ = 0;
  std::vector<balance::migration> moves_;  ///< by donor and receiver
};

/// Up the tree and down again, `sweeps` times; then receivers ask donors.
class hierarchical_balancing final : balancing {
 public:
  hierarchical_balancing(cluster const& where, balance::machine_loads const& loads,
                         balance::hierarchical_options const& o, std::uint64_t task_bytes)
      : balancing(where, loads, o.donate, o.loads, task_bytes), options_(o),
        average_(balance::average_of(balance::totals_of(loads))), tree_(ranks_, o.arity), sweep_(ranks_),
        received_(ranks_), levels_(tree_.root_level() + 1) {
    for (std::uint32_t level = 1; level < levels_.size(); ++level) levels_[level].resize(tree_.nodes(level));
  }

  balance_time run() {
    if (ranks_ == 1) return finished();
    for (std::uint32_t r = 0; r < ranks_; ++r) begin_sweep(r);
    messages_.run([this](balance_message m) { hear(std::move(m)); });
    return finished();
  }

 private:
  using node = balance::balance_tree::node;
  struct node_state {
    std::vector<balance::subtree> children;
    std::vector<balance::donated_task> pool;
    std::uint32_t heard = 0;
    std::optional<balance::tree_node> filled;
  };

  void begin_sweep(std::uint32_t r) {
    balance::donation& d = donations_[r];
    auto tasks = balance::take_longer(d.tasks, balance::sweep_limit(sweep_[r], options_.sweeps, average_));
    send_up({0, r}, {d.kept, 1}, std::move(tasks));
  }

  void send_up(node from, balance::subtree whole, std::vector<balance::donated_task> tasks) {
    node const parent = tree_.parent(from);
    messages_.send({.purpose = message_kind::up,
                    .sender = tree_.host(from),
                    .receiver = tree_.host(parent),
                    .bytes = sizeof(whole) + tasks.size() * description_bytes,
                    .node = parent,
                    .position = tree_.position(from),
                    .whole = whole,
                    .tasks = std::move(tasks)});
  }

  void hear(balance_message m) {
    switch (m.purpose) {
      case message_kind::up: return hear_child(std::move(m));
      case message_kind::down: return m.node.level == 0 ? receive(m) : pass_down(m.node, std::move(m.tasks));
      case message_kind::request: return send_tasks(m.receiver, m.sender, m.bytes / description_bytes);
      case message_kind::tasks: return;
    }
  }

  void hear_child(balance_message m) {
    node_state& n = levels_[m.node.level][m.node.index];
    n.children.resize(tree_.children(m.node));
    n.children[m.position] = m.whole;
    n.pool.insert(n.pool.end(), m.tasks.begin(), m.tasks.end());
    if (++n.heard < n.children.size()) return;
    n.heard = 0;
    messages_.work(tree_.host(m.node), n.pool.size());
    n.filled.emplace(std::move(n.children), balance::fill_rule{options_.fill * average_, options_.fits});
    auto left = n.filled->fill(std::exchange(n.pool, {}));
    n.children = {};
    if (m.node == tree_.root()) return pass_down(m.node, std::move(left));
    send_up(m.node, n.filled->whole(), std::move(left));
  }

  void pass_down(node at, std::vector<balance::donated_task> tasks) {
    messages_.work(tree_.host(at), tasks.size());
    auto to_children = levels_[at.level][at.index].filled->spread(std::move(tasks));
    for (std::uint32_t c = 0; c < to_children.size(); ++c) {
      node const child = tree_.child(at, c);
      messages_.send({.purpose = message_kind::down,
                      .sender = tree_.host(at),
                      .receiver = tree_.host(child),
                      .bytes = to_children[c].size() * description_bytes,
                      .node = child,
                      .tasks = std::move(to_children[c])});
    }
  }

  void receive(balance_message const& m) {
    std::uint32_t const r = m.receiver;
    for (balance::donated_task const& t : m.tasks) donations_[r].kept = balance::plus(donations_[r].kept, t.load);
    balance::add_migrations(m.tasks, r, received_[r]);
    if (++sweep_[r] < options_.sweeps) return begin_sweep(r);
    knows();
    auto& mine = received_[r];
    std::ranges::sort(mine, {}, &balance::migration::donor);
    each_run(
        mine, [](auto const& x) { return x.donor; },
        [&](auto a, auto b) {
          messages_.send({.purpose = message_kind::request,
                          .sender = r,
                          .receiver = a->donor,
                          .bytes = static_cast<std::uint64_t>(b - a) * description_bytes});
        });
  }

  balance::hierarchical_options options_;
  double average_;
  balance::balance_tree tree_;
  std::vector<std::uint32_t> sweep_;  ///< by rank
  std::vector<std::vector<balance::migration>> received_;
  std::vector<std::vector<node_state>> levels_;
};

}  // namespace

std::optional<balance_time> time_to_balance(cluster const& where, balance::machine_loads const& loads,
                                            balance::balancer const& by, std::uint64_t task_bytes) {
  if (loads.empty() || std::holds_alternative<balance::no_balancing>(by)) return balance_time{};
  if (auto const* o = std::get_if<balance::centralised_options>(&by)) {
    return centralised_balancing(where, loads, o->donate, o->loads, task_bytes).run();
  }
  if (auto const* o = std::get_if<balance::hierarchical_options>(&by)) {
    return hierarchical_balancing(where, loads, *o, task_bytes).run();
  }
  return std::nullopt;
}

}}}  // namespace skua::v0::ranks
