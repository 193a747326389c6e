// SPDX-License-Identifier: MIT
// Tempered balancing on one rank: gossip, transfers and exchanges with ranks that it has heard of. [lifflander-et-al-21]
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "skua/policy/balance/on_rank.hpp"
#include "skua/policy/balance/tempered_search.hpp"
#include "skua/policy/balance/transfer.hpp"
#include "skua/policy/balance/wave.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

using kind = rank_message_kind;
using act = tempered_search::act;

/// One rank of a tempered balancer between its steps.
struct tempered_rank {
  rank_mail& mail;
  tempered_options options;
  runtime::dice roll;
  runtime::dice common;
  tentative_rank now = {};
};

/// The load now, with nothing that a reduction would add up.
machine_totals only_most(load_ns load) { return {.most = load}; }

rank_steps<known_ranks> gossip_on_rank(tempered_rank& self, double average) {
  rank_mail& mail = self.mail;
  std::uint32_t const ranks = mail.ranks();
  known_ranks known = knows_itself(mail.rank(), self.now.load, average, self.options.gossip, self.roll);
  bool talks = !known.all().empty();
  for (std::uint32_t round = self.options.gossip.rounds; round > 0; --round) {
    std::uint32_t const step = mail.begin_step();
    std::vector<std::uint32_t> const distances = gossip_distances(ranks, self.options.gossip.fanout, self.common);
    shared_known_ranks told;
    if (talks) told = std::make_shared<std::vector<known_rank> const>(known.all().begin(), known.all().end());
    for (std::uint32_t const d : distances) {
      mail.send(static_cast<std::uint32_t>((std::uint64_t{mail.rank()} + d) % ranks),
                {.head = {.kind = kind::gossip, .step = step}, .known = told});
    }
    std::vector<shared_known_ranks> heard(distances.size());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      rank_message m = co_await mail.next(step, one_of(kind::gossip));
      std::uint32_t const d = (mail.rank() + (ranks - m.head.sender)) % ranks;
      heard[static_cast<std::size_t>(std::ranges::find(distances, d) - distances.begin())] = std::move(m.known);
    }
    talks = false;
    for (shared_known_ranks const& news : heard) {
      mail.work(all_of(news).size());
      if (known.hear(all_of(news), self.roll)) talks = true;
    }
  }
  known.forget(mail.rank());
  co_return known;
}

/// Gives tasks away, and takes what others give. Returns the largest load of all ranks afterwards.
rank_steps<machine_totals> transfer_on_rank(tempered_rank& self, double average, known_ranks& known) {
  std::vector<transfer> given;
  if (static_cast<double>(self.now.load) > average) {
    self.mail.work(self.now.tasks.size());
    given = transfers(self.now, average, known, self.options.order, {}, self.roll);
  }
  std::ranges::stable_sort(given, {}, &transfer::receiver);
  std::vector<post> posts;
  for (transfer const& t : given) {
    if (posts.empty() || posts.back().to != t.receiver) {
      posts.push_back({t.receiver, {.head = {.kind = kind::transfer}}});
    }
    posts.back().content.tasks.push_back(t.task);
  }
  std::function<load_ns(rank_message const&)> const take = [&self](rank_message const& m) {
    for (donated_task const& t : m.tasks) self.now.add(t);
    return self.now.load;
  };
  machine_totals const own = only_most(self.now.load);
  machine_totals const all = co_await wave(self.mail, own, std::move(posts), take);
  co_return all;
}

/// The most loaded rank that asks, of equal ones the first; unset: nobody asks.
struct best_ask {
  std::optional<std::uint32_t> rank = {};
  load_ns load = 0;
  void hear(rank_message_head const& h) {
    if (rank && (h.load < load || (h.load == load && h.sender > *rank))) return;
    rank = h.sender;
    load = h.load;
  }
};

/// Asks one rank for an exchange, and takes part in the exchange that another one asks for. A rank does one of both: it asks above the goal,
/// and accepts below.
rank_steps<bool> exchange_on_rank(tempered_rank& self, double average, double goal, known_ranks& known) {
  rank_mail& mail = self.mail;
  bool const is_above = static_cast<double>(self.now.load) > goal;
  std::optional<known_rank> partner;
  if (is_above) partner = known.choose(average, self.roll);
  std::vector<post> posts;
  if (partner) posts.push_back({partner->rank, {.head = {.kind = kind::ask, .load = self.now.load}}});
  std::vector<std::uint32_t> asking;
  best_ask best;
  std::function<load_ns(rank_message const&)> const note = [&](rank_message const& m) {
    asking.push_back(m.head.sender);
    if (!is_above) best.hear(m.head);
    return load_ns{0};
  };
  static_cast<void>(co_await wave(mail, {}, std::move(posts), note));
  std::uint32_t const step = mail.begin_step();
  for (std::uint32_t const to : asking) {
    mail.send(to, {.head = {.kind = kind::answer, .step = step, .size = best.rank == to ? 1U : 0U}});
  }
  if (best.rank) {
    rank_message m = co_await mail.next(step, one_of(kind::offer));
    tentative_rank theirs{std::move(m.tasks), m.head.load};
    mail.work(theirs.tasks.size() + self.now.tasks.size());
    static_cast<void>(exchange(theirs, self.now, goal));
    mail.send(m.head.sender,
              {.head = {.kind = kind::exchanged, .step = step, .load = self.now.load, .totals = only_most(theirs.load)},
               .tasks = std::move(theirs.tasks)});
  }
  if (!partner) co_return false;
  rank_message const answer = co_await mail.next(step, one_of(kind::answer));
  if (answer.head.size == 0) co_return false;
  mail.send(partner->rank,
            {.head = {.kind = kind::offer, .step = step, .load = self.now.load}, .tasks = std::move(self.now.tasks)});
  rank_message back = co_await mail.next(step, one_of(kind::exchanged));
  self.now = {std::move(back.tasks), back.head.totals.most};
  known.update(partner->rank, back.head.load);
  co_return true;
}

/// Where the search ended best.
rank_tasks tasks_of(std::uint32_t rank, std::size_t own, tentative_rank const& best) {
  rank_tasks all{.received = {}, .left = own};
  for (donated_task const& t : best.tasks) {
    if (t.donor == rank) {
      --all.left;
    } else {
      all.received.push_back(t);
    }
  }
  return all;
}

}  // namespace

rank_steps<rank_tasks> tempered_on_rank(rank_mail& mail, std::span<load_ns const> loads, tempered_options options,
                                        std::uint64_t seed) {
  tempered_rank self{mail, options, dice_of_rank(seed, mail.rank()), common_dice(seed)};
  for (std::uint32_t t = 0; t < loads.size(); ++t) self.now.add({mail.rank(), t, loads[t]});
  tentative_rank const start = self.now;
  tentative_rank best = start;
  machine_totals most = co_await wave(mail, machine_totals::of(loads), {}, {});
  tempered_search search(options, true, most, mail.ranks());
  std::uint64_t const is_below = static_cast<double>(start.load) < search.average() ? 1 : 0;
  machine_totals const below = co_await wave(mail, {.sum_low = is_below}, {}, {});
  self.options.gossip.rounds = gossip_rounds(mail.ranks(), static_cast<std::uint32_t>(below.sum_low), options.gossip);
  for (act next = search.next(); next != act::end; next = search.next()) {
    if (next == act::start_over) {
      self.now = start;
      continue;
    }
    known_ranks known = co_await gossip_on_rank(self, search.average());
    if (next == act::transfer) {
      most = co_await transfer_on_rank(self, search.average(), known);
    } else {
      for (std::uint32_t i = 0; i < options.partners; ++i) {
        static_cast<void>(co_await exchange_on_rank(self, search.average(), search.goal(), known));
      }
      most = co_await wave(mail, only_most(self.now.load), {}, {});
    }
    if (search.saw(most.most)) best = self.now;
  }
  co_return tasks_of(mail.rank(), loads.size(), best);
}

}}}}  // namespace skua::v0::policies::balance
