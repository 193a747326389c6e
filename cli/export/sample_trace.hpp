// SPDX-License-Identifier: MIT
// Traces for the tests of this folder, written down event by event.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli {

class sample_trace {
 public:
  explicit sample_trace(std::size_t workers) {
    data_.tracks.resize(workers);
    data_.names = std::string(1, '\0');
    data_.is_complete = true;
    data_.description = R"({"program":"fib","policy":"adws"})";
  }

  [[nodiscard]] std::uint32_t name(std::string_view text) {
    auto const at = static_cast<std::uint32_t>(data_.names.size());
    data_.names += std::string(text) + '\0';
    return at;
  }
  sample_trace& add(std::size_t worker, std::uint64_t at, trace::event e) {
    e.ticks = at;
    data_.tracks[worker].events.push_back(e);
    data_.ended_ns = std::max(data_.ended_ns, at);
    return *this;
  }
  [[nodiscard]] trace::trace_data& data() noexcept { return data_; }

 private:
  trace::trace_data data_;
};

/// A task of worker 0 that parks at 20 and goes on on worker 1 at 40, after worker 1 has stolen and run another one; two
/// leaves, a mark with awkward text, an iteration, a sent task, a task that never ends, and who works when.
[[nodiscard]] inline trace::trace_data busy_trace() {
  using trace::kind;
  sample_trace t(2);
  std::uint32_t const root = t.name("root");
  std::uint32_t const child = t.name("child");
  std::uint32_t const odd = t.name("a \"quoted\", \\ text");
  t.add(0, 1, {.what = kind::working});
  t.add(0, 1, {.what = kind::iteration_began, .value = 0});
  t.add(0, 2, {.what = kind::task_began, .other = root, .id = 0xa0});
  t.add(0, 3, {.what = kind::leaf, .value = 64});
  t.add(0, 5, {.what = kind::mark, .other = odd, .value = 7});
  t.add(0, 20, {.what = kind::parked, .id = 0xf0});
  t.add(0, 20, {.what = kind::idling});
  t.add(0, 45, {.what = kind::working});
  t.add(0, 45, {.what = kind::task_began, .other = child, .id = 0xa2});
  t.add(0, 60, {.what = kind::iteration_ended, .value = 0});
  t.add(1, 0, {.what = kind::sleeping});
  t.add(1, 9, {.what = kind::lost, .other = 0});
  t.add(1, 10, {.what = kind::stolen, .count = 1, .other = 0, .id = 0xa1});
  t.add(1, 10, {.what = kind::working});
  t.add(1, 11, {.what = kind::task_began, .other = child, .id = 0xa1});
  t.add(1, 12, {.what = kind::leaf, .value = 32});
  t.add(1, 30, {.what = kind::task_ended, .id = 0xa1});
  t.add(1, 31, {.what = kind::sent, .other = 0, .id = 0xa2});
  t.add(1, 40, {.what = kind::resumed, .id = 0xf0});
  t.add(1, 50, {.what = kind::task_ended, .id = 0xa0});
  t.data().ended_ns = 70;
  return t.data();
}

/// A flow of six nodes on two workers: node 0 releases four others, of which node 1 is a team of two and node 2 parks and goes
/// on on the other worker; nodes 1 and 2 release node 5.
[[nodiscard]] inline trace::trace_data flow_trace() {
  using trace::kind;
  sample_trace t(2);
  std::uint32_t const gemm = t.name("gemm");
  auto const id = [](std::uint32_t node) { return trace::id_of_node(3, node); };
  auto const releasing = [&](kind what, std::uint32_t node, std::vector<std::uint32_t> const& to) {
    trace::event e{.what = what, .id = id(node)};
    for (std::uint32_t const n : to) trace::add_successor(e, n);
    return e;
  };
  auto const began = [&](std::uint32_t node, std::uint16_t width = 1) {
    return trace::event{.what = kind::node_began, .count = width, .other = gemm, .id = id(node)};
  };
  t.add(0, 1, {.what = kind::flow_began, .id = id(0), .value = 6});
  t.add(0, 2, {.what = kind::task_began, .id = 0xa0});
  t.add(0, 2, began(0));
  t.add(0, 10, releasing(kind::node_ended, 0, {1, 2, 3}));
  t.add(0, 10, releasing(kind::released, 0, {4}));
  t.add(0, 11, began(2));
  t.add(0, 15, {.what = kind::parked, .id = 0xf0});
  t.add(1, 12, began(1, 2));
  t.add(0, 16, began(1, 2));
  t.add(1, 20, releasing(kind::node_ended, 1, {}));
  t.add(0, 22, releasing(kind::node_ended, 1, {}));
  t.add(0, 23, releasing(kind::released, 1, {5}));
  t.add(1, 24, {.what = kind::resumed, .id = 0xf0});
  t.add(1, 30, releasing(kind::node_ended, 2, {5}));
  t.add(1, 31, began(5));
  t.add(1, 40, releasing(kind::node_ended, 5, {}));
  t.add(0, 31, began(3));
  t.add(0, 35, releasing(kind::node_ended, 3, {}));
  t.add(0, 50, {.what = kind::flow_ended, .id = id(0), .value = 6});
  return t.data();
}

/// Rank 1 asks rank 0 at 5, rank 0 replies at 10, and rank 1 has three tasks at 21 of its own clock, which began 100
/// later; 0: rank 0 has lost that event. Then worker 2 of rank 1 steals from worker 0.
[[nodiscard]] inline std::vector<trace::trace_data> ranks_that_steal(std::uint64_t replied_at) {
  using trace::kind;
  std::vector<trace::trace_data> both;
  for (std::uint32_t const rank : {0u, 1u}) {
    sample_trace t(3);
    t.data().description = R"({"program":"uts","distances":["the same rank","another rank"],"distance_of_ranks":1})";
    t.data().rank = rank;
    t.data().ranks = 2;
    t.data().began_ns = 1000 + 100 * rank;
    both.push_back(t.data());
  }
  constexpr std::uint8_t request = 3, reply = 4;
  auto const add = [&](std::uint32_t rank, trace::event e) { both[rank].tracks[0].events.push_back(e); };
  add(1, {.ticks = 5, .what = kind::message_sent, .detail = request, .other = 0, .id = 9});
  add(0, {.ticks = 108, .what = kind::message_received, .detail = request, .other = 1, .id = 9});
  if (replied_at > 0)
    add(0, {.ticks = replied_at, .what = kind::message_sent, .detail = reply, .other = 1, .id = 9, .value = 80});
  add(1, {.ticks = 20, .what = kind::message_received, .detail = reply, .other = 0, .id = 9, .value = 80});
  add(1, {.ticks = 21, .what = kind::stolen, .count = 1, .other = 0, .value = 3});
  both[1].tracks[2].events.push_back({.ticks = 30, .what = kind::stolen, .count = 0, .other = 0});
  return both;
}

}  // namespace skua::cli
