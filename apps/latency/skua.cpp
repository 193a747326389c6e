// SPDX-License-Identifier: MIT
// The app latency.
#include <optional>

#include "apps/latency/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class latency_app final : public finish_app<latency_app> {
 public:
  latency_app()
      : finish_app("latency",
                   "how long urgent tasks wait while a tree of other tasks keeps all workers busy (strategies)") {}

  /// Its times are those of the clock.
  [[nodiscard]] simulable* simulation() override { return nullptr; }
  template <has_finish Here>
  void program(Here& here) {
    latency::program(here, load_, how_, *record_);
  }
  void tbb_run(tbb_workers& threads, unsigned workers) { latency::with_tbb(threads, workers, load_, how_, *record_); }

 private:
  static constexpr double most_us = 1'000'000;

  void build() override {
    require_between("latency: --longest-us", double{longest_us_}, shortest_us_, most_us);
    auto const ns = [](double us) { return static_cast<std::uint64_t>(us * 1000); };
    load_ = latency::load({.levels = levels_,
                           .shortest_ns = ns(shortest_us_),
                           .longest_ns = ns(longest_us_),
                           .urgent_ns = ns(urgent_us_),
                           .urgent_share = urgent_share_,
                           .seed = seed_});
    record_.emplace(load_);
  }
  void restore() override { record_.emplace(load_); }
  [[nodiscard]] std::string check() override { return record_->wrong(); }
  void add_facts(json_value& all) const override {
    auto const waits = record_->waits();
    auto const us = [&](double share) { return static_cast<double>(latency::percentile(waits, share)) * 1e-3; };
    all.update({{"background", load_.background()},
                {"urgent", load_.urgent()},
                {"wait_us_50", us(0.5)},
                {"wait_us_99", us(0.99)},
                {"wait_us_99_9", us(0.999)},
                {"wait_us_most", us(1)}});
  }

  number_option<std::uint32_t> levels_{*this, "--levels", 13, between(1, 20),
                                       "of the tree of background tasks, 1 to 20"};
  number_option<double> shortest_us_{*this, "--shortest-us", 10, between(0.0, most_us),
                                     "least work of a background task"};
  number_option<double> longest_us_{*this, "--longest-us", 100, no_limits{}, "most work of a background task"};
  number_option<double> urgent_us_{*this, "--urgent-us", 5, between(0.0, most_us), "work of an urgent task"};
  number_option<double> urgent_share_{*this, "--urgent", 0.2, between(0, 1),
                                      "share of the background tasks that spawn an urgent one"};
  seed_option seed_{*this, "of all random choices"};
  choice_option<latency::choice> how_{
      *this, "--strategy", "priority", {"priority", "none"}, "priority or none: what is given with each task"};
  latency::load load_;
  std::optional<latency::record> record_;
};

}  // namespace

std::unique_ptr<app> make_latency() { return std::make_unique<latency_app>(); }

}  // namespace skua::apps
