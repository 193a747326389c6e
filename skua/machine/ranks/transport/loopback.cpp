// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/transport/loopback.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/interruptible_sleep.hpp"
#include "skua/parts/base/physical_memory.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// A message, or news of a completion.
struct parcel {
  message_header head;
  std::vector<std::byte> own;         ///< the body, if it was copied
  std::span<std::byte const> theirs;  ///< the body, where the sender keeps it
  std::uint64_t token = 0;
  bool is_completion = false;
};

}  // namespace

class loopback_network::end final : public transport {
 public:
  end(loopback_network& all, rank_number rank, rank_number ranks, neighbours node, disorder how)
      : all_(all), rank_(rank), ranks_(ranks), node_(node), delays_one_in_(how.delays_one_in),
        dice_(runtime::dice(how.seed + rank).next()) {}

  [[nodiscard]] rank_number rank() const noexcept override { return rank_; }
  [[nodiscard]] rank_number ranks() const noexcept override { return ranks_; }
  [[nodiscard]] neighbours node() const noexcept override { return node_; }

  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    parcel p;
    p.head = head;
    p.head.sender = rank_;
    p.own.assign(body.begin(), body.end());
    all_.ends_[to]->put(std::move(p));
  }

  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    parcel p;
    p.head = head;
    p.head.sender = rank_;
    p.theirs = body;
    p.token = token;
    all_.ends_[to]->put(std::move(p));
  }

  bool poll(receiver& to) override {
    std::optional<parcel> p = get();
    if (!p) return false;
    if (p->is_completion) {
      to.on_sent(p->token);
      return true;
    }
    bool const in_place = !p->theirs.empty();
    to.on_message({p->head, in_place ? p->theirs : std::span<std::byte const>(p->own)});
    if (in_place) {
      parcel done;
      done.is_completion = true;
      done.token = p->token;
      all_.ends_[p->head.sender]->put(std::move(done));
    }
    return true;
  }

  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return runtime::clock_ns(); }

  [[nodiscard]] std::uint64_t room_for_windows() const override { return runtime::physical_memory(); }
  [[nodiscard]] std::unique_ptr<window> make_window(window_element type, std::uint64_t elements) override {
    auto memory = all_.memory_of(++windows_, type);
    memory->allocate(rank_, elements);
    bool const is_late = delays_one_in_ > 0;
    return std::make_unique<loopback_window>(std::move(memory), rank_, ranks_ == 1 && !is_late,
                                             !is_late || windows_ % 2 == 0, delays_one_in_, dice_.next());
  }

  void rest(std::uint32_t rounds) override {
    if (rounds < 16) return std::this_thread::yield();
    runtime::interruptible_sleep(std::chrono::microseconds(std::min<std::uint32_t>(rounds, 100)));
  }

  [[nodiscard]] std::uint64_t waiting() const {
    std::scoped_lock const held(lock_);
    return inbox_.size();
  }

 private:
  void put(parcel p) {
    std::scoped_lock const held(lock_);
    inbox_.push_back(std::move(p));
  }

  std::optional<parcel> get() {
    std::scoped_lock const held(lock_);
    if (inbox_.empty()) return std::nullopt;
    std::size_t chosen = 0;
    if (delays_one_in_ > 0) {
      if (dice_.below(delays_one_in_) == 0) return std::nullopt;
      chosen = dice_.below(static_cast<std::uint32_t>(inbox_.size()));
    }
    auto const at = inbox_.begin() + static_cast<std::ptrdiff_t>(chosen);
    parcel p = std::move(*at);
    inbox_.erase(at);
    return p;
  }

  loopback_network& all_;
  rank_number const rank_;
  rank_number const ranks_;
  neighbours const node_;
  std::uint32_t const delays_one_in_;
  mutable std::mutex lock_;
  runtime::dice dice_;
  std::deque<parcel> inbox_;
  std::uint64_t windows_ = 0;
};

/// The ranks of a window share its memory as long as one of them has it.
std::shared_ptr<window_memory> loopback_network::memory_of(std::uint64_t number, window_element type) {
  std::scoped_lock const held(lock_);
  std::erase_if(windows_, [&](auto const& w) { return w.first != number && w.second.expired(); });
  auto memory = windows_[number].lock();
  if (memory == nullptr) windows_[number] = memory = std::make_shared<window_memory>(type, ranks());
  return memory;
}

loopback_network::loopback_network(rank_number ranks, rank_number on_a_node, disorder how) {
  rank_number const size = on_a_node == 0 ? ranks : on_a_node;
  for (rank_number r = 0; r < ranks; ++r) {
    rank_number const first = r / size * size;
    ends_.push_back(
        std::make_unique<end>(*this, r, ranks, transport::neighbours{first, std::min(first + size, ranks)}, how));
  }
}

loopback_network::~loopback_network() = default;

rank_number loopback_network::ranks() const noexcept { return static_cast<rank_number>(ends_.size()); }
transport& loopback_network::end_of(rank_number rank) noexcept { return *ends_[rank]; }

namespace {

class shared_end final : public transport {
 public:
  shared_end(std::shared_ptr<loopback_network> network, rank_number rank) noexcept
      : network_(std::move(network)), end_(network_->end_of(rank)) {}

  [[nodiscard]] bool allows_any_thread() const noexcept override { return network_->allows_any_thread(); }
  [[nodiscard]] rank_number rank() const noexcept override { return end_.rank(); }
  [[nodiscard]] rank_number ranks() const noexcept override { return end_.ranks(); }
  [[nodiscard]] neighbours node() const noexcept override { return end_.node(); }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    end_.send(to, head, body);
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    end_.send_in_place(to, head, body, token);
  }
  bool poll(receiver& to) override { return end_.poll(to); }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return end_.now_ns(); }
  void rest(std::uint32_t rounds) override { end_.rest(rounds); }
  [[nodiscard]] life life_of(rank_number rank) const override { return end_.life_of(rank); }
  void abandon(rank_number rank) override { end_.abandon(rank); }
  [[nodiscard]] std::uint64_t room_for_windows() const override { return end_.room_for_windows(); }
  [[nodiscard]] std::unique_ptr<window> make_window(window_element type, std::uint64_t elements) override {
    return end_.make_window(type, elements);
  }

 private:
  std::shared_ptr<loopback_network> network_;
  transport& end_;
};

}  // namespace

std::unique_ptr<transport> loopback_network::owned_end(std::shared_ptr<loopback_network> network, rank_number rank) {
  return std::make_unique<shared_end>(std::move(network), rank);
}

std::uint64_t loopback_network::under_way() const {
  std::uint64_t sum = 0;
  for (auto const& e : ends_) sum += e->waiting();
  return sum;
}

}}}  // namespace skua::v0::ranks
