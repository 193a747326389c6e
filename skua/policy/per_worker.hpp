// SPDX-License-Identifier: MIT
// What every policy is made of: one object per worker, in one array.
#pragma once

#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/policy/policy.hpp"

namespace skua::policies {

/// A policy whose workers' states are `Mind`s. They are made by the constructor of the derived class, in order.
template <class Mind>
class per_worker : public policy {
 public:
  worker_policy& of_worker(worker_id w) noexcept final {
    runtime::expects(index(w) < workers_state_.size(), "mind_of: a worker of the region");
    return workers_state_[index(w)];
  }

 protected:
  per_worker() = default;
  std::vector<Mind> workers_state_;
};

}  // namespace skua::policies
