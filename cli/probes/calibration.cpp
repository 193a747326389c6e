// SPDX-License-Identifier: MIT
#include "cli/probes/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/probes/fence_probes.hpp"
#include "cli/probes/machine_facts.hpp"
#include "cli/probes/memory_probes.hpp"
#include "cli/probes/pool_probes.hpp"
#include "cli/probes/samples.hpp"
#include "cli/text/interrupt.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/base/options.hpp"

namespace skua::cli {
namespace {

/// Made when it is first used: it may be large.
class lazy_ring {
 public:
  explicit lazy_ring(std::size_t bytes) : bytes_(bytes) {}
  pointer_ring& of() { return ring_ ? *ring_ : ring_.emplace(bytes_); }

 private:
  std::size_t const bytes_;
  std::optional<pointer_ring> ring_;
};

/// What stands for a figure that is not measured.
constexpr samples no_samples{.low = 1, .median = 1, .high = 1};

/// Goes through the figures of a model. It measures them until there is an interrupt, and then only notes their names.
class calibration {
 public:
  /// `planned`: how many will be measured; 0: only their names are wanted.
  calibration(machine_shape const& of, unsigned rounds, std::size_t planned, calibration_observer const& before)
      : shape_(of), rounds_(rounds), planned_(planned), before_(before), measures_(planned > 0) {
    // Memory four times as large as the shared cache is not cached, even if other programs leave the cache alone; at
    // least 256 MiB, at most 2 GiB.
    memory_bytes_ = std::clamp(4 * of.shared_bytes, std::size_t{256} << 20, std::size_t{2} << 30);
    // An array of eight private caches is in the shared cache, if that is much larger than a private one.
    shared_part_ = std::min(8 * of.private_bytes, of.shared_bytes / 2);
  }

  std::string text() {
    core_and_caches();
    memory();
    if (shape_.nodes > 1) links();
    prices();
    if (restless_ > 0)
      text_ = fmt::format("\n# {} figures vary by more than a third: the machine was not quiet. Measure again.\n",
                          restless_) +
              text_;
    return std::move(text_);
  }
  [[nodiscard]] std::size_t done() const noexcept { return done_; }
  [[nodiscard]] std::vector<std::string> const& missing() const noexcept { return missing_; }

 private:
  void write(std::string_view text) {
    if (measures_) text_ += text;
  }
  void table(std::string_view name) {
    write(fmt::format("\n[{}]\n", name));
    table_ = name;
  }

  /// `rounds` measurements, of which each may be the last one.
  samples sampled(std::string_view key, std::function<double()> const& take) {
    if (measures_) {
      try {
        stop_if_interrupted();
        if (before_) before_(done_, planned_, key);
        samples const s = apps::spread_of(repeated(rounds_, [&] {
          stop_if_interrupted();
          return take();
        }));
        ++done_;
        keep_after_interrupts();
        return s;
      } catch (interruption const&) {
        measures_ = false;
      }
    }
    missing_.push_back(fmt::format("{}.{}", table_, key));
    return no_samples;
  }

  samples measured(std::string_view key, std::string_view how, std::function<double()> const& take) {
    samples const s = sampled(key, take);
    if (!measures_) return s;
    if (!(s.low > 0)) throw error(fmt::format("{} came out as {:.4g}: the machine is too busy to measure", key, s.low));
    if (s.high > 4.0 / 3 * s.low) ++restless_;
    write(fmt::format("{} = {{ value = {:.4g}, low = {:.4g}, high = {:.4g}, source = \"measured: {}\" }}\n", key,
                      s.median, s.low, s.high, how));
    return s;
  }
  void chase(std::string_view through, std::size_t bytes) {
    lazy_ring ring(bytes);
    measured("latency_ns", fmt::format("a chain of pointers through {}", through), [&] { return ring.of().ns(1); });
  }
  void given(std::string_view key, double value, std::string_view from) {
    write(fmt::format("{} = {{ value = {:.10g}, source = \"{}\" }}\n", key, value, from));
  }
  void assumed(std::string_view key, double value, double low, double high, std::string_view why) {
    write(fmt::format("{} = {{ value = {:.4g}, assumed = true, low = {:.4g}, high = {:.4g}, source = \"{}\" }}\n", key,
                      value, low, high, why));
  }

  void core_and_caches() {
    table("core");
    measured("clock_ghz", "a chain of additions, one a cycle", clock_ghz);
    measured("flops_per_ns", "the leaf of heat in the first-level cache, 7 flops a cell", flops_per_ns);
    samples const hidden = sampled("hidden_share", [&] { return hidden_share(memory_bytes_); });
    write(fmt::format("hidden_share = {{ value = {:.3f}, low = {:.3f}, high = {:.3f}, source = \"measured: {}\" }}\n",
                      hidden.median, hidden.low, hidden.high,
                      "a polynomial of numbers in memory, whose arithmetic takes as long as fetching them"));
    lazy_ring far(memory_bytes_);
    measured("misses_in_flight", "how many chains of pointers through memory go as fast as one, tried with 16",
             [&] { return far.of().ns(1) / far.of().ns(16); });
    if (shape_.first_level_bytes > 0) first_level();
    table("private_cache");
    given("bytes", static_cast<double>(shape_.private_bytes), "the kernel, L2");
    measured("bytes_per_ns", "reads in half of it, the widest loads of the C library",
             [&] { return read_bytes_per_ns(shape_.private_bytes / 2, 1); });
    chase("half of it", shape_.private_bytes / 2);
    table("shared_cache");
    write("filling = \"victim\"\n");
    given("bytes", static_cast<double>(shape_.shared_bytes), "the kernel, L3; of a virtual machine shared with others");
    measured("bytes_per_ns", fmt::format("reads in {} MiB of it", shared_part_ >> 20),
             [&] { return read_bytes_per_ns(shared_part_, 1); });
    chase(fmt::format("{} MiB of it", shared_part_ >> 20), shared_part_);
    table("transfer");
    if (shape_.cores < 2) {
      assumed("bytes_per_ns", 5, 1, 20, "one core: cannot be measured");
      assumed("latency_ns", 100, 50, 200, "one core: cannot be measured");
      return;
    }
    measured("bytes_per_ns", "reads of half a private cache that another core has just written",
             [&] { return handed_over_bytes_per_ns(shape_.private_bytes / 2); });
    measured("latency_ns", "two threads that answer each other, half a round", ping_ns);
  }

  void first_level() {
    table("first_level_cache");
    given("bytes", static_cast<double>(shape_.first_level_bytes), "the kernel, L1 data");
    measured("bytes_per_ns", "reads in half of it, the widest loads of the C library",
             [&] { return read_bytes_per_ns(shape_.first_level_bytes / 2, 1); });
    chase("half of it", shape_.first_level_bytes / 2);
  }

  void memory() {
    table("memory");
    measured("bytes_per_ns",
             fmt::format("reads of {} MiB by all {} PUs, per NUMA node", memory_bytes_ >> 20, shape_.pus),
             [&] { return read_bytes_per_ns(memory_bytes_ / shape_.pus, shape_.pus) / shape_.nodes; });
    std::size_t const alone = memory_bytes_;
    samples const read = measured("core_bytes_per_ns", fmt::format("reads of {} MiB by one thread", alone >> 20),
                                  [&] { return read_bytes_per_ns(alone, 1); });
    // A written byte is read first and goes back later: the difference between a write and a read is the way back.
    double const write = sampled("write_back_bytes_per_ns", [&] { return write_bytes_per_ns(alone); }).median;
    double const way_back = 1 / write - 1 / read.median;
    if (way_back > 0)
      given("write_back_bytes_per_ns", 1 / way_back, "measured: what writing one byte takes longer than reading one");
    chase(fmt::format("{} MiB", alone >> 20), alone);
  }

  void links() {
    std::vector<std::uint64_t> seen;
    for (std::uint32_t a = 0; a < shape_.nodes; ++a) {
      for (std::uint32_t b = 0; b < a; ++b)
        seen.push_back(shape_.distances.empty()
                           ? 20
                           : std::max(shape_.distances[a * shape_.nodes + b], shape_.distances[b * shape_.nodes + a]));
    }
    std::ranges::sort(seen);
    auto const apart = std::distance(seen.begin(), std::ranges::unique(seen).begin());
    table("link");
    write("# Not measured: threads and memory were not bound. Measure with numactl, or take a data sheet's figures.\n");
    auto const list = [&](std::string_view key, double value, double low, double high) {
      write(fmt::format("{} = [", key));
      for (std::ptrdiff_t d = 0; d < apart; ++d)
        write(fmt::format("{}{{ value = {}, assumed = true, low = {}, high = {}, source = \"a guess\" }}",
                          d == 0 ? "" : ", ", value, low, high));
      write("]\n");
    };
    list("bytes_per_ns", 20, 5, 100);
    list("core_bytes_per_ns", 6, 2, 15);
    list("latency_ns", 60, 30, 150);
  }

  void prices() {
    table("prices");
    measured("fork_ns", "fib without cut-off on one worker less its serial elision, per fork", fork_ns);
    measured("spawn_ns", "a task of a finish region that spawns the next one, per task", spawn_ns);
    measured("compare_ns", "a call of a comparator where 1000 tasks wait, with what the store does around it",
             compare_ns);
    assumed("expose_ns", 20, 5, 100, "a guess: some virtual calls and copies of a hint");
    measured("pop_ns", "half of a push and a pop at the owner's end", pop_ns);
    if (shape_.cores < 2) {
      assumed("steal_ns", 2000, 200, 5000, "one core: cannot be measured");
      assumed("miss_ns", 50, 20, 200, "one core: cannot be measured");
      assumed("resume_ns", 1000, 100, 5000, "one core: cannot be measured");
    } else {
      measured("steal_ns", "from a fork to the first instruction of a searching thief", steal_ns);
      measured("miss_ns", "time per attempt of a searching worker, its pauses included", miss_ns);
      measured("resume_ns", "from the end of a stolen child to its parent, which had parked", resume_ns);
    }
    assumed("send_ns", 100, 30, 300, "a guess: two misses of the cache and an atomic exchange");
    assumed("park_ns", 200, 50, 1000, "a guess: a switch of stacks and a counter that others write");
    measured("rest_ns", "a look at the clock and a pause", rest_ns);
    samples const call = measured("notify_ns", "releasing a semaphore on which a thread sleeps", notify_ns);
    if (shape_.pus < 2) {  // the worker that forks runs on the sleeper's only processor
      assumed("wake_up_ns", 5500, 2000, 50'000, "one processor: cannot be measured");
    } else {
      measured("wake_up_ns", "from a fork to its first instruction on a worker that slept, less notify_ns",
               [&] { return std::max(wake_up_ns() - call.median, 100.0); });
    }
    fences();
    for (auto const& [key, lines] :
         {std::pair{"steal_lines", 3.0}, std::pair{"miss_lines", 1.0}, std::pair{"send_lines", 2.0}})
      assumed(key, lines, std::max(1.0, lines / 2), lines * 2, "an estimate: lines of the other worker that are read");
    table("idle");
    given("spin_ns", static_cast<double>(runtime::settings{}.spin.value.count()), "the runtime's default (SKUA_SPIN)");
  }

  void fences() {
    if (runtime::fence_kind() == runtime::fences::full) {
      write("# No prices of heavy fences: " + runtime::fence_reason() + "\n");
      return;
    }
    measured("fence_ns", "a pop of an owner that has lost the bias, less one that has it", fence_ns);
    if (shape_.cores < 2) {
      assumed("heavy_fence_ns", 1500, 700, 15000, "one core: cannot be measured");
      assumed("interrupt_ns", 700, 300, 8000, "one core: cannot be measured");
      return;
    }
    samples const one = measured("heavy_fence_ns", "membarrier while one other thread runs",
                                 [] { return with_running_threads(1).fence_ns; });
    measured("interrupt_ns", "the longest gap in another thread's readings of the clock during a membarrier",
             [] { return with_running_threads(1).interrupt_ns; });
    if (shape_.cores < 3) return;  // each further one costs something only where there are more
    unsigned const others = shape_.cores - 1;
    double const all = sampled("heavy_fence_each_ns", [=] { return with_running_threads(others).fence_ns; }).median;
    if (all > one.median)
      given("heavy_fence_each_ns", (all - one.median) / (others - 1),
            fmt::format("measured: membarrier while {} other threads run, less one", others));
  }

  machine_shape const& shape_;
  unsigned rounds_;
  std::size_t const planned_;
  calibration_observer const& before_;
  bool measures_;
  std::size_t done_ = 0;
  std::vector<std::string> missing_;
  unsigned restless_ = 0;
  std::size_t memory_bytes_ = 0;
  std::size_t shared_part_ = 0;
  std::string table_;
  std::string text_;
};

std::string heading(machine_shape const& s, std::string const& name, unsigned rounds) {
  machine_facts const facts = look_at_machine();
  std::string text = fmt::format(
      "# Written by skua calibrate: medians of {} rounds; low and high are their 10th and 90th percentiles.\n"
      "# {}, {} of {} PUs; {}; skua {}, {}, {}; load average {:.2f}\n"
      "name = \"{}\"\nabout = \"{}, {} PUs, as measured by skua calibrate\"\n\n[topology]\nwords = \"{}\"\n",
      rounds, facts.cpu, facts.usable_pus, facts.pus, facts.kernel, facts.skua_version, facts.compiler,
      facts.build_type, facts.load_average, name, facts.cpu, s.pus, s.words());
  for (std::uint32_t a = 0; a < s.nodes && !s.distances.empty(); ++a) {
    text += a == 0 ? "distances = [[" : ", [";
    for (std::uint32_t b = 0; b < s.nodes; ++b)
      text += fmt::format("{}{}", b == 0 ? "" : ", ", s.distances[a * s.nodes + b]);
    text += a + 1 == s.nodes ? "]]\n" : "]";
  }
  return text + "\n[granularity]\nline_bytes = 64\nblock_bytes = 1024\npage_bytes = 4096\n";
}

}  // namespace

std::string machine_shape::words() const {
  return fmt::format("package:{} numa:{} l3:{} core:{} pu:{}", packages, nodes / packages, shared / nodes,
                     cores / shared, pus / cores);
}

machine_shape shape_of(topology const& tree) {
  machine_shape s{.packages = std::max(1U, tree.count(runtime::level::package)),
                  .nodes = std::max(1U, tree.count(runtime::level::numa_node)),
                  .shared = tree.count(runtime::level::l3),
                  .cores = tree.count(runtime::level::core),
                  .pus = static_cast<std::uint32_t>(tree.pus().size())};
  for (runtime::topology_node const& n : tree.nodes()) {
    if (n.kind == runtime::level::l2) s.private_bytes = n.bytes;
    if (n.kind == runtime::level::l3) s.shared_bytes = n.bytes;
  }
  bool const even = s.shared > 0 && s.cores > 0 && s.nodes % s.packages == 0 && s.shared % s.nodes == 0 &&
                    s.cores % s.shared == 0 && s.pus % s.cores == 0;
  if (!even || tree.count(runtime::level::l2) != s.cores || s.private_bytes == 0 || s.shared_bytes == 0)
    throw resource_error(
        "this machine (or the part of it that this process may use) is not made of equal packages, NUMA nodes, L3 "
        "caches and cores with an L2 cache each, all of known sizes: write its model by hand, from a shipped one");
  for (std::uint32_t a = 0; a < s.nodes && tree.has_numa_latencies(); ++a) {
    for (std::uint32_t b = 0; b < s.nodes; ++b) s.distances.push_back(tree.numa_latency(a, b).value_or(10));
  }
  return s;
}

namespace {

std::string as_comment(std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    all += fmt::format("#{}{}\n", end > at ? " " : "", text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

}  // namespace

calibrated calibrate(machine_shape const& of, std::string const& name, unsigned rounds,
                     calibration_observer const& before) {
  std::string const head = heading(of, name, rounds);  // the load average is that of the time before
  calibration names(of, rounds, 0, before);
  static_cast<void>(names.text());
  calibration run(of, rounds, names.missing().size(), before);
  std::string const figures = run.text();
  calibrated all{.model = head + figures, .done = run.done(), .missing = run.missing()};
  if (all.missing.empty()) return all;
  if (all.done == 0) throw interruption{};
  all.model =
      fmt::format("# Interrupted after {} of {}: no machine model. Measured:\n{}#\n# Not measured: {}\n", all.done,
                  in_words(names.missing().size(), "figure"), as_comment(figures), fmt::join(all.missing, ", "));
  return all;
}

}  // namespace skua::cli
