// SPDX-License-Identifier: MIT
// Hierarchical balancing on one rank: a leaf of the tree, and the nodes that it hosts. [retentive-hpdc12 5.2, Algorithm 2]
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/policy/balance/balance_tree.hpp"
#include "skua/policy/balance/donors.hpp"
#include "skua/policy/balance/on_rank.hpp"
#include "skua/policy/balance/tree_node.hpp"
#include "skua/policy/balance/wave.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

using kind = rank_message_kind;
using tree_position = balance_tree::node;

/// The nodes that the rank hosts, the lowest first. All of them are above its leaf.
std::vector<tree_position> hosted_by(std::uint32_t rank, balance_tree const& tree) {
  std::vector<tree_position> hosted;
  for (tree_position n{0, rank}; n.level < tree.root_level();) {
    n = tree.parent(n);
    if (tree.host(n) == rank) hosted.push_back(n);
  }
  return hosted;
}

void send_up(rank_mail& mail, balance_tree const& tree, std::uint32_t step, tree_position from, subtree whole,
             std::vector<donated_task> tasks) {
  tree_position const to = tree.parent(from);
  mail.send(tree.host(to), {.head = {.kind = kind::tree_up,
                                     .level = static_cast<std::uint8_t>(to.level),
                                     .step = step,
                                     .size = whole.size,
                                     .load = whole.load},
                            .tasks = std::move(tasks)});
}

void send_down(rank_mail& mail, balance_tree const& tree, std::uint32_t step, tree_position to,
               std::vector<donated_task> tasks) {
  mail.send(tree.host(to),
            {.head = {.kind = kind::tree_down, .level = static_cast<std::uint8_t>(to.level), .step = step},
             .tasks = std::move(tasks)});
}

/// What came from the children of a node, in their order whatever the order of the messages.
struct reports {
  std::vector<subtree> children;
  std::vector<donated_task> pool;
};

rank_steps<reports> hear_children(rank_mail& mail, balance_tree const& tree, std::uint32_t step, tree_position node) {
  reports all;
  all.children.resize(tree.children(node));
  for (std::size_t heard = 0; heard < all.children.size(); ++heard) {
    rank_message const m = co_await mail.next(step, one_of(kind::tree_up), static_cast<std::uint8_t>(node.level));
    tree_position const child = tree.above(m.head.sender, node.level - 1);
    all.children[tree.position(child)] = {m.head.load, m.head.size};
    all.pool.insert(all.pool.end(), m.tasks.begin(), m.tasks.end());
  }
  co_return all;
}

/// Up the tree and down again. Returns what the leaf receives.
rank_steps<std::vector<donated_task>> sweep(rank_mail& mail, balance_tree const& tree, load_ns kept,
                                            std::vector<donated_task> offered, fill_rule rule) {
  std::uint32_t const step = mail.begin_step();
  tree_position const leaf{0, mail.rank()};
  std::vector<tree_position> const hosted = hosted_by(mail.rank(), tree);
  std::vector<tree_node> nodes;
  send_up(mail, tree, step, leaf, {kept, 1}, std::move(offered));
  for (tree_position const at : hosted) {
    reports heard = co_await hear_children(mail, tree, step, at);
    mail.work(heard.pool.size());
    tree_node& node = nodes.emplace_back(std::move(heard.children), rule);
    std::vector<donated_task> left = node.fill(std::move(heard.pool));
    if (at == tree.root()) {
      send_down(mail, tree, step, at, std::move(left));
    } else {
      send_up(mail, tree, step, at, node.whole(), std::move(left));
    }
  }
  for (std::size_t i = hosted.size(); i-- > 0;) {
    rank_message m = co_await mail.next(step, one_of(kind::tree_down), static_cast<std::uint8_t>(hosted[i].level));
    mail.work(m.tasks.size());
    auto down = nodes[i].spread(std::move(m.tasks));
    for (std::uint32_t c = 0; c < down.size(); ++c)
      send_down(mail, tree, step, tree.child(hosted[i], c), std::move(down[c]));
  }
  rank_message own = co_await mail.next(step, one_of(kind::tree_down), 0);
  co_return std::move(own.tasks);
}

}  // namespace

rank_steps<rank_tasks> hierarchical_on_rank(rank_mail& mail, std::span<load_ns const> loads,
                                            hierarchical_options options) {
  rank_tasks now;
  if (mail.ranks() == 1) co_return now;
  machine_totals const totals = co_await wave(mail, machine_totals::of(loads), {}, {});
  double const average = totals.average(mail.ranks());
  balance_tree const tree(mail.ranks(), options.arity);
  load_database database = measured({loads.begin(), loads.end()}, options.loads);
  donation own = donate(mail.rank(), database, average, options.donate);
  mail.work(own.tasks.size());
  now.left = own.tasks.size();
  for (std::uint32_t i = 0; i < options.sweeps; ++i) {
    auto offered = take_longer(own.tasks, sweep_limit(i, options.sweeps, average));
    fill_rule const rule{options.fill * average, options.fits};
    std::vector<donated_task> const got = co_await sweep(mail, tree, own.kept, std::move(offered), rule);
    for (donated_task const& t : got) {
      own.kept = plus(own.kept, t.load);
      if (t.donor == mail.rank()) {
        --now.left;
      } else {
        now.received.push_back(t);
      }
    }
  }
  co_return now;
}

}}}}  // namespace skua::v0::policies::balance
