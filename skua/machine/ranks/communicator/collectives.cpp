// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// From here on the network's own sum is no slower than messages, and no rank rests in the middle of one: measured with Open
/// MPI and MPICH on one node.
constexpr std::size_t long_sum_bytes = 24 * 1024;

/// The flags of a result that did not come down the tree.
constexpr std::uint16_t again = 1;

void append_bytes(bytes& to, void const* from, std::size_t n) {
  auto const* const first = static_cast<std::byte const*>(from);
  to.insert(to.end(), first, first + n);
}

/// Appends one part of a gather: its rank, its length, its bytes.
void append_part(bytes& to, std::uint64_t rank, std::span<std::byte const> part) {
  std::uint64_t const head[2] = {rank, part.size()};
  append_bytes(to, head, sizeof head);
  append_bytes(to, part.data(), part.size());
}

/// What append_part has appended, by rank.
std::vector<bytes> parts_in(bytes const& all, rank_number ranks) {
  std::vector<bytes> parts(ranks);
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t head[2];
    std::memcpy(head, all.data() + at, sizeof head);
    at += sizeof head;
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(at);
    parts[head[0]].assign(first, first + static_cast<std::ptrdiff_t>(head[1]));
    at += head[1];
  }
  return parts;
}

}  // namespace

void collectives::on_message(message const& m) { arrived_.push_back({m.head, {m.body.begin(), m.body.end()}}); }

void collectives::send(rank_number to, kind what, std::span<std::byte const> body) {
  message_header h;
  h.kind = what;
  h.epoch = order_.step();
  network_.send(to, h, body);
}

template <class F>
collectives::arrived collectives::wait_until_found(F matches, std::string const& of) {
  stalled_.restart();
  for (std::uint32_t rounds = 0;; ++rounds) {
    auto const at = std::ranges::find_if(arrived_, matches);
    if (at != arrived_.end()) {
      arrived found = std::move(*at);
      arrived_.erase(at);
      return found;
    }
    if (progress_.poll()) {
      rounds = 0;
    } else {
      rest(rounds, of);
    }
  }
}

void collectives::rest(std::uint32_t rounds, std::string const& of) {
  if (rounds % 1024 == 1023) progress_.look_beside();
  if (stalled_.is_on()) report_stall(of);
  network_.rest(rounds);
}

void collectives::report_stall(std::string const& of) {
  std::uint64_t const now_ns = network_.now_ns();
  if (stalled_.is_due(now_ns)) stalled_.tell(network_.rank(), "in " + order_.in_words(), "waits for " + of, now_ns);
}

collectives::arrived collectives::wait_for(kind what, rank_number from) {
  std::string const of = stalled_.is_on() ? "rank " + std::to_string(from) : "";
  return wait_until_found(
      [&](arrived const& a) {
        bool const repeated = what == kind::result && a.head.flags == again;
        return a.head.kind == what && a.head.epoch == order_.step() && (a.head.sender == from || repeated);
      },
      of);
}

collectives::arrived collectives::wait_for_any(kind what, std::string const& of) {
  return wait_until_found([&](arrived const& a) { return a.head.kind == what && a.head.epoch == order_.step(); }, of);
}

void collectives::compare_arrived() {
  for (arrived const& a : arrived_) {
    if (a.head.kind != kind::contribution || a.head.epoch != order_.step()) continue;
    order_.compare(a.head.sender, call_in(a.head, a.body));
  }
}

void collectives::contribute(rank_number to, collective_call const& call, bytes& own) {
  std::size_t const elements = own.size();
  message_header h;
  h.kind = kind::contribution;
  h.epoch = order_.step();
  append_call(h, own, call);
  network_.send(to, h, own);
  own.resize(elements);
}

bytes collectives::contribution_of(rank_number from) {
  arrived theirs = wait_for(kind::contribution, from);
  order_.compare(from, call_in(theirs.head, theirs.body));
  theirs.body.resize(theirs.body.size() - theirs.head.flags);
  return std::move(theirs.body);
}

bytes collectives::reduce_to_all(collective_call const& call, bytes own,
                                 std::function<void(bytes&, std::span<std::byte const>)> const& combine) {
  order_.begin(call);
  std::erase_if(arrived_, [&](arrived const& a) { return call_order::is_before(a.head.epoch, order_.step()); });
  progress_.begun();
  rank_number const me = network_.rank();
  if (network_.ranks() == 2 && live_.size() == 2) return reduce_by_exchange(call, std::move(own), combine);
  bool const is_root = me == first();  // now: a rank that comes to lead meanwhile has not all contributions
  each_child([&](rank_number c) { combine(own, contribution_of(c)); });
  if (!is_root) {
    contribute(parent(), call, own);
    own = wait_for(kind::result, parent()).body;
  }
  each_child([&](rank_number c) { send(c, kind::result, own); });
  if (keeps_results_) last_result_ = {.step = order_.step(), .body = own};
  return own;
}

void collectives::send_last_result() {
  if (!last_result_ || last_result_->of_process) return;
  message_header h;
  h.kind = kind::result;
  h.flags = again;
  h.epoch = last_result_->step;
  live_.each([&](rank_number r) {
    if (r != network_.rank()) network_.send(r, h, last_result_->body);
  });
}

void collectives::hear_result(known_result const& r) {
  message_header h;
  h.kind = kind::result;
  h.flags = again;
  h.epoch = r.step;
  h.sender = network_.rank();
  arrived_.push_back({h, r.body});
}

bytes collectives::broadcast(collective_call const& call, bytes own, rank_number root) {
  if (network_.rank() != root) own.clear();
  return reduce_to_all(call, std::move(own), [](bytes& into, std::span<std::byte const> other) {
    if (!other.empty()) into.assign(other.begin(), other.end());
  });
}

std::vector<bytes> collectives::gather_to_all(collective_call const& call, bytes own) {
  bytes part;
  append_part(part, network_.rank(), own);
  auto const append = [](bytes& into, std::span<std::byte const> other) {
    append_bytes(into, other.data(), other.size());
  };
  return parts_in(reduce_to_all(call, std::move(part), append), network_.ranks());
}

/// The messages pass each other, and neither rank waits for an answer. Both combine rank 0's elements with rank 1's: the bits
/// are the same.
bytes collectives::reduce_by_exchange(collective_call const& call, bytes own,
                                      std::function<void(bytes&, std::span<std::byte const>)> const& combine) {
  rank_number const other = 1 - network_.rank();
  contribute(other, call, own);
  bytes theirs = contribution_of(other);
  if (other == 0) own.swap(theirs);
  combine(own, theirs);
  if (keeps_results_) last_result_ = {.step = order_.step(), .body = own};
  return own;
}

void collectives::sum(collective_call call, std::span<double> own, bool watched) {
  bool const is_long = own.size_bytes() >= long_sum_bytes;
  if (!is_long || keeps_results_ || !network_.sums() || live_.size() < network_.ranks())
    return sum_elements(*this, call, own);
  call.of = element::real;
  call.length = own.size();
  meet(call);
  if (!watched) return network_.sum(own);
  stalled_.restart();
  network_.start_sum(own);
  for (std::uint32_t rounds = 0; !network_.take_sum(own); ++rounds) {
    if (progress_.poll()) {
      rounds = 0;
    } else {
      rest(rounds, "the sum of the network");
    }
  }
}

std::vector<bytes> collectives::gather(bytes own) {
  order_.begin_part();
  rank_number const me = network_.rank();
  bool const is_root = me == first();
  bytes subtree;
  append_part(subtree, me, own);
  each_child([&](rank_number c) {
    bytes const theirs = wait_for(kind::contribution, c).body;
    append_bytes(subtree, theirs.data(), theirs.size());
  });
  if (!is_root) {
    send(parent(), kind::contribution, subtree);
    return {};
  }
  return parts_in(subtree, network_.ranks());
}

std::vector<bytes> collectives::gather_directly(bytes own, rank_number root) {
  order_.begin_part();
  rank_number const me = network_.rank();
  if (me != root) {
    send(root, kind::contribution, own);
    return {};
  }
  std::vector<bytes> all(network_.ranks());
  live_.each([&](rank_number r) { all[r] = r == me ? std::move(own) : wait_for(kind::contribution, r).body; });
  return all;
}

bytes collectives::scatter(std::vector<bytes> parts, rank_number root) {
  order_.begin_part();
  if (network_.rank() != root) return wait_for(kind::result, root).body;
  live_.each([&](rank_number r) {
    if (r != root) send(r, kind::result, parts[r]);
  });
  return std::move(parts[root]);
}

clock_offset collectives::measure_clock() {
  constexpr int questions = 16;
  order_.begin_part();
  clock_offset best{.ns = 0, .round_trip_ns = ~std::uint64_t{0}};
  if (network_.rank() == 0) {
    live_.each([&](rank_number r) {
      for (int i = 0; r != 0 && i < questions; ++i) {
        static_cast<void>(wait_for(kind::contribution, r));
        std::uint64_t const now_ns = network_.now_ns();
        send(r, kind::result, std::as_bytes(std::span(&now_ns, 1)));
      }
    });
    return {};
  }
  for (int i = 0; i < questions; ++i) {
    std::uint64_t const asked_ns = network_.now_ns();
    send(0, kind::contribution, {});
    bytes const answer = wait_for(kind::result, 0).body;
    std::uint64_t const took_ns = network_.now_ns() - asked_ns;
    if (took_ns >= best.round_trip_ns) continue;
    std::uint64_t theirs_ns = 0;
    std::memcpy(&theirs_ns, answer.data(), sizeof theirs_ns);
    best = {.ns = static_cast<std::int64_t>(theirs_ns - (asked_ns + took_ns / 2)), .round_trip_ns = took_ns};
  }
  return best;
}

std::vector<collectives::addressed> collectives::send_and_receive(std::vector<addressed> out, std::uint64_t expected) {
  order_.begin_part();
  for (addressed const& a : out) send(a.rank, kind::moved, a.body);
  std::vector<addressed> in;
  while (in.size() < expected) {
    arrived a = wait_for_any(kind::moved, "tasks from other ranks");
    in.push_back({a.head.sender, std::move(a.body)});
  }
  std::ranges::stable_sort(in, {}, &addressed::rank);
  return in;
}

}}}  // namespace skua::v0::ranks
