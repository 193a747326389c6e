// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/distributed_balancing.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "skua/machine/ranks/collection/balance_plan.hpp"
#include "skua/policy/balance/on_rank.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

namespace balance = policies::balance;

/// On the wire: the head, then the tasks, or the known ranks as tasks of that rank.
bytes written(balance::rank_message const& m) {
  std::vector<balance::donated_task> rows = m.tasks;
  for (balance::known_rank const& k : balance::all_of(m.known)) rows.push_back({k.rank, 0, k.load});
  bytes body(sizeof m.head + rows.size() * sizeof(balance::donated_task));
  std::memcpy(body.data(), &m.head, sizeof m.head);
  if (!rows.empty()) std::memcpy(body.data() + sizeof m.head, rows.data(), body.size() - sizeof m.head);
  return body;
}

balance::rank_message read(std::span<std::byte const> body) {
  balance::rank_message m;
  std::memcpy(&m.head, body.data(), sizeof m.head);
  std::vector<balance::donated_task> rows((body.size() - sizeof m.head) / sizeof(balance::donated_task));
  if (!rows.empty()) std::memcpy(rows.data(), body.data() + sizeof m.head, rows.size() * sizeof(balance::donated_task));
  if (m.head.kind != balance::rank_message_kind::gossip) {
    m.tasks = std::move(rows);
  } else {
    std::vector<balance::known_rank> known;
    for (balance::donated_task const& t : rows) known.push_back({t.donor, t.load});
    m.known = std::make_shared<std::vector<balance::known_rank> const>(std::move(known));
  }
  return m;
}

/// Balancers know the live ranks only, by position.
class carrier final : public balance::mail_carrier {
 public:
  explicit carrier(collectives& all) noexcept : all_(all) {}
  void send(std::uint32_t to, balance::rank_message m) override { all_.send_part(all_.live().at(to), written(m)); }

 private:
  collectives& all_;
};

}  // namespace

balanced_share balance_by_messages(collectives& all, rank_number rank, std::span<std::uint64_t const> times_ns,
                                   balance::balancer const& chosen) {
  all.begin_parts();
  live_ranks const& live = all.live();
  carrier by(all);
  balance::rank_mail mail(by, live.position_of(rank), live.size());
  auto steps = balance::balance_on_rank(mail, times_ns, chosen, seed_of_balancers);
  for (steps.start(); !steps.is_done();) mail.deliver(read(all.next_part()));
  balance::rank_share const share = steps.take();
  balanced_share own{
      .gives = {}, .givers = share.givers, .messages = mail.messages_heard(), .times_heard = mail.times_heard()};
  for (balance::migration const& m : share.gives) own.gives.push_back({m.task, live.at(m.receiver)});
  return own;
}

}}}  // namespace skua::v0::ranks
