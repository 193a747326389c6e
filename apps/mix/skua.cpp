// SPDX-License-Identifier: MIT
// The app mix: other apps at the same time on one pool, each as a task of one finish region. Each keeps its own strategies:
// the scheduler orders the tasks of one type by themselves, and the best of each type by their base. [strategies-2013 5]
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include "apps/mix/parts.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"

namespace skua::apps {
namespace {

class mix_app final : public app, public serial_elision, public simulable {
 public:
  [[nodiscard]] std::string_view name() const override { return "mix"; }
  [[nodiscard]] std::string_view about() const override {
    return "other apps at the same time on one pool, by default prefix sums and UTS (strategies, 2013)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--of", &of_, "apps with their options, with a comma between each two"},
    };
  }
  void prepare() override {
    parts_ = mix::parts_in(of_);
    for (auto const& part : parts_) {
      try {
        part->prepare();
      } catch (usage_error const& refusal) {
        throw usage_error(std::string("mix: --of: ") + refusal.what());
      }
    }
  }
  void reset() override {
    for (auto const& part : parts_) part->reset();
  }

  [[nodiscard]] serial_elision* elision() override { return this; }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    std::vector<owned_array> all;
    for (auto const& part : parts_) std::ranges::move(part->owned(places), std::back_inserter(all));
    return all;
  }
  [[nodiscard]] std::vector<std::span<std::byte const>> unowned() override {
    std::vector<std::span<std::byte const>> all;
    for (auto const& part : parts_) std::ranges::move(part->unowned(), std::back_inserter(all));
    return all;
  }
  void run_skua(pool& workers) override {
    workers.run([&](auto& here) {
      here.finish([&](auto& f) {
        for (auto const& part : parts_) {
          f.spawn([&part, &workers](auto&) { part->run_skua(workers); });  // a task of the pool runs it here
        }
      });
    });
  }
  /// Asked after prepare: if all of them can be simulated.
  [[nodiscard]] simulable* simulation() override {
    return std::ranges::all_of(parts_, [](auto const& part) { return part->simulation() != nullptr; }) ? this : nullptr;
  }
  [[nodiscard]] bool depends_on_schedule() const override { return true; }
  [[nodiscard]] bool can_be_recorded() const override {
    return std::ranges::all_of(parts_, [](auto const& part) { return part->simulation()->can_be_recorded(); });
  }
  void run_recorded(recorder& here, std::uint32_t places) override {
    here.finish([&](auto& f) {
      for (auto const& part : parts_) {
        f.spawn([&part, places](auto& g) { part->simulation()->run_recorded(g.here(), places); });
      }
    });
  }
  void run_simulated(sim::here& here, std::uint32_t places) override {
    here.finish([&](auto& f) {
      for (auto const& part : parts_) {
        f.spawn([&part, places](auto& g) { part->simulation()->run_simulated(g.here(), places); });
      }
    });
  }
  void run_serial() override {
    for (auto const& part : parts_) {
      if (part->elision() == nullptr) {
        throw usage_error("mix: --of names '" + std::string(part->name()) + "', which has no serial elision");
      }
      part->elision()->run_serial();
    }
  }

  [[nodiscard]] std::string wrong() override {
    for (auto const& part : parts_) {
      if (std::string const why = part->wrong(); !why.empty()) return why;
    }
    return {};
  }
  [[nodiscard]] json_value facts() const override {
    json_value known = {{"of", of_}, {"parts", json_value::array()}};
    for (auto const& part : parts_) known["parts"].push_back({{"app", part->name()}, {"facts", part->facts()}});
    return known;
  }

 private:
  std::string of_ = "prefix-sum, uts --tree T5 --form spawn";
  std::vector<std::unique_ptr<app>> parts_;
};

}  // namespace

std::unique_ptr<app> make_mix() { return std::make_unique<mix_app>(); }

}  // namespace skua::apps
