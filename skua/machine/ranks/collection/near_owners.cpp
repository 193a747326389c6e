// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/near_owners.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/policy/balance/locality.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

namespace balance = policies::balance;

/// On the wire. The first of a rank has the bytes that moved for its time.
struct described_task {
  std::uint64_t ns;
  std::uint32_t starts_at;  ///< rank
  std::uint32_t unused;
  balance::owner_footprint needs;
};
static_assert(std::is_trivially_copyable_v<described_task> && sizeof(described_task) == 88);

bytes described(task_record const& record, rank_number rank, start_of_record const& start) {
  std::vector<described_task> own{{start.moved, rank, 0, {}}};  // the head
  own.reserve(record.size() + 1);
  for (std::uint64_t e = 0; e < record.size(); ++e)
    own.push_back({record.times_ns()[e], rank, 0, record.footprint_of(e)});
  for (move_order const& o : start.orders) own[o.entry + 1].starts_at = o.receiver;
  return bytes_of(std::as_bytes(std::span(own)));
}

/// Owners by position among the live ranks; what dead ones had is nowhere.
balance::owner_footprint among(live_ranks const& live, balance::owner_footprint needs) {
  for (auto& s : needs.heaviest) {
    if (s.bytes == 0 || !live.is_live(s.owner)) {
      s = {};
    } else {
      s.owner = live.position_of(s.owner);
    }
  }
  return needs;
}

struct answer {
  std::vector<bytes> of_ranks;  ///< by rank: 1 if there is a gain, then its orders
  std::uint64_t heard = 0;
};

answer answers_to(std::vector<bytes> const& told, live_ranks const& live, bool is_retained, double tolerance) {
  std::vector<balance::placed_task> tasks;
  std::uint64_t moved = 0;
  live.each([&](rank_number r) {
    for (std::size_t at = 0; at < told[r].size(); at += sizeof(described_task)) {
      described_task t;
      std::memcpy(&t, told[r].data() + at, sizeof t);
      if (at == 0) {
        moved += t.ns;
        continue;
      }
      tasks.push_back({t.ns, live.position_of(t.starts_at), among(live, t.needs)});
    }
  });
  balance::near_placement found = balance::prefer_owners(tasks, live.size(), tolerance);
  bool const gains = found.away_after < found.away_before && !(is_retained && moved < found.away_before / 2);
  if (!gains) {
    for (std::size_t t = 0; t < tasks.size(); ++t) found.ranks[t] = tasks[t].rank;
  }
  answer all{.of_ranks = std::vector<bytes>(live.ranks()), .heard = tasks.size()};
  std::size_t next = 0;
  live.each([&](rank_number r) {
    std::vector<move_order> orders{{gains ? 1U : 0U, 0}};
    std::size_t const count = told[r].size() / sizeof(described_task) - 1;
    for (std::uint32_t e = 0; e < count; ++e) {
      if (rank_number const to = live.at(found.ranks[next++]); to != r) orders.push_back({e, to});
    }
    all.of_ranks[r] = bytes_of(std::as_bytes(std::span(orders)));
  });
  return all;
}

}  // namespace

near_orders orders_near_owners(collectives& all, rank_number rank, task_record const& record,
                               start_of_record const& start, double tolerance) {
  near_orders own;
  rank_number const first = all.first();
  std::vector<bytes> const told = all.gather(described(record, rank, start));
  answer said;
  if (rank == first) {
    said = answers_to(told, all.live(), start.is_retained, tolerance);
    own.times_heard = said.heard - record.size();
  }
  bytes const mine = all.scatter(std::move(said.of_ranks), first);
  own.gives.resize(mine.size() / sizeof(move_order));
  std::memcpy(own.gives.data(), mine.data(), mine.size());
  own.gains = own.gives.front().entry != 0;
  own.gives.erase(own.gives.begin());
  return own;
}

}}}  // namespace skua::v0::ranks
