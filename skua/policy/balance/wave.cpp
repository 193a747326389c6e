// SPDX-License-Identifier: MIT
#include "skua/policy/balance/wave.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

using kind = rank_message_kind;

template <class F>
void each_child(rank_mail const& mail, F f) {
  for (std::uint64_t c = 2 * std::uint64_t{mail.rank()} + 1;
       c < mail.ranks() && c <= 2 * std::uint64_t{mail.rank()} + 2; ++c) {
    f(static_cast<std::uint32_t>(c));
  }
}

rank_message of_wave(kind k, std::uint32_t step, machine_totals const& totals) {
  return {.head = {.kind = k, .step = step, .totals = totals}};
}

}  // namespace

rank_steps<machine_totals> wave(rank_mail& mail, machine_totals own, std::vector<post> posts,
                                std::function<load_ns(rank_message const&)> hear) {
  std::uint32_t const step = mail.begin_step();
  std::uint64_t open = posts.size();  // children that have not reported, and posts of this rank that have not arrived
  each_child(mail, [&](std::uint32_t) { ++open; });
  for (post& p : posts) {
    p.content.head.step = step;
    mail.send(p.to, std::move(p.content));
  }
  bool is_over = mail.rank() == 0 && open == 0;
  if (open == 0 && mail.rank() != 0) mail.send((mail.rank() - 1) / 2, of_wave(kind::up, step, own));
  while (!is_over) {
    rank_message m = co_await mail.next(step, one_of(kind::up, kind::down, kind::ack, kind::transfer, kind::ask));
    switch (m.head.kind) {
      case kind::up: own.add(m.head.totals); break;
      case kind::ack: own.most = std::max(own.most, m.head.load); break;
      case kind::down: own = m.head.totals, is_over = true; continue;
      default: mail.send(m.head.sender, {.head = {.kind = kind::ack, .step = step, .load = hear(m)}}); continue;
    }
    if (--open > 0) continue;
    if (mail.rank() == 0) {
      is_over = true;
    } else {
      mail.send((mail.rank() - 1) / 2, of_wave(kind::up, step, own));
    }
  }
  each_child(mail, [&](std::uint32_t c) { mail.send(c, of_wave(kind::down, step, own)); });
  co_return own;
}

}}}}  // namespace skua::v0::policies::balance
