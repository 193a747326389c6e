// SPDX-License-Identifier: MIT
// Writes the traces that report_test.py makes pages of: write_traces FOLDER
//
//   iterated    four workers on two nodes, 24 iterations of a stencil: every kind of event
//   alone       the same program on one worker
//   steady      a run that nothing limits
//   ranks.0/.1  two ranks of 36 workers, moldable teams, a task collection
//   simulated   virtual time
//   flows       a flow that runs three times, of 44 nodes, on four workers, and one that takes less
//   crashed     cut off in the middle, with overwritten events
//   million     10^6 events
//   empty       no event at all
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/trace/trace_file.hpp"
#include "skua/parts/trace/trace_format.hpp"

namespace {

using namespace skua::trace;
using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

/// Collects events with invented times, and writes them as if a clock had been read then.
class writer {
 public:
  explicit writer(trace_options const& with)
      : before_(read_clocks()), file_(trace_file::make(with)), is_virtual_(with.is_virtual) {
    for (uint32_t w = 0; w < with.tracks; ++w) tracks_.push_back(file_->track_of(w));
  }

  void at(uint32_t worker, double us, event e) {
    e.ticks = static_cast<uint64_t>(us * 1000);
    events_.push_back({worker, e});
  }
  [[nodiscard]] uint32_t name(char const* text) { return file_->add_name(text); }

  /// Each track in the order of time.
  void write() {
    std::ranges::stable_sort(events_, {}, [](auto const& e) { return e.second.ticks; });
    reading const now = read_clocks();  // at least 2 ms after the first
    double const ticks_per_ns =
        static_cast<double>(now.ticks - before_.ticks) / static_cast<double>(now.monotonic_ns - before_.monotonic_ns);
    for (auto& [worker, e] : events_) {
      if (!is_virtual_) e.ticks = now.ticks + static_cast<uint64_t>(static_cast<double>(e.ticks) * ticks_per_ns);
      tracks_[worker].note_at(e);
    }
  }

 private:
  reading before_;
  std::unique_ptr<trace_file> file_;
  bool is_virtual_;
  std::vector<track> tracks_;
  std::vector<std::pair<uint32_t, event>> events_;
};

std::string description(char const* program, char const* policy, uint32_t workers, uint32_t per_node) {
  std::string all = std::string(R"({"program":")") + program + R"(","command":"./)" + program +
                    R"( --n 4096","host":"testbed","version":"0.1","policy":")" + policy + R"(","workers":[)";
  for (uint32_t w = 0; w < workers; ++w) {
    std::string const node = std::to_string(w / per_node);
    all += (w == 0 ? "" : ",") + std::string(R"({"processor":)") + std::to_string(w) + R"(,"place":)" + node +
           R"(,"node":)" + node + R"(,"package":)" + node + "}";
  }
  return all +
         R"(],"distances":["same worker","same core","same L2","same L3 or place","same NUMA node","another package"]})";
}

constexpr char const* sweep =
    "constexpr const char* skua::v0::runtime::type_text() [with T = heat::{anonymous}::sweep(auto:7&, "
    "grid&)::<lambda(auto:8&)>]";
constexpr char const* norm =
    "constexpr const char* skua::v0::runtime::type_text() [with T = norm(auto:9&, const grid&)::<lambda(auto:10&)>]";

/// Iterations of blocks that workers steal from each other now and then.
void write_stencil(std::string const& path, uint32_t workers, bool is_virtual, double steal_rate, uint32_t iterations,
                   unsigned seed, std::size_t bytes = default_bytes) {
  writer to(
      {.path = path,
       .tracks = workers + 1,
       .bytes = bytes,
       .description = description("heat", workers == 1 ? "random" : "hierarchical", workers, std::max(workers / 2, 1u)),
       .is_virtual = is_virtual});
  std::mt19937 dice(seed);
  auto const share = [&] { return std::uniform_real_distribution<double>(0, 1)(dice); };
  uint32_t const blocks = 64;
  double now = 0;
  uint64_t attempts = 0;
  to.at(workers, 0, {.what = kind::region_opened, .other = to.name("hierarchical"), .value = workers});
  to.at(0, 1, {.what = kind::called, .other = to.name("main")});
  for (uint32_t i = 0; i < iterations; ++i) {
    to.at(workers, now, {.what = kind::mark, .other = to.name("iteration"), .value = i + 1});
    std::vector<double> busy(workers, now + 3);
    to.at(0, now + 1, {.what = kind::exposed, .value = blocks});
    for (uint32_t b = 0; b < blocks; ++b) {
      uint32_t const home = b * workers / blocks;
      uint32_t who = home;
      if (workers > 1 && share() < steal_rate) who = static_cast<uint32_t>(share() * workers) % workers;
      double& t = busy[who];
      to.at(who, t, {.what = kind::scheduling, .value = ++attempts});
      uint64_t const item = 0x1000 + b;
      if (who != home) {
        to.at(who, t + 1, {.what = kind::lost, .other = home});
        to.at(who, t + 2,
              {.what = kind::stolen,
               .count = static_cast<uint16_t>(who / 2 == home / 2 ? 4 : 5),
               .other = home,
               .id = item});
      } else if (share() < 0.05 && workers > 1) {
        to.at(who, t + 1, {.what = kind::sent, .other = (who + 1) % workers, .id = item});
      }
      double const took = 40 + 30 * share() + (who != home ? 25 : 0);
      to.at(who, t + 3, {.what = kind::working, .value = attempts});
      to.at(who, t + 3, {.what = kind::task_began, .other = to.name(b % 8 == 7 ? norm : sweep), .id = item});
      to.at(who, t + 4,
            {.what = kind::leaf, .id = 0x7f0000000000 + 65536ull * b + (i % 2) * (1ull << 32), .value = 65536});
      if (b % 16 == 3) {
        to.at(who, t + took / 2, {.what = kind::parked, .id = 0xf000 + b});
        to.at(who, t + took / 2, {.what = kind::scheduling, .value = attempts});
        to.at(who, t + took / 2 + 4, {.what = kind::resumed, .id = 0xf000 + b});
      }
      to.at(who, t + took, {.what = kind::task_ended, .id = item});
      t += took;
    }
    double const end = *std::max_element(busy.begin(), busy.end());
    for (uint32_t w = 0; w < workers; ++w) {
      to.at(w, busy[w], {.what = kind::scheduling, .value = attempts});
      if (end - busy[w] > 5) to.at(w, busy[w] + 4, {.what = kind::idling, .value = attempts += 3});
      if (end - busy[w] > 200) to.at(w, busy[w] + 150, {.what = kind::sleeping, .value = attempts});
    }
    now = end + 10;
  }
  to.at(0, now, {.what = kind::left});
  to.at(workers, now + 1, {.what = kind::region_closed});
  to.write();
}

/// A process that ends without a word, and whose ring was too small.
void write_crashed(std::string const& path) {
  pid_t const child = ::fork();
  if (child == 0) {
    writer to({.path = path, .tracks = 2, .bytes = 1, .description = description("crashing", "adws", 2, 2)});
    for (uint32_t w = 0; w < 2; ++w)
      for (int i = 0; i < 700; ++i) {
        to.at(w, 10.0 * i, {.what = kind::task_began, .other = to.name(sweep), .id = 1});
        to.at(w, 10.0 * i + 8, {.what = kind::task_ended, .id = 1});
      }
    to.write();
    ::_exit(0);  // its destructors do not run
  }
  ::waitpid(child, nullptr, 0);
}

void write_steady(std::string const& path) {
  writer to({.path = path, .tracks = 2, .description = description("steady", "random", 2, 2), .is_virtual = true});
  for (uint32_t w = 0; w < 2; ++w) {
    to.at(w, 0, {.what = kind::working});
    for (int i = 0; i < 40; ++i) {
      to.at(w, 100.0 * i,
            {.what = kind::task_began, .other = to.name("fib(auto:1&, int)::<lambda(auto:2&)>"), .id = 9});
      to.at(w, 100.0 * i + 99, {.what = kind::task_ended, .id = 9});
    }
  }
  to.write();
}

/// What `auto` says of a call whose name has no blank.
void write_chosen(std::string const& path) {
  writer to({.path = path, .tracks = 2, .description = description("chosen", "auto", 2, 2), .is_virtual = true});
  constexpr char const* call = "library::detail::runnable<library::{anonymous}::iterated_stencil_of_five_points>";
  for (uint32_t w = 0; w < 2; ++w) {
    to.at(w, 0, {.what = kind::working});
    to.at(w, 1, {.what = kind::task_began, .other = to.name("sweep"), .id = 9});
    to.at(w, 90, {.what = kind::task_ended, .id = 9});
  }
  to.at(0, 40, {.what = kind::scheduler_changed, .other = to.name("adws"), .id = to.name(call)});
  to.at(0, 91, {.what = kind::call_choice, .other = to.name((std::string(call) + ": adws").c_str())});
  to.write();
}

void write_rank(std::string const& base, uint32_t rank) {
  constexpr uint32_t workers = 36;
  writer to({.path = base + "." + std::to_string(rank),
             .tracks = workers + 1,
             .description = description("cholesky", "arms", workers, 18),
             .rank = rank,
             .ranks = 2,
             .is_virtual = true});
  std::mt19937 dice(rank + 5);
  for (uint32_t i = 0; i < 12; ++i) {
    double const begin = 1300.0 * i;
    to.at(workers, begin, {.what = kind::iteration_began, .id = 200, .value = i});
    for (uint32_t w = 0; w < workers; ++w) {
      uint16_t const width = w < 16 ? 4 : w < 32 ? 2 : 1;
      auto const type = static_cast<uint8_t>(w / 16);
      double const took = 500 + 12 * w + static_cast<double>(dice() % 200);
      to.at(w, begin, {.what = kind::scheduling});
      to.at(w, begin + 30, {.what = kind::working});
      to.at(w, begin + 30,
            {.what = kind::member_began,
             .detail = type,
             .count = width,
             .other = to.name(type == 0   ? "gemm"
                              : type == 1 ? "syrk"
                                          : "potrf"),
             .id = 0x40000000ull * (w / 8 % 4),
             .value = w % width});
      to.at(w, begin + took,
            {.what = kind::member_ended, .value = w % width == 0 ? static_cast<uint64_t>(took * 1000) : 0});
      if (w % 5 == 2)
        to.at(w, begin + took + 1,
              {.what = kind::stolen, .count = 3, .other = static_cast<uint32_t>((w + dice() % 30) % workers), .id = w});
      to.at(w, begin + took + 2, {.what = kind::idling});
      to.at(w, begin + took + 60, {.what = kind::sleeping});
    }
    to.at(0, begin + 1190, {.what = kind::message_sent, .other = 1 - rank, .id = i, .value = 4096});
    to.at(1, begin + 1195, {.what = kind::message_received, .other = 1 - rank, .id = i, .value = 4096});
    to.at(workers, begin + 1200, {.what = kind::iteration_ended, .id = 210, .value = i});
  }
  to.write();
}

void write_million(std::string const& path) {
  constexpr uint32_t workers = 16;
  constexpr int tasks = 15'700;
  writer to({.path = path,
             .tracks = workers,
             .bytes = std::size_t{80} << 20,
             .description = description("fib", "random", workers, 8),
             .is_virtual = true});
  std::mt19937 dice(3);
  uint32_t const fib = to.name("fib(auto:1&, int)::<lambda(auto:2&)>");
  for (uint32_t w = 0; w < workers; ++w) {
    double t = 0;
    for (int i = 0; i < tasks; ++i) {
      to.at(w, t, {.what = kind::scheduling, .value = static_cast<uint64_t>(i) * 2});
      to.at(w, t + 0.4,
            {.what = kind::stolen,
             .count = static_cast<uint16_t>(1 + dice() % 5),
             .other = static_cast<uint32_t>(dice() % workers),
             .id = static_cast<uint64_t>(i) + 1});
      to.at(w, t + 0.5, {.what = kind::task_began, .other = fib, .id = static_cast<uint64_t>(i) + 1});
      t += 2 + static_cast<double>(dice() % 1000) / 100.0;
      to.at(w, t, {.what = kind::task_ended, .id = static_cast<uint64_t>(i) + 1});
    }
  }
  to.write();
}

/// A run of a flow in the shape of a factorisation: in each of `steps` steps one node, then a row of `wide`, which wait for it
/// and for their predecessors in the row before; the first of a row releases the next step. Returns when it ended.
double write_flow(writer& to, uint32_t number, uint32_t steps, uint32_t wide, double begin, double slow) {
  uint32_t const workers = 4;
  uint32_t const factor = to.name("factor");
  uint32_t const nodes = steps * (wide + 1);
  auto const node = [&](uint32_t worker, double from, double until, uint32_t which, uint32_t name,
                        std::vector<uint32_t> const& releases) {
    to.at(worker, from,
          {.what = kind::node_began, .detail = 1, .count = 1, .other = name, .id = id_of_node(number, which)});
    event e{.what = kind::node_ended, .id = id_of_node(number, which)};
    for (uint32_t const successor : releases) {
      if (e.count == most_successors) {
        to.at(worker, until, e);
        e = {.what = kind::released, .id = id_of_node(number, which)};
      }
      add_successor(e, successor);
    }
    to.at(worker, until, e);
  };
  to.at(0, begin, {.what = kind::flow_began, .id = id_of_node(number, 0), .value = nodes});
  double now = begin + 5;
  for (uint32_t step = 0; step < steps; ++step) {
    uint32_t const first = step * (wide + 1);
    std::vector<uint32_t> row;
    for (uint32_t i = 1; i <= wide; ++i) row.push_back(first + i);
    node(step % workers, now, now + 20, first, factor, row);
    now += 22;
    for (uint32_t i = 1; i <= wide; ++i) {
      double const from = now + 41 * slow * ((i - 1) / workers);
      std::string const name = "update " + std::to_string(step) + " " + std::to_string(i);
      std::vector<uint32_t> after;
      if (step + 1 < steps) after.push_back(first + wide + 1 + (i == 1 ? 0 : i));
      node((i - 1) % workers, from, from + 40 * slow, first + i, to.name(name.c_str()), after);
    }
    now += 41 * slow * ((wide + workers - 1) / workers);
  }
  to.at(0, now + 5, {.what = kind::flow_ended, .id = id_of_node(number, 0), .value = nodes});
  return now + 10;
}

void write_flows(std::string const& path) {
  writer to({.path = path, .tracks = 4, .description = description("factorise", "arms", 4, 4), .is_virtual = true});
  for (uint32_t w = 0; w < 4; ++w) to.at(w, 0, {.what = kind::working});
  double now = 0;
  for (uint32_t run = 1; run <= 3; ++run) now = write_flow(to, run, 4, 10, now, run == 2 ? 2 : 1);
  write_flow(to, 4, 2, 1, now, 1);
  to.write();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  std::string const folder = std::string(argv[1]) + "/";
  write_stencil(folder + "iterated", 4, false, 0.3, 24, 1);
  write_stencil(folder + "alone", 1, false, 0, 24, 2);
  write_stencil(folder + "simulated", 32, true, 0.6, 8, 3);
  write_crashed(folder + "crashed");
  write_steady(folder + "steady");
  write_chosen(folder + "chosen");
  write_flows(folder + "flows");
  write_rank(folder + "ranks", 0);
  write_rank(folder + "ranks", 1);
  write_million(folder + "million");
  { writer const nothing({.path = folder + "empty", .tracks = 2, .is_virtual = true}); }
  return 0;
} catch (std::exception const& wrong) {
  std::fprintf(stderr, "%s\n", wrong.what());
  return 1;
}
