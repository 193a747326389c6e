// SPDX-License-Identifier: MIT
// The app latency.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/finish_app.hpp"
#include "apps/latency/problem.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> latency_strategies{"priority", "none"};

class latency_app final : public finish_app<latency_app>, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "latency"; }
  [[nodiscard]] std::string_view about() const override {
    return "how long urgent tasks wait while a tree of other tasks keeps all workers busy (strategies)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--levels", &levels_, between(1, 20), "of the tree of background tasks, 1 to 20"},
        {"--shortest-us", &shortest_us_, between(0.0, most_us), "least work of a background task"},
        {"--longest-us", &longest_us_, "most work of a background task"},
        {"--urgent-us", &urgent_us_, between(0.0, most_us), "work of an urgent task"},
        {"--urgent", &urgent_share_, between(0, 1), "share of the background tasks that spawn an urgent one"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of all random choices"},
        {"--strategy", &strategy_, one_of(latency_strategies), "priority or none: the strategy of each task"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    how_ = meaning_of<latency::choice>(strategy_, latency_strategies);
    require_between("latency: --longest-us", longest_us_, shortest_us_, most_us);
    auto const ns = [](double us) { return static_cast<std::uint64_t>(us * 1000); };
    load_ = latency::load({.levels = static_cast<std::uint32_t>(levels_),
                           .shortest_ns = ns(shortest_us_),
                           .longest_ns = ns(longest_us_),
                           .urgent_ns = ns(urgent_us_),
                           .urgent_share = urgent_share_,
                           .seed = static_cast<std::uint64_t>(seed_)});
    record_ = std::make_unique<latency::record>(load_);
  }
  void reset() override { record_ = std::make_unique<latency::record>(load_); }

  /// Its times are those of the clock.
  [[nodiscard]] simulable* simulation() override { return nullptr; }
  [[nodiscard]] tbb_twin* tbb() override { return this; }
  void run_tbb(unsigned workers) override { latency::with_tbb(tbb_workers_, workers, load_, how_, *record_); }
  template <has_finish Here>
  void program(Here& here) {
    latency::program(here, load_, how_, *record_);
  }

  [[nodiscard]] std::string wrong() override { return record_->wrong(); }
  [[nodiscard]] json_value facts() const override {
    auto const waits = record_->waits();
    auto const us = [&](double share) { return static_cast<double>(latency::percentile(waits, share)) * 1e-3; };
    return {{"background", load_.background()},
            {"urgent", load_.urgent()},
            {"seed", seed_},
            {"wait_us_50", us(0.5)},
            {"wait_us_99", us(0.99)},
            {"wait_us_99_9", us(0.999)},
            {"wait_us_most", us(1)}};
  }

 private:
  static constexpr double most_us = 1'000'000;

  std::int64_t levels_ = 13;
  double shortest_us_ = 10;
  double longest_us_ = 100;
  double urgent_us_ = 5;
  double urgent_share_ = 0.2;
  std::int64_t seed_ = 1;
  std::string strategy_ = "priority";
  latency::choice how_ = latency::choice::by_priority;
  latency::load load_;
  std::unique_ptr<latency::record> record_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_latency() { return std::make_unique<latency_app>(); }

}  // namespace skua::apps
