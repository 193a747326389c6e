// SPDX-License-Identifier: MIT
// The app nbody-chain.
#include "apps/nbody_chain/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class nbody_chain_app final : public problem_app<nbody_chain_app, nbody_chain::problem> {
 public:
  nbody_chain_app()
      : problem_app("nbody-chain",
                    "a chain of direct N-body tasks that move two arrays of bodies by turns (ARMS 2021)") {
    has_no_effect({"--access"}, ways::peers, "only Skua's policies read addresses");
  }

  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override { return problem_->owned(places); }

 private:
  static constexpr std::uint64_t most_bodies = 1'000'000'000;

  void build() override {
    if (is_fresh_ && iterations_ > most_bodies / n_) {
      throw usage_error("nbody-chain: --iterations is " + std::to_string(std::uint64_t{iterations_}) +
                        " with fresh arrays; allowed: --n times --iterations up to 1000000000");
    }
    problem_.emplace(nbody_chain::shape{
        .n = n_, .iterations = iterations_, .remote = is_remote_, .fresh = is_fresh_, .seed = seed_});
  }
  void add_facts(json_value& all) const override {
    all["flops"] = 2 * static_cast<double>(iterations_) * problem_->operations();
    add_partitions(all, problem_->partitions());
  }

  number_option<std::size_t> n_{*this, "--n", 1000, between(1, 10'000'000), "bodies in each array"};
  number_option<std::uint64_t> iterations_{*this, "--iterations", 100, between(1, 1'000'000'000),
                                           "of both tasks; the paper has 1000"};
  choice_option<bool> is_remote_{*this,
                                 "--access",
                                 "local",
                                 {"local", "remote"},
                                 "local: the tasks have one address; remote: their addresses are far apart"};
  choice_option<bool> is_fresh_{*this,
                                "--arrays",
                                "same",
                                {"same", "fresh"},
                                "fresh: each iteration has arrays of its own, as if the caches were flushed"};
  seed_option seed_{*this, "of the bodies"};
};

}  // namespace

std::unique_ptr<app> make_nbody_chain() { return std::make_unique<nbody_chain_app>(); }

}  // namespace skua::apps
