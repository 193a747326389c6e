// SPDX-License-Identifier: MIT
// The app mix: other apps at the same time on one pool, each as a task of one finish region. Each keeps its own strategies:
// the scheduler orders the tasks of one type by themselves, and the best of each type by their base. [strategies-2013 5]
#include <algorithm>
#include <iterator>
#include <vector>

#include "apps/app_core.hpp"
#include "apps/mix/parts.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"

namespace skua::apps {
namespace {

class mix_app final : public app_core, public serial_elision, public simulable {
 public:
  mix_app()
      : app_core("mix", "other apps at the same time on one pool, by default prefix sums and UTS (strategies, 2013)") {}

  [[nodiscard]] serial_elision* elision() override { return this; }
  /// Asked after prepare: if all of them can be simulated.
  [[nodiscard]] simulable* simulation() override {
    return std::ranges::all_of(parts_, [](auto const& part) { return part->simulation() != nullptr; }) ? this : nullptr;
  }
  [[nodiscard]] bool depends_on_schedule() const override { return true; }
  [[nodiscard]] bool can_be_recorded() const override {
    return std::ranges::all_of(parts_, [](auto const& part) { return part->simulation()->can_be_recorded(); });
  }
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
      run_each(here, [&](app& part, auto&) { part.run_skua(workers); });  // a task of the pool runs it here
    });
  }
  void run_recorded(recorder& here, std::uint32_t places) override {
    run_each(here, [places](app& part, auto& h) { part.simulation()->run_recorded(h, places); });
  }
  void run_simulated(sim::here& here, std::uint32_t places) override {
    run_each(here, [places](app& part, auto& h) { part.simulation()->run_simulated(h, places); });
  }
  void run_serial() override {
    for (auto const& part : parts_) {
      if (part->elision() == nullptr) {
        throw usage_error("mix: --of names '" + std::string(part->name()) + "', which has no serial elision");
      }
      part->elision()->run_serial();
    }
    has_run();
  }

 private:
  template <class Here, class Run>
  void run_each(Here& here, Run run) {
    here.finish([&](auto& f) {
      for (auto const& part : parts_) {
        f.spawn([&part, run](auto& inner) { run(*part, inner.here()); });
      }
    });
    has_run();
  }

  void build() override {
    parts_ = mix::parts_in(of_);
    for (auto const& part : parts_) {
      try {
        part->prepare();
      } catch (usage_error const& refusal) {
        throw usage_error(std::string("mix: --of: ") + refusal.what());
      }
    }
  }
  void restore() override {
    for (auto const& part : parts_) part->reset();
  }
  [[nodiscard]] std::string check() override {
    for (auto const& part : parts_) {
      if (std::string const why = part->wrong(); !why.empty()) return why;
    }
    return {};
  }
  void add_facts(json_value& known) const override {
    known["parts"] = json_value::array();
    for (auto const& part : parts_) known["parts"].push_back({{"app", part->name()}, {"facts", part->facts()}});
  }

  text_option of_{*this, "--of", "prefix-sum, uts --tree T5 --form spawn",
                  "apps with their options, with a comma between each two"};
  std::vector<std::unique_ptr<app>> parts_;
};

}  // namespace

std::unique_ptr<app> make_mix() { return std::make_unique<mix_app>(); }

}  // namespace skua::apps
