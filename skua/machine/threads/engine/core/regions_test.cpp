// SPDX-License-Identifier: MIT
// Workers learn of regions that open, and forget those that have closed, so that these end.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "skua/policy/random.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::wait_until;

/// Random stealing that reports its end.
class mortal final : public skua::policies::policy {
 public:
  mortal(skua::layout const& where, std::atomic<int>& ended) : inner_(where, 1), ended_(ended) {}
  ~mortal() override { ++ended_; }
  mortal(mortal const&) = delete;
  mortal& operator=(mortal const&) = delete;
  [[nodiscard]] std::string_view name() const noexcept override { return "mortal"; }
  [[nodiscard]] skua::policies::policy_needs needs() const noexcept override { return inner_.needs(); }
  skua::policies::worker_policy& of_worker(skua::worker_id w) noexcept override { return inner_.of_worker(w); }

 private:
  skua::policies::random_stealing inner_;
  std::atomic<int>& ended_;
};

/// Two workers at once.
void meet(auto&& runs) {
  runs.run([](auto& h) {
    std::atomic<int> came{0};
    auto const come = [&](auto&) {
      ++came;
      wait_until("both workers come", [&] { return came.load() == 2; });
    };
    h.join(come, come);
  });
}

TEST(regions, end_soon_after_they_were_closed) {
  skua::pool pool({.workers = 2});
  std::atomic<int> ended{0};
  for (int round = 1; round <= 3; ++round) {
    auto region = pool.open_region(
        [&](skua::policies::policy_setup const& from) { return std::make_unique<mortal>(from.layout, ended); });
    meet(region);
    static_cast<void>(skua::region(std::move(region)));
    wait_until("the workers forget the region", [&] {
      meet(pool);
      return ended.load() == round;
    });
  }
}

/// Tasks of the root region enqueue each other for ever. A worker that runs them comes to the other region, too, each time.
TEST(regions, take_turns_in_a_search_again_and_again) {
  skua::pool pool({.workers = 2});
  auto const other = pool.open_region("random");
  std::atomic<bool> ends{false};
  std::function<void()> again = [&] {
    if (!ends.load()) pool.enqueue([&] { again(); });
  };
  other.run([&](auto& h) {
    again();
    for (int round = 0; round < 5; ++round) {
      std::atomic<bool> is_stolen{false};
      h.join([&](auto&) { wait_until("the other worker comes", [&] { return is_stolen.load(); }); },
             [&](auto&) { is_stolen = true; });
    }
    ends = true;
  });
  pool.drain();
}

}  // namespace
