// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/trace/traced_transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

void traced_transport::note(trace::kind what, message_header const& head, rank_number other,
                            std::size_t bytes) noexcept {
  track_.note({.what = what,
               .detail = static_cast<std::uint8_t>(head.kind),
               .other = other,
               .id = std::uint64_t{head.collection} << 32 | head.epoch,
               .value = bytes});
}

void traced_transport::send(rank_number to, message_header head, std::span<std::byte const> body) {
  note(trace::kind::message_sent, head, to, body.size());
  network_->send(to, head, body);
}

void traced_transport::send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                                     std::uint64_t token) {
  note(trace::kind::message_sent, head, to, body.size());
  network_->send_in_place(to, head, body, token);
}

bool traced_transport::poll(receiver& to) {
  struct noting final : receiver {
    noting(traced_transport& me, receiver& to) noexcept : traced(me), next(to) {}
    void on_message(message const& m) override {
      traced.note(trace::kind::message_received, m.head, m.head.sender, m.body.size());
      if ((m.head.kind == kind::steal_reply || m.head.kind == kind::fed) && m.head.a > 0) {
        traced.track_.note(
            {.what = trace::kind::stolen, .count = stolen_from_rank, .other = m.head.sender, .value = m.head.a});
      }
      next.on_message(m);
    }
    void on_sent(std::uint64_t token) override { next.on_sent(token); }
    traced_transport& traced;
    receiver& next;
  } both(*this, to);
  return network_->poll(both);
}

}}}  // namespace skua::v0::ranks
