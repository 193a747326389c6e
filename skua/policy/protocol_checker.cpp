// SPDX-License-Identifier: MIT
#include "skua/policy/protocol_checker.hpp"

#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/policy/checked_worker.hpp"
#include "skua/policy/protocol_tables.hpp"

namespace skua { inline namespace v0 { namespace policies {

protocol_checker::protocol_checker(policy& inner, std::uint32_t workers, protocol_checks const& checks)
    : inner_(inner), aborts_(checks.aborts), name_("checked:" + std::string(inner.name())), needs_(inner.needs()),
      tables_(std::make_unique<protocol_tables>()) {
  workers_.reserve(workers);
  for (std::uint32_t w = 0; w < workers; ++w) {
    worker_id const self{w};
    workers_.push_back(
        std::make_unique<checked_worker>(inner.of_worker(self), self, workers, needs_, *tables_, checks));
  }
}

protocol_checker::protocol_checker(std::unique_ptr<policy> inner, std::uint32_t workers, protocol_checks const& checks)
    : protocol_checker(*inner, workers, checks) {
  owned_ = std::move(inner);
}

protocol_checker::~protocol_checker() {
  if (aborts_ && open_groups() != 0) runtime::broken("protocol", "an exposed group was never left");
}

worker_policy& protocol_checker::of_worker(worker_id w) noexcept {
  runtime::expects(index(w) < workers_.size(), "of_worker: a worker of the region");
  return *workers_[index(w)];
}

void protocol_checker::watch(machine_view const& machine) noexcept {
  tables_->machine = &machine;
  inner_.watch(machine);
}

std::int64_t protocol_checker::open_groups() const noexcept {
  return tables_->open.load(std::memory_order_relaxed);  // relaxed: nothing runs
}

std::vector<std::string> protocol_checker::breaches() const {
  std::vector<std::string> all;
  for (auto const& w : workers_) all.insert(all.end(), w->breaches().begin(), w->breaches().end());
  return all;
}

}}}  // namespace skua::v0::policies
