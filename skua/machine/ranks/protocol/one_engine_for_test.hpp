// SPDX-License-Identifier: MIT
// One engine on a transport that writes down what it sends; the test says what the other ranks have sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/protocol/process_engine.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace one_engine {

constexpr slot_shape numbers{.task_bytes = 8};
constexpr slot_shape mortal{.task_bytes = 8, .has_identity = true};

struct sent_message {
  rank_number to = 0;
  message_header head;
  std::vector<std::byte> body;
  std::optional<std::uint64_t> token;

  [[nodiscard]] std::string text() const { return {reinterpret_cast<char const*>(body.data()), body.size()}; }
};

class recording final : public transport {
 public:
  recording(rank_number me, rank_number all, neighbours node) : me_(me), all_(all), node_(node) {}
  [[nodiscard]] rank_number rank() const noexcept override { return me_; }
  [[nodiscard]] rank_number ranks() const noexcept override { return all_; }
  [[nodiscard]] neighbours node() const noexcept override { return node_; }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    sent.push_back({to, head, {body.begin(), body.end()}, std::nullopt});
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    sent.push_back({to, head, {body.begin(), body.end()}, token});
  }
  bool poll(receiver&) override { return false; }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return 0; }
  void rest(std::uint32_t) override {}

  /// And forgets them.
  std::vector<sent_message> take() { return std::exchange(sent, {}); }
  std::vector<sent_message> sent;

 private:
  rank_number me_;
  rank_number all_;
  neighbours node_;
};

/// To whom, of what kind.
using told = std::vector<std::pair<rank_number, kind>>;

/// Bytes of numbers, one after the other.
template <class T>
std::string bytes_of_all(std::vector<T> const& all) {
  return {reinterpret_cast<char const*>(all.data()), all.size() * sizeof(T)};
}

struct one_rank_settings {
  bool owner_answers = false;
  rank_number me = 1;
  rank_number ranks = 7;
  std::optional<transport::neighbours> node = {};  ///< alone on its node
  slot_shape shape = numbers;
  std::uint64_t patience_ns = 0;
  bool oldest_first = false;
  bool lifelines = false;
  std::uint64_t limit = std::uint64_t{1} << 40;
};

/// Rank 1 of seven, if nothing else is said: its parent is 0, its children are 3 and 4.
struct one_rank {
  explicit one_rank(one_rank_settings const& s = {})
      : shape(s.shape), network(s.me, s.ranks, s.node.value_or(transport::neighbours{s.me, s.me + 1})),
        queue(shape.bytes(), s.limit), engine({.collection = 5,
                                               .seed = 1,
                                               .owner_answers = s.owner_answers,
                                               .patience_ns = s.patience_ns,
                                               .oldest_first = s.oldest_first,
                                               .lifelines = s.lifelines,
                                               .shape = shape},
                                              queue, network),
        log(shape) {
    if (!shape.has_identity) engine.begin(1);
  }

  /// Enters process() number `epoch`, in which losses are mended, with these tasks.
  void enter(std::uint32_t epoch, live_ranks const& live, std::vector<std::uint64_t> const& tasks = {}) {
    task_bytes seeds(tasks.size() * shape.bytes());
    for (std::size_t i = 0; i < tasks.size(); ++i) std::memcpy(seeds.data() + i * shape.bytes(), &tasks[i], 8);
    log.begin(network.rank(), seeds);
    queue.push_all(seeds);
    engine.recover({.log = &log,
                    .mended =
                        [this](live_ranks const& now, std::span<std::byte const> lost) {
                          mended.push_back(now.size());
                          queue.push_all(lost);
                        },
                    .broken = [this](std::string const& why) { broken.push_back(why); }},
                   live);
    engine.begin(epoch);
  }

  void add(std::uint64_t n) {
    task_bytes slot(shape.bytes());
    std::memcpy(slot.data(), &n, sizeof n);
    queue.push(slot.data());
  }
  void hear(message_header h, std::string const& body = "") {
    h.collection = 5;
    h.epoch = engine.epoch();
    engine.on_message({h, std::as_bytes(std::span(body))});
  }
  void hear(kind what, rank_number from, std::uint64_t a = 0, std::string const& body = "", std::uint64_t b = 0,
            std::uint64_t c = 0) {
    hear({.kind = what, .sender = from, .a = a, .b = b, .c = c}, body);
  }
  /// `what`: a reply, or along a lifeline.
  void hear_tasks(rank_number from, std::vector<std::uint64_t> const& tasks, kind what = kind::steal_reply) {
    std::string body(tasks.size() * shape.bytes(), '\0');
    for (std::size_t i = 0; i < tasks.size(); ++i) std::memcpy(body.data() + i * shape.bytes(), &tasks[i], 8);
    hear(what, from, tasks.size(), body);
  }
  std::vector<std::uint64_t> pop_all() {
    std::vector<std::uint64_t> all;
    task_bytes slot(shape.bytes());
    while (queue.pop(slot.data())) std::memcpy(&all.emplace_back(), slot.data(), sizeof(std::uint64_t));
    return all;
  }
  one_engine::told told() {
    one_engine::told all;
    for (auto const& m : network.take()) all.emplace_back(m.to, m.head.kind);
    return all;
  }

  slot_shape const shape;
  recording network;
  split_queue queue;
  process_engine engine;
  recovery_log log;
  std::vector<rank_number> mended;  ///< how many ranks were left each time
  std::vector<std::string> broken;
};

}}}}  // namespace skua::v0::ranks::one_engine
