// SPDX-License-Identifier: MIT
// A transport that traces its messages, and passes them on unchanged.
#pragma once

#include <memory>
#include <utility>

#include "skua/machine/ranks/trace/rank_trace.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class traced_transport final : public transport {
 public:
  /// `to` outlives it.
  traced_transport(std::unique_ptr<transport> network, trace::track& to) noexcept
      : network_(std::move(network)), track_(to) {}

  [[nodiscard]] rank_number rank() const noexcept override { return network_->rank(); }
  [[nodiscard]] rank_number ranks() const noexcept override { return network_->ranks(); }
  [[nodiscard]] neighbours node() const noexcept override { return network_->node(); }
  [[nodiscard]] bool allows_threads() const noexcept override { return network_->allows_threads(); }
  [[nodiscard]] bool allows_any_thread() const noexcept override { return network_->allows_any_thread(); }
  [[nodiscard]] life life_of(rank_number r) const override { return network_->life_of(r); }
  void abandon(rank_number r) override { network_->abandon(r); }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override;
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override;
  bool poll(receiver& to) override;
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return network_->now_ns(); }
  [[nodiscard]] bool sums() const noexcept override { return network_->sums(); }
  void sum(std::span<double> own) override { network_->sum(own); }
  void start_sum(std::span<double const> own) override { network_->start_sum(own); }
  [[nodiscard]] bool take_sum(std::span<double> to) override { return network_->take_sum(to); }
  void receive_the_rest() override { network_->receive_the_rest(); }
  [[nodiscard]] std::uint64_t room_for_windows() const override { return network_->room_for_windows(); }
  [[nodiscard]] std::unique_ptr<window> make_window(window_element type, std::uint64_t elements) override {
    return network_->make_window(type, elements);
  }
  void rest(std::uint32_t rounds) override { network_->rest(rounds); }

 private:
  void note(trace::kind what, message_header const& head, rank_number other, std::size_t bytes) noexcept;

  std::unique_ptr<transport> const network_;
  trace::track& track_;
};

}}}  // namespace skua::v0::ranks
