// SPDX-License-Identifier: MIT
// Ranks that die after a given number of messages, as threads of one process.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace mortal {

inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

struct died {};

/// Of one rank: it dies when it has sent as many messages as it may.
struct mortality {
  std::atomic<bool> is_dead{false};
  bool counts = false;
  std::uint64_t may_send = never;
};
using fates = std::vector<mortality>;

class mortal_transport final : public transport {
 public:
  mortal_transport(std::unique_ptr<transport> to, fates& all) : to_(std::move(to)), all_(all) {}

  [[nodiscard]] rank_number rank() const noexcept override { return to_->rank(); }
  [[nodiscard]] rank_number ranks() const noexcept override { return to_->ranks(); }
  [[nodiscard]] neighbours node() const noexcept override { return to_->node(); }
  [[nodiscard]] life life_of(rank_number r) const override { return all_[r].is_dead ? life::ended : life::there; }
  void abandon(rank_number r) override { to_->abandon(r); }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    mortality& mine = all_[rank()];
    if (mine.is_dead) return;
    if (mine.counts && mine.may_send-- == 0) {
      mine.is_dead = true;
      throw died();
    }
    to_->send(to, head, body);
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    to_->send_in_place(to, head, body, token);
  }
  [[nodiscard]] bool allows_any_thread() const noexcept override { return to_->allows_any_thread(); }
  [[nodiscard]] std::uint64_t room_for_windows() const override { return to_->room_for_windows(); }
  [[nodiscard]] std::unique_ptr<window> make_window(window_element type, std::uint64_t elements) override {
    return to_->make_window(type, elements);
  }
  bool poll(receiver& to) override {
    if (all_[rank()].is_dead) throw died();  // again: a task may have caught the first one
    return to_->poll(to);
  }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return to_->now_ns(); }
  void rest(std::uint32_t rounds) override { to_->rest(rounds); }

 private:
  std::unique_ptr<transport> const to_;
  fates& all_;
};

}}}}  // namespace skua::v0::ranks::mortal
